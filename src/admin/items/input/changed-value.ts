import type { Field, LineItemsField } from "../../../domain/definition/field";
import type { Sent } from "../../frame/sent";
import { sentRows, untouched, sentValue } from "./item-input";
import { writtenColumns, textsOf } from "./written";

type Data = Record<string, unknown>;

/** A changed value, with what was not touched within it as it is stored. */
export function changedValue(field: Field, sent: Sent, stored: unknown, zone: string): unknown {
  if (field.type === "line_items") return changedRows(field, sent, stored, zone);
  const value = sentValue(field, field.key, sent, zone);
  return field.type === "multi_select" ? inStoredOrder(textsOf(value), stored) : value;
}

function changedRows(field: LineItemsField, sent: Sent, stored: unknown, zone: string): Data[] {
  const before = Array.isArray(stored) ? (stored as Data[]) : [];
  return sentRows(field, sent, zone).map(({ was, cells }) => {
    const row = was === null ? undefined : before[was];
    if (!row) return cells;
    const kept = writtenColumns(field.fields).map((column) => {
      const [value, old] = [cells[column.key], row[column.key]];
      const same = JSON.stringify(value) === JSON.stringify(untouched(column, old, zone));
      if (same) return [column.key, old ?? null];
      const list = column.type === "multi_select";
      return [column.key, list ? inStoredOrder(textsOf(value), old) : value];
    });
    return Object.fromEntries(kept) as Data;
  });
}

function inStoredOrder(chosen: string[], stored: unknown): string[] {
  const wanted = new Set(chosen);
  const kept = new Set(textsOf(stored).filter((each) => wanted.has(each)));
  return [...kept, ...chosen.filter((each) => !kept.has(each))];
}
