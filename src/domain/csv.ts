import type { CollectionKind } from "./definition/collection";

/** RFC 4180, with a header. Line items and lists are JSON in their cell. */
const system: Record<CollectionKind, readonly string[]> = {
  app: ["id", "receipt_number", "version", "created_at", "updated_at"],
  form: ["id", "status", "version", "created_at", "updated_at"],
};

export function csvHeader(kind: CollectionKind, keys: readonly string[]): string {
  return line([...system[kind].map((name) => `$${name}`), ...keys]);
}

type Row = { data: Record<string, unknown> } & Record<string, unknown>;

export function csvRow(document: Row, keys: readonly string[]): string {
  const kind = "receipt_number" in document ? "app" : "form";
  const own = system[kind].map((name) => document[name]);
  return line([...own, ...keys.map((key) => document.data[key])]);
}

function line(values: readonly unknown[]): string {
  return `${values.map(cell).join(",")}\r\n`;
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "object") return quoted(JSON.stringify(value));
  return typeof value === "string" ? quoted(harmless(value)) : JSON.stringify(value);
}

/** Spreadsheets run cells that begin like a formula (OWASP, CSV injection): a quote in front keeps them text. */
function harmless(text: string): string {
  return /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
