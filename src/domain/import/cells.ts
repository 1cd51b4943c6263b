import type { Field, FieldOption } from "#domain/definition/field.ts";
import { parseJson } from "#domain/json.ts";
import { foldImportedName, toHalfWidth } from "#domain/text.ts";
import { localToUtc } from "#domain/time.ts";

/** The notation of the cells of a file. */
export interface CellFormat {
  /** Cells hold exact stored values. An empty cell is an empty value, and no cell has a formula guard. */
  isLossless: boolean;
  /** The time zone of times without an offset. */
  zone: string;
  numbers: NumberFormat;
  dates: DateFormat;
}

/**
 * `plain` accepts the API's numbers. `plain_comma` also accepts a decimal comma. The others accept thousands
 * separators.
 */
type NumberFormat = "plain" | "plain_comma" | "point" | "comma";

/** The order of day, month and year in dates that end with the year. `iso` accepts no such dates. */
export type DateFormat = "iso" | "day_first" | "month_first";

/** Converts a cell to a value for the API. Invalid text stays unchanged, so that the API reports the error. */
export type CellReader = (cell: string) => unknown;

/** Creates the reader for the cells of a field. It prepares the lookup tables once for all cells. */
export function createCellReader(field: Field, format: CellFormat): CellReader {
  const readText = createTextReader(field, format);
  return (cell) => {
    const text = format.isLossless ? cell : stripFormulaGuard(cell);
    return text === "" ? null : readText(text);
  };
}

function createTextReader(field: Field, format: CellFormat): CellReader {
  switch (field.type) {
    case "number":
      return (text) => readNumber(toHalfWidth(text).trim(), format) ?? text;
    case "boolean":
      return (text) => booleanWords.get(text.trim().toLowerCase()) ?? text;
    case "select": {
      const names = buildOptionNames(field.options);
      return (text) => matchOption(names, text);
    }
    case "multi_select": {
      const names = buildOptionNames(field.options);
      return (text) => readList(text) ?? matchOptions(names, text);
    }
    case "line_items":
    case "files":
      return (text) => readList(text) ?? text;
    case "date":
      return (text) => readDay(toHalfWidth(text).trim(), format.dates) ?? text;
    case "datetime":
      return (text) => readDateTime(toHalfWidth(text).trim(), format) ?? text;
    case "email":
    case "phone":
      return (text) => (format.isLossless ? text : toHalfWidth(text));
    case "text":
    case "multiline_text":
    case "url":
    case "reference":
    case "computed":
      return (text) => text;
  }
}

const booleanWords = new Map([
  ["true", true],
  ["yes", true],
  ["false", false],
  ["no", false],
]);

/** Removes the quotes that keep spreadsheets from running a cell as a formula (`defuse` in documents/csv.ts). */
export function stripFormulaGuard(cell: string): string {
  const text = /^'(\s*[=+\-@＝＋－＠]|[\t\r\n])/.test(cell) ? cell.slice(1) : cell;
  return text.replace(/([;\t\r\n])'(?=[^\S\t\r\n]*[=+\-@＝＋－＠])/g, "$1");
}

const yearFirst = /^(\d{4})(?:([./-])(\d{1,2})\2(\d{1,2})|年(\d{1,2})月(\d{1,2})日)$/;

const isoDay = (year: string, month: string, day: string) =>
  `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;

/**
 * Converts 2026/12/31 and 2026年12月31日 to 2026-12-31. Also converts 31.12.2026, 31/12/2026, 31-12-2026 or 12/31/2026 if
 * the file writes dates in that order.
 */
function readDay(text: string, dates: DateFormat): string | undefined {
  const [, leadingYear, , month1, day1, month2 = "", day2 = ""] = yearFirst.exec(text) ?? [];
  if (leadingYear !== undefined) return isoDay(leadingYear, month1 ?? month2, day1 ?? day2);
  const match = dates === "iso" ? null : /^(\d{1,2})([./-])(\d{1,2})\2(\d{4})$/.exec(text);
  if (!match) return undefined;
  const [, first = "", , second = "", year = ""] = match;
  const [day, month] = dates === "day_first" ? [first, second] : [second, first];
  return isoDay(year, month, day);
}

/** Converts a local time, such as `2026/12/31 9:00` or `2026年12月31日 9時00分`, to UTC. */
function readDateTime(text: string, { dates, zone }: CellFormat): string | undefined {
  const [, day = "", time = ""] = /^([^ T日]+日?)[ T]*(.*)$/s.exec(text) ?? [];
  const clock = time.replace(/^(\d{1,2})時(\d{1,2})分$/, "$1:$2").replace(/^\d:/, "0$&");
  const local = `${readDay(day, dates) ?? day}T${clock}`;
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?$/.test(local)
    ? localToUtc(local, zone)
    : undefined;
}

const groupedNumbers = {
  point: { pattern: /^-?\d{1,3}([, '\u00A0\u202F])\d{3}(\1\d{3})*(\.\d+)?$/, decimal: "." },
  comma: { pattern: /^-?\d{1,3}([. '\u00A0\u202F])\d{3}(\1\d{3})*(,\d+)?$/, decimal: "," },
};

const currencySigns = /^(-?)[¥\\$€£]\s*|\s*[円€]$/gu;

/** Returns the number without a currency sign. Shift_JIS writes ¥ as a backslash. */
const withoutCurrency = (text: string): string => text.replaceAll(currencySigns, "$1");

/** Whether the number has both separators. Their order then shows which one is which, as in 1,234.5. */
const hasBothSeparators = (text: string) => text.includes(",") && text.includes(".");

/** Removes thousands separators and converts the decimal comma. */
function toDecimalText(text: string, numbers: NumberFormat): string {
  const format = { plain: "point", plain_comma: "comma", point: "point", comma: "comma" } as const;
  const { pattern, decimal } = groupedNumbers[format[numbers]];
  const canHaveGroups = !numbers.startsWith("plain") || hasBothSeparators(text);
  if (canHaveGroups && pattern.test(text)) {
    const [whole = "", fraction] = text.split(decimal);
    const digits = whole.replaceAll(/[^-\d]/g, "");
    return fraction === undefined ? digits : `${digits}.${fraction}`;
  }
  return format[numbers] === "comma" && /^-?\d+,\d+$/.test(text) ? text.replace(",", ".") : text;
}

function readNumber(text: string, { numbers, isLossless }: CellFormat): unknown {
  const decimalText = toDecimalText(isLossless ? text : withoutCurrency(text), numbers);
  return /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(decimalText)
    ? parseJson(decimalText)
    : undefined;
}

/** The names of options: their values and labels. */
interface OptionNames {
  values: ReadonlySet<string>;
  /** Values by folded label. If two options share a label, the first one wins. */
  labels: ReadonlyMap<string, string>;
  /** All values and labels, folded. */
  allNames: ReadonlySet<string>;
  /** For names that contain separators, the text before each separator. */
  namePrefixes: ReadonlySet<string>;
}

function buildOptionNames(options: readonly FieldOption[]): OptionNames {
  const allNames = new Set(
    options.flatMap(({ value, label }) => [foldName(value), foldName(label)]),
  );
  return {
    values: new Set(options.map(({ value }) => value)),
    labels: new Map(options.toReversed().map(({ value, label }) => [foldName(label), value])),
    allNames,
    namePrefixes: new Set(
      [...allNames].flatMap((name) => separatorsIn(name).map((index) => name.slice(0, index))),
    ),
  };
}

const separatorsIn = (text: string) =>
  Array.from(text.matchAll(/[,;\n、，；]/g), ({ index }) => index);
const foldName = (text: string) => foldImportedName(text.trim());

/** Matches by value, then by label. */
function matchOption({ values, labels }: OptionNames, text: string): string {
  return values.has(text) ? text : (labels.get(foldName(text)) ?? text);
}

/** The maximum number of lookups for each character of a cell. Matching names takes fewer. */
const lookupsPerCharacter = 8;

/**
 * Splits options at commas (also 、), semicolons and line ends. Labels may contain separators, so the longest match wins. After too
 * many options or lookups, the remaining text becomes one option, which the API then rejects.
 */
function matchOptions(names: OptionNames, text: string): string[] {
  const ends = [...separatorsIn(text), text.length];
  const matches: string[] = [];
  let remainingLookups = lookupsPerCharacter * text.length;
  let position = 0;
  for (let firstIndex = 0; firstIndex < ends.length; firstIndex += 1) {
    if (matches.length >= names.values.size || remainingLookups <= 0) break;
    let lastIndex = firstIndex;
    for (let nextIndex = firstIndex; nextIndex < ends.length; nextIndex += 1) {
      remainingLookups -= 1;
      const candidate = foldImportedName(text.slice(position, ends[nextIndex]).trimStart());
      if (names.allNames.has(candidate.trimEnd())) lastIndex = nextIndex;
      if (!names.namePrefixes.has(candidate)) break;
    }
    const end = ends[lastIndex] ?? text.length;
    const part = text.slice(position, end).trim();
    if (part !== "") matches.push(matchOption(names, part));
    position = end + 1;
    firstIndex = lastIndex;
  }
  const remaining = text.slice(position).trim();
  return remaining === "" ? matches : [...matches, remaining];
}

/** Parses a JSON list, the notation of lossless CSV files. */
function readList(text: string): unknown[] | undefined {
  if (!text.trimStart().startsWith("[")) return undefined;
  try {
    const parsed = parseJson(text);
    return Array.isArray(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}
