import type { Precondition } from "../etag";
import { closedReason } from "./acceptance";
import type { Collection } from "./collection";
import type { PendingState, Progress } from "./pending";

/**
 * The tag of a schema document, `"7-open"`: the version, and what else the document tells, which changes with the clock,
 * the count of submissions and the work that is under way.
 */
export function definitionTag(
  { kind, version, definition }: Collection,
  live: number,
  indexing: Progress | null,
  pending: PendingState | null,
  now: number,
): string {
  const closed = kind === "form" ? closedReason(definition.acceptance, live, now) : null;
  const work = indexing ? `.${indexing.done}` : "";
  const change = pending ? `.${pending.problem === null ? pending.done : "dropped"}` : "";
  return `"${version}-${closed ?? "open"}${work}${change}"`;
}

/** Whether a precondition names this version of a definition, whatever else its tags tell. */
export function namesVersion(precondition: Precondition, version: number): boolean {
  if (precondition === "*") return true;
  return precondition.some((tag) => /^"(\d+)(-.*)?"$/.exec(tag)?.[1] === String(version));
}
