import { closedReason } from "../../../domain/definition/acceptance";
import { Badge } from "../../../html/parts/badge";
import { showCount } from "../../../html/show-count";
import { Time } from "../../../html/time";
import type { Glance } from "../../../store/definitions/glance";
import { closedWords } from "../acceptance-badges";

const soon = 14 * 24 * 60 * 60 * 1000;

export function State({ each, now }: { each: Glance; now: number }) {
  const reason = closedReason(each, each.live, now);
  if (reason !== null) {
    return <Badge tone={reason === "full" ? "warn" : "quiet"}>{closedWords[reason]}</Badge>;
  }
  const { closes_at: closes, max_submissions: most } = each;
  return (
    <>
      <Badge tone="good">Open</Badge>{" "}
      {closes !== null && closes - now < soon ? (
        <Badge tone="warn">
          closes <Time at={closes} as="distance" />
        </Badge>
      ) : null}
      {most === null ? null : (
        <small>
          {showCount(each.live)} of {showCount(most)}
        </small>
      )}
    </>
  );
}
