import type { Field, LineItemsField } from "#domain/definition/field.ts";
import { type Sent, textOf } from "#admin/form-input.ts";
import { sentRows, untouched, sentValue, fieldsWithInputs } from "./read-form.ts";
import { writtenColumns, textsOf } from "./values.ts";
import { digestOf } from "#domain/cursor.ts";
import { isObject } from "#domain/json.ts";

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

/** What somebody saw when a form was drawn: a digest of each field's value, so that only what differs is a change. */
export type Seen = Record<string, string>;

const written = (value: unknown) => digestOf(JSON.stringify(value) ?? "");
const inputs = (fields: readonly Field[]) => fields.filter(({ type }) => type !== "computed");

export async function digestSeen(
  fields: readonly Field[],
  data: Data,
  zone: string,
): Promise<Seen> {
  const entries = fieldsWithInputs(fields, data).map(async (field) => {
    return [field.key, await written(untouched(field, data[field.key], zone))] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** What a form says was seen; nothing where it is no form of ours. */
export function seenSent(sent: Sent): Seen | undefined {
  try {
    const parsed: unknown = JSON.parse(textOf(sent["$seen"]));
    if (!isObject(parsed)) return undefined;
    return Object.fromEntries(Object.entries(parsed).map(([key, value]) => [key, textOf(value)]));
  } catch {
    return undefined;
  }
}

export interface Changes {
  /** What was written, by key: as the API takes it. */
  mine: Data;
  /** Fields that somebody else changed since. */
  theirs: Field[];
  /** Fields that both changed, to different values, and that nobody has chosen for yet. */
  both: Field[];
}

/** Compares what was sent with what was seen and what is stored now. */
export async function compareChanges(
  fields: readonly Field[],
  sent: Sent,
  seen: Seen,
  stored: Data,
  zone: string,
): Promise<Changes> {
  const changes: Changes = { mine: {}, theirs: [], both: [] };
  for (const field of inputs(fields)) {
    const { key } = field;
    const [own, now] = await Promise.all([
      written(sentValue(field, key, sent, zone)),
      written(untouched(field, stored[key], zone)),
    ]);
    const before = seen[key];
    // A field that the form did not have yet is nobody's change.
    if (before === undefined) continue;
    if (now !== before) changes.theirs.push(field);
    if (own === before || own === now || sent[`$keep.${key}`] === "theirs") continue;
    changes.mine[key] = changedValue(field, sent, stored[key], zone);
    if (now !== before) changes.both.push(field);
  }
  return changes;
}
