import { Problem } from "../../domain/problem/problem";

/** A refusal of what one input sent: told beside it, with the places inside it that are named. */
export function toldAt(refusal: Problem, field: string): Problem {
  const { code, detail, members, headers } = refusal;
  const inside = (members["errors"] ?? []) as { field: string; reason: string }[];
  const errors = inside.map((each) => ({
    field,
    reason:
      each.field === field || each.field === "" ? each.reason : `${each.field}: ${each.reason}`,
  }));
  const whole = [{ field, reason: detail }];
  return new Problem(
    code,
    detail,
    { ...members, errors: errors.length > 0 ? errors : whole },
    headers,
  );
}
