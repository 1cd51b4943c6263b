import type { FieldError, Problem } from "#domain/problem/problem.ts";
import type { FieldFacts } from "#admin/language/field-facts.ts";
import { fileTypes } from "./words.ts";

/** Problems, as pages show them. In English, they are what the API says. */
export const problems = () => ({
  /** The sentence at the top of a page, unless the problem names fields. */
  detail: ({ detail }: Problem): string => detail,
  /** The error of a field. */
  reason: (
    { code, accept, content_type: type, reason }: FieldError,
    _field: FieldFacts | undefined,
  ): string =>
    code === "not_accepted" && Array.isArray(accept)
      ? `${fileTypes([String(type)])} files aren’t allowed. Choose ${fileTypes(accept.map(String))}.`
      : reason,
});
