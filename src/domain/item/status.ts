import { errorAt, oneOf } from "../problem/field-errors";
import type { FieldError } from "../problem/problem";

export type Status = "draft" | "submitted" | "closed";

const atCreation: readonly Status[] = ["draft", "submitted"];
/** Where a status may go through the API. The same status again is no change; reopening is the administration's. */
const next: Record<Status, readonly Status[]> = {
  draft: ["draft", "submitted"],
  submitted: ["submitted", "closed"],
  closed: ["closed"],
};

type Judged = { status: Status } | { error: FieldError };

/** The status of a new submission: `submitted` unless it says `draft`. */
export function statusAtCreation(sent: string | undefined): Judged {
  return judged(atCreation, sent ?? "submitted");
}

export function statusAfter(current: Status, sent: string | undefined): Judged {
  return judged(next[current], sent ?? current);
}

function judged(allowed: readonly Status[], sent: string): Judged {
  const status = allowed.find((each) => each === sent);
  if (status) return { status };
  return {
    error: errorAt(["status"], "invalid_status", `Must be one of ${oneOf(allowed)}.`, { allowed }),
  };
}
