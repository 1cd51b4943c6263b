/** A line of a CSV file, as its cells; a quoted cell may span several lines. */
export interface CsvLine {
  /** Where it begins; the first line is 1. */
  line: number;
  cells: string[];
}

export interface Csv {
  delimiter: string;
  /** What the first line says. */
  header: string[];
  rows: CsvLine[];
}

/** Why a text is no CSV, and where. */
export class CsvFault extends Error {
  readonly line: number;

  constructor(line: number, reason: string) {
    super(reason);
    this.line = line;
  }
}

const delimiters = [",", ";", "\t"];

/**
 * Reads CSV as RFC 4180 has it, with commas, semicolons or tabs, whichever the first line has most of. Line ends are all
 * read as \n, those within quotes too, since forms send them otherwise than they were. Empty lines are none.
 */
export function parseCsv(sent: string, mostRows: number): Csv {
  const text = sent.replace(/^\uFEFF/, "").replaceAll(/\r\n?/g, "\n");
  const delimiter = delimiterOf(text);
  const lines = linesOf(text, delimiter, mostRows + 1);
  const [first, ...rows] = lines;
  if (!first) throw new CsvFault(1, "There is nothing in it.");
  return { delimiter, header: first.cells.map((cell) => cell.trim()), rows };
}

function delimiterOf(text: string): string {
  const [first = ""] = text.trimStart().split("\n", 1);
  const bare = first.replaceAll(/"[^"]*"/g, "");
  const count = (delimiter: string) => bare.split(delimiter).length;
  return delimiters.reduce((best, each) => (count(each) > count(best) ? each : best));
}

function linesOf(text: string, delimiter: string, most: number): CsvLine[] {
  const lines: CsvLine[] = [];
  let line = 1;
  for (let at = 0; at < text.length; at += 1) {
    const cells: string[] = [];
    const start = line;
    for (;;) {
      const { cell, end } = cellAt(text, at, delimiter, start);
      cells.push(cell);
      line += text.slice(at, end).split("\n").length - 1;
      at = end;
      if (text[at] !== delimiter) break;
      at += 1;
    }
    line += 1;
    if (cells.length === 1 && cells[0] === "") continue;
    if (lines.length === most) throw new CsvFault(start, `There are more than ${most - 1} rows.`);
    lines.push({ line: start, cells });
  }
  return lines;
}

/** The cell that begins here, and where it ends: at a delimiter, a line end, or the end of all. */
function cellAt(text: string, at: number, delimiter: string, line: number) {
  if (text[at] !== '"') {
    let end = at;
    while (end < text.length && text[end] !== delimiter && text[end] !== "\n") end += 1;
    return { cell: text.slice(at, end), end };
  }
  let cell = "";
  for (let from = at + 1; ;) {
    const quote = text.indexOf('"', from);
    if (quote === -1) throw new CsvFault(line, "A quote is opened and not closed.");
    cell += text.slice(from, quote);
    if (text[quote + 1] !== '"') return { cell, end: closed(text, quote + 1, delimiter, line) };
    cell += '"';
    from = quote + 2;
  }
}

function closed(text: string, end: number, delimiter: string, line: number): number {
  const next = text[end];
  if (next === undefined || next === delimiter || next === "\n") return end;
  throw new CsvFault(line, "Something follows a closing quote; a quote within a cell is doubled.");
}
