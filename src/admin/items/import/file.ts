import { isLossless, matchColumns } from "../../../domain/import/columns";
import type { Csv } from "../../../domain/import/csv";
import type { Plan } from "../../../domain/import/rows";
import type { Collection } from "../../../domain/definition/collection";
import type { FieldError } from "../../../domain/problem/problem";
import type { Sent } from "../../frame/sent";
import { bounds, sentText, parseRows } from "./sent-text";
import { refusedFile } from "./refused-file";
import { columnsSent, wrongColumns, findBy } from "./columns-sent";

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
