import type { Field } from "#domain/definition/field.ts";
import type { FieldError, Problem } from "#domain/problem/problem.ts";

/** What a sentence about an error needs to know of its field. Scripts know less than pages. */
export type FieldFacts = Pick<Field, "type"> & {
  minimum?: number | undefined;
  maximum?: number | undefined;
};

/** Problems, as pages show them. In English, they are what the API says. */
export const problems = () => ({
  /** The sentence at the top of a page, unless the problem names fields. */
  detail: ({ detail }: Problem): string => detail,
  /** The error of a field. */
  reason: ({ reason }: FieldError, _field: FieldFacts | undefined): string => reason,
});
