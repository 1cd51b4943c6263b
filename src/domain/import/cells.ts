import type { Field, Option } from "#domain/definition/field.ts";
import { parseJson } from "#domain/json.ts";
import { instantInZone } from "#domain/time.ts";

/** How the cells of a file are to be read. */
export interface Reading {
  /** Stored values as they are: an empty cell is an empty value, and nothing was defused. */
  lossless: boolean;
  /** Where times without a zone are. */
  zone: string;
  /** Numbers are written with a comma. */
  commas: boolean;
}

/** What a cell says, as the API takes it; what makes no sense stays as it is, and is told by the API's rules. */
export type CellReader = (cell: string) => unknown;

/** Reads the cells of a field: what it takes to know is found out once for all of them. */
export function cellReader(field: Field, reading: Reading): CellReader {
  const read = textReader(field, reading);
  return (cell) => {
    const text = reading.lossless ? cell : plain(cell);
    return text === "" ? null : read(text);
  };
}

function textReader(field: Field, reading: Reading): CellReader {
  switch (field.type) {
    case "number":
      return (text) => numberOf(text.trim(), reading) ?? text;
    case "boolean":
      return (text) => truths.get(text.trim().toLowerCase()) ?? text;
    case "select": {
      const names = namesOf(field.options);
      return (text) => optionOf(names, text);
    }
    case "multi_select": {
      const names = namesOf(field.options);
      return (text) => listOf(text) ?? choicesOf(names, text);
    }
    case "line_items":
      return (text) => listOf(text) ?? text;
    case "datetime":
      return (text) => {
        const local = text.trim().replace(" ", "T");
        return /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?$/.test(local)
          ? (instantInZone(local, reading.zone) ?? text)
          : text;
      };
    case "text":
    case "multiline_text":
    case "date":
    case "email":
    case "url":
    case "phone":
    case "computed":
      return (text) => text;
  }
}

const truths = new Map([
  ["true", true],
  ["yes", true],
  ["false", false],
  ["no", false],
]);

/** Without the quote that keeps a spreadsheet from running a cell (documents/spreadsheet.ts). */
function plain(cell: string): string {
  return /^'(\s*[=+\-@]|[\t\r\n])/.test(cell) ? cell.slice(1) : cell;
}

function numberOf(text: string, { commas }: Reading): unknown {
  const written = commas && /^-?\d+,\d+$/.test(text) ? text.replace(",", ".") : text;
  return /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(written) ? parseJson(written) : undefined;
}

/** Options by what they can be called. */
interface Names {
  values: ReadonlySet<string>;
  /** Values by labels without case; of two options with one label it is the first. */
  labels: ReadonlyMap<string, string>;
  /** All of these without case. */
  all: ReadonlySet<string>;
  /** How those of them begin that have separators of their own: all that stands before one. */
  beginnings: ReadonlySet<string>;
}

function namesOf(options: readonly Option[]): Names {
  const all = new Set(options.flatMap(({ value, label }) => [folded(value), folded(label)]));
  return {
    values: new Set(options.map(({ value }) => value)),
    labels: new Map(options.toReversed().map(({ value, label }) => [folded(label), value])),
    all,
    beginnings: new Set(
      [...all].flatMap((name) => separatorsIn(name).map((at) => name.slice(0, at))),
    ),
  };
}

const separatorsIn = (text: string) => Array.from(text.matchAll(/[,;\n]/g), ({ index }) => index);
const folded = (text: string) => text.trim().toLowerCase();

/** By value, or by label. */
function optionOf({ values, labels }: Names, text: string): string {
  return values.has(text) ? text : (labels.get(folded(text)) ?? text);
}

/** Names that are found take less than one look for each character of the cell. */
const looksPerCharacter = 8;

/**
 * Options with commas, semicolons or lines between; a label may have such of its own, so the longest one counts. What is
 * behind as many as there are, or takes too many looks, is left in one piece: it is too much anyhow.
 */
function choicesOf(names: Names, text: string): string[] {
  const ends = [...separatorsIn(text), text.length];
  const chosen: string[] = [];
  let looks = looksPerCharacter * text.length;
  let at = 0;
  for (let first = 0; first < ends.length; first += 1) {
    if (chosen.length >= names.values.size || looks <= 0) break;
    let last = first;
    for (let next = first; next < ends.length; next += 1) {
      looks -= 1;
      const begun = text.slice(at, ends[next]).trimStart().toLowerCase();
      if (names.all.has(begun.trimEnd())) last = next;
      if (!names.beginnings.has(begun)) break;
    }
    const end = ends[last] ?? text.length;
    const part = text.slice(at, end).trim();
    if (part !== "") chosen.push(optionOf(names, part));
    at = end + 1;
    first = last;
  }
  const rest = text.slice(at).trim();
  return rest === "" ? chosen : [...chosen, rest];
}

/** A list as JSON, as the lossless CSV has it. */
function listOf(text: string): unknown[] | undefined {
  if (!text.trimStart().startsWith("[")) return undefined;
  try {
    const parsed = parseJson(text);
    return Array.isArray(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}
