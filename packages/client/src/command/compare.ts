import { isDeepStrictEqual } from "node:util";
import type { Line } from "./lines.ts";
import type { Field, Item } from "./service.ts";

/** Keys that the line and the stored item have different values of; `$status` is the status. */
export function differing(line: Line, item: Item, fields: readonly Field[]): string[] {
  const keys = dataDiffering(line.data, item.data, fields);
  const status = line.status !== undefined && "status" in item && item.status !== line.status;
  return status ? [...keys, "$status"] : keys;
}

type Values = Record<string, unknown>;

/** What a line leaves out is not compared, nor is what the service computes by itself. */
function dataDiffering(sent: Values, stored: Values, fields: readonly Field[]): string[] {
  return fields
    .filter(({ key, type }) => type !== "computed" && sent[key] !== undefined)
    .filter((field) => !isSame(field, sent[field.key], stored[field.key]))
    .map(({ key }) => key);
}

function isSame(field: Field, sent: unknown, stored: unknown): boolean {
  if (field.type !== "line_items") {
    return isDeepStrictEqual(meant(field.type, sent), meant(field.type, stored));
  }
  const [ours, theirs] = [sent ?? [], stored ?? []] as [Values[], Values[]];
  const columns = field.fields ?? [];
  return (
    ours.length === theirs.length &&
    ours.every((row, at) => dataDiffering(row, theirs[at] ?? {}, columns).length === 0)
  );
}

/** A value however it was written: the service keeps text in normal form C, days by their date, times in UTC. */
function meant(type: string, value: unknown): unknown {
  if (value === undefined || value === "") return null;
  if (Array.isArray(value)) return value.length === 0 ? null : value.map((each) => meant("", each));
  if (typeof value !== "string") return value;
  if (type === "date") return value.slice(0, 10);
  const time = type === "datetime" ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? value.normalize("NFC") : time;
}

/** Data as it is sent: what is computed would be ignored. */
export function sendable(data: Values, fields: readonly Field[]): Values {
  const kept = { ...data };
  for (const { key, type, fields: columns } of fields) {
    if (type === "computed") delete kept[key];
    const rows = kept[key];
    if (!columns || !Array.isArray(rows)) continue;
    kept[key] = rows.map((row) => sendable(row as Values, columns));
  }
  return kept;
}
