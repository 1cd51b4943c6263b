import { isDeepStrictEqual } from "node:util";
import type { Line } from "./lines.ts";
import type { Field, Item } from "./service.ts";

/** Returns the keys whose values differ between the line and the stored item. `$status` stands for the status. */
export function differing(line: Line, item: Item, fields: readonly Field[]): string[] {
  const keys = differingData(line.data, item.data, fields);
  const status = line.status !== undefined && "status" in item && item.status !== line.status;
  return status ? [...keys, "$status"] : keys;
}

type Values = Record<string, unknown>;

/** Ignores fields that the line omits, and fields that the service computes. */
function differingData(sent: Values, stored: Values, fields: readonly Field[]): string[] {
  return fields
    .filter(({ key, type }) => type !== "computed" && sent[key] !== undefined)
    .filter((field) => !isSame(field, sent[field.key], stored[field.key]))
    .map(({ key }) => key);
}

function isSame(field: Field, sent: unknown, stored: unknown): boolean {
  if (field.type === "reference" && isOtherName(sent)) return typeof stored === "string";
  if (field.type !== "line_items") {
    return isDeepStrictEqual(normalized(field.type, sent), normalized(field.type, stored));
  }
  const [sentRows, storedRows] = [sent ?? [], stored ?? []] as [Values[], Values[]];
  const columns = field.fields ?? [];
  return (
    sentRows.length === storedRows.length &&
    sentRows.every(
      (row, index) => differingData(row, storedRows[index] ?? {}, columns).length === 0,
    )
  );
}

/** Whether a line names a record by its receipt number or a unique value. The service stores the ID instead. */
function isOtherName(sent: unknown): boolean {
  if (typeof sent === "string") return sent !== "" && !sent.startsWith("rec_");
  return typeof sent === "object" && sent !== null;
}

/** Converts a value to the service's form: text in normal form C, days as dates, times in UTC. */
function normalized(type: string, value: unknown): unknown {
  if (value === undefined || value === "") return null;
  if (Array.isArray(value))
    return value.length === 0 ? null : value.map((entry) => normalized("", entry));
  if (typeof value !== "string") return value;
  if (type === "date") return value.slice(0, 10);
  const time = type === "datetime" ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? value.normalize("NFC") : time;
}

/** Returns the data without computed fields, which the service would ignore. */
export function sendable(data: Values, fields: readonly Field[]): Values {
  const sendableData = { ...data };
  for (const { key, type, fields: columns } of fields) {
    if (type === "computed") delete sendableData[key];
    const rows = sendableData[key];
    if (!columns || !Array.isArray(rows)) continue;
    sendableData[key] = rows.map((row) => sendable(row as Values, columns));
  }
  return sendableData;
}
