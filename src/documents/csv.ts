import type { CollectionKind } from "../domain/definition/collection";

/** What CSV is made of: an item as the API shows it. */
export type CsvItem = { data: Record<string, unknown> } & Record<string, unknown>;

/** A way to write items as lines; an item can be several. */
export interface CsvLayout {
  header(): string;
  lines(item: CsvItem): string;
}

/** The members of an item besides its data, in the order of their columns. */
export const systemMembers: Record<CollectionKind, readonly string[]> = {
  app: ["id", "receipt_number", "version", "created_at", "created_by", "updated_at", "updated_by"],
  form: ["id", "status", "version", "created_at", "created_by", "updated_at", "updated_by"],
};

/**
 * RFC 4180 with a header, and lossless: what is stored is what is written. Nothing is an empty cell, and line items and
 * lists are JSON in theirs.
 */
export function losslessCsv(kind: CollectionKind, keys: readonly string[]): CsvLayout {
  const system = systemMembers[kind];
  return {
    header: () => csvLine([...system.map((name) => `$${name}`), ...keys]),
    lines: (item) =>
      csvLine([
        ...system.map((name) => cell(item[name])),
        ...keys.map((key) => cell(item.data[key])),
      ]),
  };
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

export function csvLine(cells: readonly string[], delimiter = ","): string {
  return `${cells.map((each) => quoted(each, delimiter)).join(delimiter)}\r\n`;
}

function quoted(text: string, delimiter: string): string {
  const isPlain = !/["\r\n]/.test(text) && !text.includes(delimiter) && text.trim() === text;
  return isPlain ? text : `"${text.replaceAll('"', '""')}"`;
}
