import { problem, type FieldError, Problem } from "#domain/problem/problem.ts";
import {
  lookupFields,
  itemTargets,
  isColumnTarget,
  targetKey,
  CsvError,
  parseCsv,
  type Csv,
  isLosslessExport,
  matchColumns,
  type ImportPlan,
} from "#domain/import/csv.ts";
import { findSpreadsheetWords } from "#domain/import/spreadsheet.ts";
import type { DateFormat } from "#domain/import/cells.ts";
import type { Collection } from "#domain/definition/collection.ts";
import { textOf, type FormValues } from "#admin/form-input.ts";
import type { CheckedRow, RowOutcome } from "#actions/import-rows.ts";
import type { Catalogue } from "#admin/language/en/index.ts";

type Reasons = Catalogue["itemImport"]["reasons"];

const invalidFile = (reason: string, field = "file") =>
  problem.invalidInput([{ field, code: "invalid_format", reason }]);

/**
 * Reads the targets of the columns: `column.N` from a form, `columns` from a script. Undefined before the member has
 * chosen.
 */
function readColumns(form: FormValues, length: number, reasons: Reasons): string[] | undefined {
  const inputs = Array.from({ length }, (_, i) => form[`column.${i}`]);
  if (inputs.every((input) => input !== undefined)) return inputs.map(textOf);
  const targets = form["columns"];
  if (!Array.isArray(targets)) return undefined;
  if (targets.length !== length) {
    throw invalidFile(reasons.columns, "columns");
  }
  return targets.map(textOf);
}

function findColumnErrors(
  columns: readonly string[],
  collection: Collection,
  reasons: Reasons,
): FieldError[] {
  const keys = columns.map(targetKey);
  return columns.flatMap((target, i): FieldError[] => {
    const isKnown = target === "" || isColumnTarget(target, collection);
    if (isKnown && (target === "" || keys.indexOf(targetKey(target)) === i)) return [];
    const reason = isKnown ? reasons.filledTwice : reasons.unknownField;
    return [{ field: `column.${i}`, code: "not_an_option", reason }];
  });
}

function readMatchTarget(
  form: FormValues,
  columns: readonly string[],
  collection: Collection,
): string {
  const targets = matchTargets(columns, collection);
  const target = textOf(form["by"]);
  return targets.includes(target) ? target : "";
}

/** Returns the columns that can identify existing items: the id and unique fields. */
export function matchTargets(columns: readonly string[], collection: Collection): string[] {
  const uniqueKeys = lookupFields(collection).map(({ key }) => key);
  return [itemTargets.id, ...uniqueKeys].filter((target) => columns.includes(target));
}

/** Limits of one import. Larger files must be split or sent through the API. */
export const importLimits = { bytes: 1_000_000, rows: 5000, columns: 100, cells: 40_000 };

const encodings = ["utf-8", "shift_jis"] as const;
type Encoding = (typeof encodings)[number];

/**
 * Returns the text of the file. In later steps, returns the text that the form contains, with the encoding of its file.
 */
async function readCsvText(
  { file, csv, encoding }: FormValues,
  locale: string,
  reasons: Reasons,
): Promise<{ text: string; encoding: Encoding }> {
  if (!(file instanceof File) || file.size === 0) {
    const text = textOf(csv);
    if (text.trim() === "") throw invalidFile(reasons.noFile);
    return { text, encoding: encodings.find((name) => name === encoding) ?? "utf-8" };
  }
  const bytes = await file.arrayBuffer();
  const text = decode(bytes, "utf-8");
  if (text !== undefined) return { text, encoding: "utf-8" };
  const japaneseText = decode(bytes, "shift_jis");
  // Some files in Western encodings are also valid Shift_JIS. They contain no kana.
  if (japaneseText === undefined || !(locale.startsWith("ja") || hasKana(japaneseText)))
    throw invalidFile(reasons.notUtf8);
  return { text: japaneseText, encoding: "shift_jis" };
}

const hasKana = (text: string) => /[\u3041-\u30fe]/.test(text);

function decode(bytes: ArrayBuffer, encoding: Encoding): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function parseRows(text: string, delimiter: string | undefined, reasons: Reasons): Csv {
  try {
    const csv = parseCsv(text, importLimits.rows, delimiter);
    const { length } = csv.header;
    const unevenRow = csv.rows.find(({ cells }) => cells.length !== length);
    if (unevenRow) {
      const count = unevenRow.cells.length;
      throw new CsvError(unevenRow.line, reasons.uneven(count, length));
    }
    if (csv.rows.length > 0) return csv;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw invalidFile(reasons.atLine(error.line, error.message));
  }
  throw invalidFile(reasons.noRows);
}

/** The notation of values in the file. `auto` detects it from the file. */
export interface FileFormats {
  delimiter: "auto" | "comma" | "semicolon" | "tab";
  numbers: "auto" | "point" | "comma";
  dates: DateFormat;
}

const delimiters = { auto: undefined, comma: ",", semicolon: ";", tab: "\t" };
const numberFormats = { auto: undefined, point: "point", comma: "comma" } as const;

/** The choices for each format. */
export const formatChoices: { [Name in keyof FileFormats]: readonly FileFormats[Name][] } = {
  delimiter: ["auto", "comma", "semicolon", "tab"],
  numbers: ["auto", "point", "comma"],
  dates: ["iso", "day_first", "month_first"],
};

/**
 * Returns the usual date format. The service's own downloads for spreadsheets use the format of the reader's locale.
 */
function usualDates(header: readonly string[], locale: string): DateFormat {
  if (!findSpreadsheetWords(header)) return "iso";
  const parts = new Intl.DateTimeFormat(locale, { calendar: "gregory" }).formatToParts(0);
  const [first] = parts.filter(({ type }) => type !== "literal");
  if (first?.type === "day") return "day_first";
  return first?.type === "month" ? "month_first" : "iso";
}

/**
 * Returns the usual number format. In English and Japanese, a comma separates thousands. Files with semicolons come
 * from regions where it is the decimal separator.
 */
function usualNumbers({ delimiter, header }: Csv, locale: string): ImportPlan["numbers"] {
  if (delimiter === ";") return "plain_comma";
  const hasPoint = new Intl.NumberFormat(locale).format(1.5).includes(".");
  return hasPoint && !isLosslessExport(header) ? "point" : "plain";
}

/** Reads the chosen format. Undefined before the member has chosen. */
function readFormat<Name extends keyof FileFormats>(
  form: FormValues,
  name: Name,
  reasons: Reasons,
): FileFormats[Name] | undefined {
  const choices: readonly FileFormats[Name][] = formatChoices[name];
  const formatName = textOf(form[name]);
  const choice = choices.find((value) => value === formatName);
  if (choice || formatName === "") return choice;
  const allowed = choices.map((value) => `"${value}"`).join(", ");
  throw invalidFile(reasons.notAllowed(allowed), name);
}

/** A submitted file with the plan for its import. */
export interface ImportFile {
  text: string;
  /** The encoding of the uploaded file. */
  encoding: Encoding;
  csv: Csv;
  plan: ImportPlan;
  formats: FileFormats;
  /** Errors in the chosen column targets. */
  columnErrors: FieldError[];
}

/**
 * Parses the uploaded file or the pasted text, and the choices for the import. `locale` is the locale of the reader.
 */
export async function parseImport(
  form: FormValues,
  collection: Collection,
  reasons: Reasons,
  locale: string,
): Promise<ImportFile> {
  const { text, encoding } = await readCsvText(form, locale, reasons);
  // Text in UTF-16 contains U+0000, which pages replace. The next step would then import other values than the reviewed
  // ones.
  if (text.includes("\0")) throw invalidFile(reasons.notUtf8);
  if (bytesInForm(text) > importLimits.bytes) throw invalidFile(reasons.tooLarge);
  const delimiter = readFormat(form, "delimiter", reasons) ?? "auto";
  const numbers = readFormat(form, "numbers", reasons) ?? "auto";
  const chosenDates = readFormat(form, "dates", reasons);
  const csv = parseRows(text, delimiters[delimiter], reasons);
  const dates = chosenDates ?? usualDates(csv.header, locale);
  const { length } = csv.header;
  if (length > importLimits.columns)
    throw invalidFile(reasons.tooManyColumns(importLimits.columns));
  const columns = readColumns(form, length, reasons) ?? matchColumns(csv.header, collection);
  const plan: ImportPlan = {
    columns,
    by: readMatchTarget(form, columns, collection),
    isLossless: isLosslessExport(csv.header),
    zone: collection.definition.time_zone,
    numbers: numberFormats[numbers] ?? usualNumbers(csv, locale),
    dates,
  };
  const cells = countFilledCells(csv, columns);
  if (cells > importLimits.cells)
    throw invalidFile(reasons.tooManyCells(cells, importLimits.cells));
  const columnErrors = findColumnErrors(columns, collection, reasons);
  return { text, encoding, csv, plan, formats: { delimiter, numbers, dates }, columnErrors };
}

/** Returns the size of the text in the form of the next step, where lines end with CRLF. */
function bytesInForm(text: string): number {
  return new TextEncoder().encode(text.replaceAll(/\r\n?|\n/g, "\r\n")).length;
}

/** Counts the cells with content in the imported columns. */
function countFilledCells({ rows }: Csv, columns: readonly string[]): number {
  const indexes = columns.flatMap((target, index) => (target === "" ? [] : [index]));
  return rows.reduce(
    (sum, { cells }) => sum + indexes.filter((index) => cells[index] !== "").length,
    0,
  );
}

/** A row that would change an existing item. */
export type ChangedRow = NonNullable<CheckedRow["change"]> & { line: number };

export function changedRows({ csv }: ImportFile, checkedRows: readonly CheckedRow[]): ChangedRow[] {
  return checkedRows.flatMap(({ change }, index) =>
    change ? [{ ...change, line: csv.rows[index]?.line ?? 0 }] : [],
  );
}

/** The number of rows by outcome. */
export interface OutcomeCounts {
  created: number;
  updated: number;
  unchanged: number;
  refused: number;
}

export const zeroCounts: OutcomeCounts = { created: 0, updated: 0, unchanged: 0, refused: 0 };

export function countOutcomes(
  outcomes: readonly RowOutcome[],
  initial = zeroCounts,
): OutcomeCounts {
  const counts = { ...initial };
  for (const outcome of outcomes) {
    if (outcome instanceof Problem) counts.refused += 1;
    else if (outcome !== "deleted") counts[outcome] += 1;
  }
  return counts;
}
