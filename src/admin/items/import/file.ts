import {
  finders,
  isLossless,
  matchColumns,
  ownTargets,
  targetsOf,
} from "../../../domain/import/columns";
import { CsvFault, parseCsv, type Csv } from "../../../domain/import/csv";
import { fingerprint, operationsBy, rowIds, type Plan } from "../../../domain/import/rows";
import { sha256 } from "../../../domain/credential/signature";
import type { Collection } from "../../../domain/definition/collection";
import type { Operation } from "../../../domain/item/batch-body";
import { problem, type FieldError } from "../../../domain/problem/problem";
import { textOf, type Sent } from "../../frame/sent";

/** What an import takes; larger files are cut, or go through the API. */
export const bounds = { bytes: 1_000_000, rows: 5000, columns: 100, cells: 120_000 };

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
  const text = await textSent(sent);
  if (bytesInForm(text) > bounds.bytes) throw refused("It has more than 1 MB.");
  const csv = parsed(text);
  const { length } = csv.header;
  if (length > bounds.columns) throw refused(`There are more than ${bounds.columns} columns.`);
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
    throw refused(`There are ${cells} cells; ${bounds.cells} are the most.`);
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

const refused = (reason: string, field = "file") =>
  problem.invalidInput([{ field, code: "invalid_format", reason }]);

async function textSent({ file, csv }: Sent): Promise<string> {
  if (!(file instanceof File) || file.size === 0) {
    const text = textOf(csv);
    if (text.trim() === "") throw refused("Choose a file, or paste what is in it.");
    return text;
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(
      await file.arrayBuffer(),
    );
  } catch {
    throw refused("It is not in UTF-8. In Excel, save it as “CSV UTF-8”.");
  }
}

function parsed(text: string): Csv {
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
    throw refused(`Line ${error.line}: ${error.message}`);
  }
  throw refused("There is a header, and no row below it.");
}

/** The choices of a page (`column.0`), or a list of them from a script; nothing where none was made yet. */
function columnsSent(sent: Sent, length: number): string[] | undefined {
  const named = Array.from({ length }, (_, i) => sent[`column.${i}`]);
  if (named.every((each) => each !== undefined)) return named.map(textOf);
  const listed = sent["columns"];
  if (!Array.isArray(listed)) return undefined;
  if (listed.length !== length) {
    throw refused("Name a field, or an empty text, for each column.", "columns");
  }
  return listed.map(textOf);
}

function wrongColumns(columns: readonly string[], collection: Collection): FieldError[] {
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

function findBy(sent: Sent, columns: readonly string[], collection: Collection): string {
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

/** What these rows ask for. */
export async function operationsOf(
  { csv, plan }: Import,
  collection: Collection,
  from = 0,
  to = csv.rows.length,
): Promise<Operation[]> {
  const rows = csv.rows.slice(from, to);
  const ids = await rowIds(collection, await sha256(fingerprint(collection, plan, csv)), rows);
  const operationOf = operationsBy(collection, plan);
  return rows.map((row, i) => operationOf(row, ids[i] ?? ""));
}
