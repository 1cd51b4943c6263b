import { closedReason } from "../../domain/definition/acceptance";
import type { Collection } from "../../domain/definition/collection";
import { Badge } from "../../html/parts/badge";
import { showCount } from "../../html/show-count";
import type { Frame } from "../frame/frame";

export const closedWords = {
  not_open_yet: "Not open yet",
  closed: "Closed",
  full: "Full",
} as const;

/** Whether a form takes submissions, and how full it is. */
export function AcceptanceBadges({
  collection: { definition },
  live,
  frame,
}: {
  collection: Pick<Collection, "definition">;
  live: number;
  frame: Frame;
}) {
  const { acceptance } = definition;
  const reason = closedReason(acceptance, live, frame.reader.now);
  const most = acceptance.max_submissions;
  return (
    <>
      {reason === null ? (
        <Badge tone="good">Open</Badge>
      ) : (
        <Badge tone={reason === "full" ? "warn" : "quiet"}>{closedWords[reason]}</Badge>
      )}
      {most === null ? null : (
        <Badge>
          {showCount(live)} of {showCount(most)}
        </Badge>
      )}
    </>
  );
}
