import type { FieldError, Problem } from "#domain/problem/problem.ts";
import type { FieldFacts } from "#admin/language/field-facts.ts";
import { type ReasonTexts, translateReason } from "#admin/language/reason-texts.ts";
import { fileTypes } from "./words.ts";

/**
 * Sentences of the API in the words of the pages, for sentences with names of properties and positions. Formulas add
 * the position.
 */
const officeReasons: Partial<ReasonTexts> = {
  closesBeforeOpening: "Must be later than the opening time.",
  keyFormat: ({ pattern }) =>
    `Use up to 63 lowercase letters, digits${pattern.includes("-]") ? ", hyphens" : ""} and underscores. Start with a letter.`,
  exceedsRule: ({ rule, maximum }) =>
    `Must not exceed the ${rule.replace("max_", "maximum ")}, which is ${maximum}.`,
  decimalsOfNonNumber: "Only allowed if the result is a number.",
  notOffsetDateTime: "Enter a date and a time.",
  notAbsoluteUrl: "Enter a URL that starts with https://.",
  notHttps: "Enter a URL that starts with https://.",
  endsTooEarly: "the formula ends too early.",
  unclosedBracket: ({ bracket }) => `the closing "${bracket}" is missing.`,
  unclosedText: "the text has no closing quote.",
  unexpectedText: ({ text }) => `unexpected "${text}".`,
};

/** Problems on pages. */
export const problems = () => ({
  /** The sentence at the top of a page. Used unless the problem has field errors. */
  detail: ({ detail }: Problem): string => detail,
  /** The error of a field. */
  reason: (
    { code, accept, content_type: type, reason }: FieldError,
    _field: FieldFacts | undefined,
  ): string =>
    code === "not_accepted" && Array.isArray(accept)
      ? `${fileTypes([String(type)])} files aren’t allowed. Choose ${fileTypes(accept.map(String))}.`
      : (translateReason(officeReasons, reason) ?? reason),
  /** A sentence about a part of a value. */
  at: (place: string, sentence: string) => `${place}: ${sentence}`,
});
