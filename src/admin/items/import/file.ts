import { problem, type FieldError, Problem } from "#domain/problem/problem.ts";
import { finders, ownTargets, targetsOf, CsvFault, parseCsv, type Csv, isLossless, matchColumns, type Plan, type CsvLine } from "#domain/import/csv.ts";
import type { Collection } from "#domain/definition/collection.ts";
import { textOf, type Sent } from "#admin/form-input.ts";
import type { RowOutcome } from "#actions/import-rows.ts";

export const refusedFile = (reason: string, field = "file") =>
  problem.invalidInput([{ field, code: "invalid_format", reason }]);

/** The choices of a page (`column.0`), or a list of them from a script; nothing where none was made yet. */
export function columnsSent(sent: Sent, length: number): string[] | undefined {
  const named = Array.from({ length }, (_, i) => sent[`column.${i}`]);
  if (named.every((each) => each !== undefined)) return named.map(textOf);
  const listed = sent["columns"];
  if (!Array.isArray(listed)) return undefined;
  if (listed.length !== length) {
    throw refusedFile("Name a field, or an empty text, for each column.", "columns");
  }
  return listed.map(textOf);
}

export function wrongColumns(columns: readonly string[], collection: Collection): FieldError[] {
  const targets = targetsOf(collection);
  return columns.flatMap((target, i): FieldError[] => {
    const isKnown = target === "" || targets.includes(target);
    if (isKnown && (target === "" || columns.indexOf(target) === i)) return [];
    const reason = isKnown
      ? "A column before this one has it: a field is filled by one."
      : "There is no such field.";
    return [{ field: `column.${i}`, code: "not_an_option", reason }];
  });
}

export function findBy(sent: Sent, columns: readonly string[], collection: Collection): string {
  const possible = findersOf(columns, collection);
  // Those that are there already are changed, unless somebody says otherwise: nothing is there twice.
  if (sent["by"] === undefined) return possible[0] ?? "";
  const by = textOf(sent["by"]);
  return possible.includes(by) ? by : "";
}

/** What items can be found by, among the columns. */
export function findersOf(columns: readonly string[], collection: Collection): string[] {
  const unique = finders(collection).map(({ key }) => key);
  return [ownTargets.id, ...unique].filter((target) => columns.includes(target));
}

/** What an import takes; larger files are cut, or go through the API. */
export const bounds = { bytes: 1_000_000, rows: 5000, columns: 100, cells: 120_000 };

export async function sentText({ file, csv }: Sent): Promise<string> {
  if (!(file instanceof File) || file.size === 0) {
    const text = textOf(csv);
    if (text.trim() === "") throw refusedFile("Choose a file, or paste what is in it.");
    return text;
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(
      await file.arrayBuffer(),
    );
  } catch {
    throw refusedFile("It is not in UTF-8. In Excel, save it as “CSV UTF-8”.");
  }
}

export function parseRows(text: string): Csv {
  try {
    const csv = parseCsv(text, bounds.rows);
    const { length } = csv.header;
    const odd = csv.rows.find(({ cells }) => cells.length !== length);
    if (odd) {
      throw new CsvFault(odd.line, `It has ${odd.cells.length} cells in place of ${length}.`);
    }
    if (csv.rows.length > 0) return csv;
  } catch (error) {
    if (!(error instanceof CsvFault)) throw error;
    throw refusedFile(`Line ${error.line}: ${error.message}`);
  }
  throw refusedFile("There is a header, and no row below it.");
}

/** A file as it was sent, with what is to become of it. */
export interface Import {
  text: string;
  csv: Csv;
  plan: Plan;
  /** What cannot be of what was chosen for the columns. */
  wrong: FieldError[];
}

/** Reads the file, or the text that was pasted, and the choices that go with it. */
export async function readImport(sent: Sent, collection: Collection): Promise<Import> {
  const text = await sentText(sent);
  if (bytesInForm(text) > bounds.bytes) throw refusedFile("It has more than 1 MB.");
  const csv = parseRows(text);
  const { length } = csv.header;
  if (length > bounds.columns) throw refusedFile(`There are more than ${bounds.columns} columns.`);
  const columns = columnsSent(sent, length) ?? matchColumns(csv.header, collection);
  const plan: Plan = {
    columns,
    by: findBy(sent, columns, collection),
    lossless: isLossless(csv.header),
    zone: collection.definition.time_zone,
    commas: csv.delimiter === ";",
  };
  const cells = filledCells(csv, columns);
  if (cells > bounds.cells)
    throw refusedFile(`There are ${cells} cells; ${bounds.cells} are the most.`);
  return { text, csv, plan, wrong: wrongColumns(columns, collection) };
}

/** What it takes in the form of the next step, in which lines end with two characters; the choices come with it. */
function bytesInForm(text: string): number {
  return new TextEncoder().encode(text.replaceAll(/\r\n?|\n/g, "\r\n")).length;
}

/** How many cells are imported that say something. */
function filledCells({ rows }: Csv, columns: readonly string[]): number {
  const places = columns.flatMap((target, at) => (target === "" ? [] : [at]));
  return rows.reduce((sum, { cells }) => sum + places.filter((at) => cells[at] !== "").length, 0);
}

/** What is wrong with a row: with one of its columns, or with the whole of it (−1). */
export interface Fault {
  column: number;
  /** The column's heading, and where in its value; empty for the whole row. */
  place: string;
  reason: string;
}

export interface Refused {
  row: CsvLine;
  faults: Fault[];
}

export function refusedRows(
  { csv, plan }: Import,
  outcomes: readonly RowOutcome[],
  collection: Collection,
): Refused[] {
  return outcomes.flatMap((outcome, index): Refused[] => {
    const row = csv.rows[index];
    if (!(outcome instanceof Problem) || !row) return [];
    return [{ row, faults: faultsOf(outcome, plan.columns, collection) }];
  });
}

function faultsOf(
  { detail, members }: Problem,
  columns: readonly string[],
  { definition }: Collection,
): Fault[] {
  const own = members["field"] === undefined ? [] : [{ ...members, reason: detail }];
  const errors = (members["errors"] ?? own) as Pick<FieldError, "field" | "reason">[];
  if (errors.length === 0) return [{ column: -1, place: "", reason: detail }];
  return errors.map(({ field, reason }) => {
    const name = field.replace(/^operations\[\d+\]\.?(data\.)?/, "");
    const [key = "", rest = ""] = /^([^.[]*)(.*)$/.exec(name)?.slice(1) ?? [];
    const label = definition.fields.fields.find((each) => each.key === key)?.label ?? key;
    const target = key === "id" || key === "status" ? `$${key}` : key;
    return {
      column: columns.indexOf(columns.includes(key) ? key : target),
      place: label === "" ? "" : `${label}${rest}`,
      reason: reason.replace(`"${key}"`, `“${label}”`),
    };
  });
}

export const told = ({ place, reason }: Fault) => (place === "" ? reason : `${place}: ${reason}`);

/** How many rows became what. */
export interface Counts {
  created: number;
  updated: number;
  unchanged: number;
  refused: number;
}

export const none: Counts = { created: 0, updated: 0, unchanged: 0, refused: 0 };

export function countsOf(outcomes: readonly RowOutcome[], before = none): Counts {
  const counts = { ...before };
  for (const outcome of outcomes) {
    if (outcome instanceof Problem) counts.refused += 1;
    else if (outcome !== "deleted") counts[outcome] += 1;
  }
  return counts;
}
