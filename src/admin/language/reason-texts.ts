import { readReason, type ReasonKey, type ReasonValues } from "#domain/problem/reasons.ts";

/** The sentences of field errors in another language, or in other words. */
export type ReasonTexts = {
  [Key in ReasonKey]: string | ((values: ReasonValues<Key>) => string);
};

/**
 * Returns the translation of a sentence of the API. Undefined if the catalogue or these texts do not contain the
 * sentence.
 */
export function translateReason(texts: Partial<ReasonTexts>, sentence: string): string | undefined {
  const parts = readReason(sentence);
  if (!parts) return undefined;
  const text = texts[parts.key] as string | ((values: object) => string) | undefined;
  return typeof text === "function" ? text(parts.values) : text;
}
