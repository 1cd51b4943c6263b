import type { Field, Option } from "../definition/field";
import { parseJson } from "../json";
import { instantInZone } from "../time";

/** How the cells of a file are to be read. */
export interface Reading {
  /** Stored values as they are: an empty cell is an empty value, and nothing was defused. */
  lossless: boolean;
  /** Where times without a zone are. */
  zone: string;
  /** Numbers are written with a comma. */
  commas: boolean;
}

/** What a cell says of a field, as the API takes it; what makes no sense stays as it is, and is told by the API's rules. */
export function valueOfCell(field: Field, cell: string, reading: Reading): unknown {
  const text = reading.lossless ? cell : plain(cell);
  if (text === "") return null;
  switch (field.type) {
    case "number":
      return numberOf(text.trim(), reading) ?? text;
    case "boolean":
      return truths[text.trim().toLowerCase()] ?? text;
    case "select":
      return optionOf(field.options, text);
    case "multi_select":
      return listOf(text) ?? choicesOf(field.options, text);
    case "line_items":
      return listOf(text) ?? text;
    case "datetime": {
      const local = text.trim().replace(" ", "T");
      return /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?$/.test(local)
        ? (instantInZone(local, reading.zone) ?? text)
        : text;
    }
    case "text":
    case "multiline_text":
    case "date":
    case "email":
    case "url":
    case "phone":
    case "computed":
      return text;
  }
}

const truths: Record<string, boolean> = { true: true, yes: true, false: false, no: false };

/** Without the quote that keeps a spreadsheet from running a cell (documents/spreadsheet.ts). */
function plain(cell: string): string {
  return /^'(\s*[=+\-@]|[\t\r\n])/.test(cell) ? cell.slice(1) : cell;
}

function numberOf(text: string, { commas }: Reading): unknown {
  const written = commas && /^-?\d+,\d+$/.test(text) ? text.replace(",", ".") : text;
  return /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(written) ? parseJson(written) : undefined;
}

/** By value, or by label. */
function optionOf(options: readonly Option[], text: string): string {
  if (options.some(({ value }) => value === text)) return text;
  const wanted = text.trim().toLowerCase();
  return options.find(({ label }) => label.toLowerCase() === wanted)?.value ?? text;
}

const separator = /[,;\n]/;

/** Options with commas, semicolons or lines between; a label may have such of its own, so the longest one counts. */
function choicesOf(options: readonly Option[], text: string): string[] {
  const names = options
    .flatMap(({ value, label }) => [value, label])
    .toSorted((a, b) => b.length - a.length);
  const chosen: string[] = [];
  for (let rest = text.trim(); rest !== "";) {
    const lower = rest.toLowerCase();
    const known = names.find(
      (name) =>
        lower.startsWith(name.toLowerCase()) && /^\s*([,;\n]|$)/.test(rest.slice(name.length)),
    );
    const part =
      known === undefined ? (rest.split(separator, 1)[0] ?? "") : rest.slice(0, known.length);
    if (part.trim() !== "") chosen.push(optionOf(options, part.trim()));
    rest = rest.slice(part.length).trimStart().slice(1).trimStart();
  }
  return chosen;
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
