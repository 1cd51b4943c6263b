import { CsvFault, parseCsv, type Csv } from "../../../domain/import/csv";
import { textOf, type Sent } from "../../frame/sent";
import { refusedFile } from "./refused-file";

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
