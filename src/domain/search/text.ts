import { foldCase } from "#domain/data/index-entries.ts";
import type { Collection } from "#domain/definition/collection.ts";
import { findReceiptSequenceRanges, parseReceiptSequences } from "#domain/item/item.ts";
import { problem } from "#domain/problem/problem.ts";
import { isStorable, notStorableReason, toHalfWidth, toHalfWidthKana } from "#domain/text.ts";
import {
  maxSearchTextLength,
  maxSearchWords,
  type AnywhereCondition,
  type Condition,
  type SearchField,
  type TextFields,
} from "./tree.ts";
import { searchFields } from "./fields.ts";

/** A search in all text fields of an item. */
export interface TextSearch {
  /** Every word must occur somewhere in the item. */
  words: Condition[];
  /** The index directly finds items with a value that starts with one of these texts. */
  prefixes: {
    texts: string[];
    /** The sequences of records whose receipt number starts with the text. */
    sequences: [from: number, below: number][];
  } & TextFields;
}

/** Parses the text of the search box above the items. Returns undefined when it is empty. */
export function parseTextSearch(collection: Collection, input: string): TextSearch | undefined {
  const text = input.trim().normalize("NFC");
  if (text === "") return undefined;
  if (!isStorable(text)) throw queryProblem(notStorableReason, "invalid_condition");
  if (text.length > maxSearchTextLength) {
    throw queryProblem(`Must be at most ${maxSearchTextLength} characters long.`, "too_complex");
  }
  const words = searchWords(text);
  if (words.length > maxSearchWords) {
    throw queryProblem(`Must have at most ${maxSearchWords} words.`, "too_complex");
  }
  const fields = textFields(collection);
  return {
    words: words.map((forms) => {
      const [first, ...others] = forms.map((form) => wordCondition(form, fields));
      return first && others.length === 0 ? first : { any: [...(first ? [first] : []), ...others] };
    }),
    prefixes: {
      texts: [...new Set(typedForms(text).flatMap(spacedForms).flatMap(spellings))],
      sequences: typedForms(text).flatMap((form) => sequenceRanges(collection, form)),
      ...fields,
    },
  };
}

const wordCondition = (anywhere: string, fields: TextFields): AnywhereCondition => ({
  anywhere,
  plainRun: longestPlainRun(anywhere),
  ignoresSpaces: mayLackSpaces(anywhere),
  ...fields,
});

/** Returns a text as typed, and with half-width letters, digits and kana if these differ. */
export function typedForms(text: string): string[] {
  const halfWidth = toHalfWidth(text).trim();
  return [...new Set([text, halfWidth, toHalfWidthKana(halfWidth)])].filter((form) => form !== "");
}

/**
 * Whether a word may lack a space. Japanese and Chinese people write their names with or without one: “高橋健” for “高橋 健”.
 */
export const mayLackSpaces = (word: string): boolean =>
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー々ﾞﾟ]{2,}$/u.test(word);

const maxSpacedLength = 6;

/** Returns the text. For a short text that may lack a space, also returns the text with a space at each position. */
export function spacedForms(text: string): string[] {
  const letters = Array.from(text);
  if (!mayLackSpaces(text) || letters.length > maxSpacedLength) return [text];
  const withSpace = (space: string) =>
    letters.slice(1).map((_, index) => letters.toSpliced(index + 1, 0, space).join(""));
  return [text, ...withSpace(" "), ...withSpace("\u3000")];
}

/**
 * Returns the distinct words of a text, folded. Each word has one to three forms, and an item must contain one of them.
 */
export function searchWords(text: string): string[][] {
  const words = new Set(text.trim().split(/\s+/u).map(foldCase));
  return [...words].map((word) => [...new Set(typedForms(word).map(foldCase))]);
}

/** Matches the start of receipt numbers with the current prefix, and whole receipt numbers with any prefix. */
function sequenceRanges({ kind, definition }: Collection, text: string): [number, number][] {
  if (kind === "form") return [];
  const exactRanges = parseReceiptSequences(text).map((sequence): [number, number] => [
    sequence,
    sequence + 1,
  ]);
  return [...findReceiptSequenceRanges(definition.receipt_prefix, text), ...exactRanges];
}

function textFields(collection: Collection): TextFields {
  const allFields = [...searchFields(collection).values()].filter((field) => field !== undefined);
  const rowFields = ({ rows }: SearchField) => [...(rows?.values() ?? [])].filter(isText);
  const lists = allFields.filter((field) => rowFields(field).length > 0);
  return { fields: [...allFields.filter(isText), ...lists.flatMap(rowFields)], lists };
}

function isText({ kind }: SearchField): boolean {
  return kind === "text";
}

/** Letters whose folded form contains plain characters. A test verifies that this list is complete. */
export const specialFoldLetters = "ßẞİŉſẚﬀﬁﬂﬃﬄﬅﬆ";

function longestPlainRun(folded: string): string {
  const parts = Array.from(folded, (character) => (isPlainCharacter(character) ? character : "\0"));
  const runs = parts.join("").split("\0");
  return runs.reduce((longest, run) => (run.length > longest.length ? run : longest), "");
}

/** ASCII that JSON does not escape, and characters without case. Folding changes at most their ASCII case. */
export function isPlainCharacter(character: string): boolean {
  if (/[ -~]/.test(character)) return character !== '"' && character !== "\\";
  const isCaseless = /[\p{Lo}\p{N}\p{P}\p{S}]/u.test(character);
  return isCaseless && character.toLowerCase() === character.toUpperCase();
}

/** The index compares values with their case, so the search tries the common spellings of a text. */
export function spellings(text: string): string[] {
  const [lowerCase, upperCase] = [text.toLowerCase(), text.toUpperCase()];
  const sentenceCase = lowerCase.replace(/^./u, (letter) => letter.toUpperCase());
  const titleCase = lowerCase.replace(/(?<=^|\s)\S/gu, (letter) => letter.toUpperCase());
  return [
    ...new Set(
      [text, lowerCase, upperCase, sentenceCase, titleCase].map((spelling) =>
        spelling.normalize("NFC"),
      ),
    ),
  ];
}

function queryProblem(reason: string, code: "invalid_condition" | "too_complex") {
  return problem.invalidInput([{ field: "q", code, reason }]);
}
