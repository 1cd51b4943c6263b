import { isStoredFile } from "#domain/files/file.ts";
import { errorAt } from "#domain/problem/field-errors.ts";
import { problem } from "#domain/problem/problem.ts";
import { isStorable, notStorableReason } from "#domain/text.ts";
import { foldSpelling } from "./spelling.ts";

/** The number of items that a search keeps. */
export const maxPersonHits = 1000;

const minLength = 3;
/** The minimum length of a name in kanji. Japanese family names often have two characters. */
const minKanjiLength = 2;
const maxLength = 200;

const reject = (
  code: "invalid_format" | "too_short" | "too_long",
  reason: string,
  details: Record<string, number> = {},
) => problem.invalidInput([errorAt(["text"], code, reason, details)]);

/** Validates the text of a search for a person. */
export function parsePersonText(sent: string): string {
  const text = sent.trim().replaceAll(/\s+/gu, " ").normalize("NFC");
  if (!isStorable(text)) throw reject("invalid_format", notStorableReason);
  if (text.length < (/\p{Script=Han}/u.test(text) ? minKanjiLength : minLength))
    throw reject("too_short", `Must be at least ${minLength} characters long.`, {
      min_length: minLength,
    });
  if (text.length > maxLength)
    throw reject("too_long", `Must be at most ${maxLength} characters long.`, {
      max_length: maxLength,
    });
  return text;
}

/**
 * Returns a test for the values of an item or of one of its changes. Every word must occur in some value, in any
 * spelling, so that a name can match across two fields. The test prefers false matches to missed ones.
 */
export function matchPerson(text: string): (values: Readonly<Record<string, unknown>>) => boolean {
  return matchWords(text, (words, isFound) => words.every(isFound));
}

/** Returns a test for whether the values of one field of a match contain one of the words. */
export function matchWord(text: string): (values: Readonly<Record<string, unknown>>) => boolean {
  return matchWords(text, (words, isFound) => words.some(isFound));
}

function matchWords(
  text: string,
  decide: (words: readonly string[], isFound: (word: string) => boolean) => boolean,
): (values: Readonly<Record<string, unknown>>) => boolean {
  const words = [...new Set(text.split(/\s+/u).map(foldSpelling))].filter((word) => word !== "");
  // A text that contains only signs is compared unchanged.
  if (words.length === 0) {
    return (values) => collectTexts(Object.values(values)).some((value) => value.includes(text));
  }
  return (values) => {
    const folded = collectTexts(Object.values(values)).map(foldSpelling).join("\n");
    return decide(words, (word) => folded.includes(word));
  };
}

/** Collects texts and numbers from values of any type. Of files, it collects only the names. */
function collectTexts(values: readonly unknown[]): string[] {
  return values.flatMap((value) => {
    if (typeof value === "string") return [value];
    if (typeof value === "number") return [String(value)];
    if (typeof value !== "object" || value === null) return [];
    return isStoredFile(value) ? [value.name] : collectTexts(Object.values(value));
  });
}
