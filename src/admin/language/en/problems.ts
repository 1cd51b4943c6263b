import type { Field } from "#domain/definition/field.ts";
import type { FieldError, Problem } from "#domain/problem/problem.ts";

/** Problems, as pages show them. In English, they are what the API says. */
export const problems = () => ({
  /** The sentence at the top of a page, unless the problem names fields. */
  detail: ({ detail }: Problem): string => detail,
  /** The error of a field. Unknown fields are undefined. */
  reason: ({ reason }: FieldError, _field: Field | undefined): string => reason,
});
