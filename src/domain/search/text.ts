import { fold } from "#domain/data/index-entries.ts";
import type { Collection } from "#domain/definition/collection.ts";
import { placesBeginning, receiptPlaces } from "#domain/item/item.ts";
import { problem } from "#domain/problem/problem.ts";
import { isStorable, storable } from "#domain/text.ts";
import { longestText, mostWords, type Anywhere, type SearchField, type TextFields } from "./tree.ts";
import { searchFields } from "./fields.ts";

/** What is looked for in whole items. */
export interface TextSearch {
  /** Each word, wherever in the item. */
  words: Anywhere[];
  /** Items with a value that begins with one of these, as it is written, are found by the index at once. */
  starts: {
    texts: string[];
    /** The places of records whose receipt number begins so. */
    places: [from: number, below: number][];
  } & TextFields;
}

/** Reads what was typed into the box above the items; undefined where nothing was. */
export function parseText(collection: Collection, typed: string): TextSearch | undefined {
  const text = typed.trim().normalize("NFC");
  if (text === "") return undefined;
  if (!isStorable(text)) throw refused(`Must be ${storable}.`, "invalid_condition");
  if (text.length > longestText) {
    throw refused(`Must be at most ${longestText} characters long.`, "too_complex");
  }
  const words = [...new Set(fold(text).split(/\s+/u))];
  if (words.length > mostWords) {
    throw refused(`Looks for at most ${mostWords} words at once.`, "too_complex");
  }
  const fields = textFields(collection);
  return {
    words: words.map((anywhere) => ({ anywhere, plain: longestPlain(anywhere), ...fields })),
    starts: { texts: spellings(text), places: placesOf(collection, text), ...fields },
  };
}

/** By the prefix that receipt numbers have now; one with an earlier prefix is found by its whole number. */
function placesOf({ kind, definition }: Collection, text: string): [number, number][] {
  if (kind === "form") return [];
  const whole = receiptPlaces(text).map((place): [number, number] => [place, place + 1]);
  return [...placesBeginning(definition.receipt_prefix, text), ...whole];
}

function textFields(collection: Collection): TextFields {
  const own = [...searchFields(collection).values()].filter((field) => field !== undefined);
  const rowFields = ({ rows }: SearchField) => [...(rows?.values() ?? [])].filter(isText);
  const lists = own.filter((field) => rowFields(field).length > 0);
  return { fields: [...own.filter(isText), ...lists.flatMap(rowFields)], lists };
}

function isText({ kind }: SearchField): boolean {
  return kind === "text";
}

/** Letters that fold to others of which `plain` is made; a test finds all of them. */
export const foldsToOthers = "ßẞİıŉſẚﬀﬁﬂﬃﬄﬅﬆ";

function longestPlain(folded: string): string {
  const parts = Array.from(folded, (character) => (isPlain(character) ? character : "\0"));
  const runs = parts.join("").split("\0");
  return runs.reduce((longest, run) => (run.length > longest.length ? run : longest), "");
}

/** ASCII that JSON does not escape, and what has no case: texts have it where their folded form has it. */
export function isPlain(character: string): boolean {
  if (/[ -~]/.test(character)) return character !== '"' && character !== "\\";
  const caseless = /[\p{Lo}\p{N}\p{P}\p{S}]/u.test(character);
  return caseless && character.toLowerCase() === character.toUpperCase();
}

/** The index has values as they are written: a text is sought in the ways in which people write one. */
function spellings(text: string): string[] {
  const [lower, upper] = [text.toLowerCase(), text.toUpperCase()];
  const first = lower.replace(/^./u, (letter) => letter.toUpperCase());
  const each = lower.replace(/(?<=^|\s)\S/gu, (letter) => letter.toUpperCase());
  return [...new Set([text, lower, upper, first, each].map((one) => one.normalize("NFC")))];
}

function refused(reason: string, code: "invalid_condition" | "too_complex") {
  return problem.invalidInput([{ field: "q", code, reason }]);
}
