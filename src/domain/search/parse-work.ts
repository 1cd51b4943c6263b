import { errorAt, oneOf, shortened } from "../problem/field-errors";
import type { FieldError, FieldErrorCode } from "../problem/problem";
import type { SearchField } from "./tree";

export type Path = readonly (string | number)[];
export type Fields = ReadonlyMap<string, SearchField | undefined>;

/** What is gathered while a search is read. */
export interface Work {
  errors: FieldError[];
  conditions: number;
}

export function refuse(
  work: Work,
  path: Path,
  reason: string,
  code: FieldErrorCode = "invalid_condition",
  details: Record<string, unknown> = {},
): undefined {
  work.errors.push(errorAt(path, code, reason, details));
  return undefined;
}

export function tooComplex(work: Work, path: Path, reason: string): undefined {
  return refuse(work, path, reason, "too_complex");
}

/** The field that a condition or sort key names; a 422 that lists what there is otherwise. */
export function parseField(
  work: Work,
  fields: Fields,
  sent: unknown,
  path: Path,
): SearchField | undefined {
  if (typeof sent !== "string") return refuse(work, path, "Must be the key of a field.");
  const field = fields.get(sent);
  if (field) return field;
  const allowed = [...fields].flatMap(([name, known]) => (known ? [name] : []));
  const reason = fields.has(sent)
    ? `"${sent}" is not searchable: its definition says "searchable": false.`
    : `There is no field "${shortened(sent)}" to search. There are ${oneOf(allowed)}.`;
  return refuse(work, path, reason, "invalid_condition", { allowed: allowed.slice(0, 100) });
}
