import type { Compiled } from "../../../../domain/data/compile";
import { Problem } from "../../../../domain/problem/problem";
import { textOf } from "../../../frame/sent";

/** A refusal that names one field is told beside it, as others are. */
export function named(refusal: Problem, { collection }: Compiled): Problem {
  const field = textOf(refusal.members["field"]);
  if (field === "" || refusal.members["errors"] !== undefined) return refusal;
  const label = collection.definition.fields.fields.find(({ key }) => key === field)?.label;
  const reason = refusal.detail.replace(`"${field}"`, `“${label ?? field}”`);
  return new Problem(
    refusal.code,
    refusal.detail,
    { ...refusal.members, errors: [{ field, reason }] },
    refusal.headers,
  );
}
