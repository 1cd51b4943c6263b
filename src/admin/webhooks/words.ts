import type { Tone } from "../../html/parts/badge";
import type { WebhookState, WebhookType } from "../../domain/webhook/webhook";

export const labels = {
  name: "Name",
  url: "Address",
  types: "Tells of",
  resources: "Listens to",
  include: "Sends",
};

export const typeNames: Record<WebhookType, string> = {
  "record.created": "Records that are created",
  "record.updated": "Records that are changed",
  "submission.created": "Submissions that are created",
  "submission.updated": "Submissions that are changed",
  "submission.deleted": "Submissions that are deleted",
  "submission.closed": "Submissions that are closed",
};

export const stateNames: Record<WebhookState, readonly [name: string, tone: Tone]> = {
  active: ["Active", "good"],
  paused: ["Paused", "quiet"],
  failing: ["Failing", "bad"],
  disabled: ["Disabled", "bad"],
};

/** As in “submissions: created, changed”. */
export function typesInWords(types: readonly WebhookType[]): string {
  const of = (noun: "record" | "submission") => {
    const verbs = types
      .filter((type) => type.startsWith(`${noun}.`))
      .map((type) => (type.endsWith(".updated") ? "changed" : type.slice(noun.length + 1)));
    return verbs.length === 0 ? [] : [`${noun}s: ${verbs.join(", ")}`];
  };
  return [...of("record"), ...of("submission")].join("; ");
}
