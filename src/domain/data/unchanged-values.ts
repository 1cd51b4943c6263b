import { canonical } from "#domain/json.ts";
import type { CompiledField } from "./compile.ts";
import { showValue, type Data, type Row, type Scalar, type Value } from "./values.ts";

/** What an item, or the rows of a list, had before a change: values that are sent back unchanged stay valid. */
export interface Before {
  /** The stored value, where `sent` is what is shown of it; of any row, in rows. */
  same(field: CompiledField, sent: unknown): Value | undefined;
  /** The stored values of a slot. */
  values(slot: string): Value[];
  /** Whether one of them is, or holds, this value. */
  had(slot: string, value: Scalar): boolean;
  /** Whether there was no value: then none is missing now that was not missing before. */
  lacked(slot: string): boolean;
}

export const nothingBefore: Before = {
  same: () => undefined,
  values: () => [],
  had: () => false,
  lacked: () => false,
};

export function storedBefore(stored: Data): Before {
  return beforeOf([stored]);
}

/** Rows have no identity: a value is unchanged in its column when any of them had it there. */
export function rowsBefore(rows: readonly Row[]): Before {
  return rows.length === 0 ? nothingBefore : beforeOf(rows);
}

function beforeOf(all: readonly Data[]): Before {
  const shown = new Map<string, Map<string, Value>>();
  const stored = new Map<string, Value[]>();
  const held = new Map<string, Set<unknown>>();
  // Each slot is gathered once, however many cells ask for it.
  const values = (slot: string) => {
    const known = stored.get(slot);
    if (known) return known;
    const found = all.map((each) => each[slot]).filter((each) => each !== undefined);
    stored.set(slot, found);
    return found;
  };
  const lacking = new Map<string, boolean>();
  return {
    values,
    had(slot, value) {
      const known = held.get(slot) ?? new Set<unknown>(values(slot).flat());
      held.set(slot, known);
      return known.has(value);
    },
    same(field, sent) {
      const known = shown.get(field.slot) ?? shownValues(field, values(field.slot));
      shown.set(field.slot, known);
      return known.size === 0 ? undefined : known.get(canonical(withoutComputed(field, sent)));
    },
    lacked(slot) {
      const known = lacking.get(slot) ?? values(slot).length < all.length;
      lacking.set(slot, known);
      return known;
    },
  };
}

function shownValues(field: CompiledField, stored: readonly Value[]): Map<string, Value> {
  return new Map(
    stored.map((value) => [canonical(withoutComputed(field, showValue(field, value))), value]),
  );
}

function isNothing(value: unknown): boolean {
  return value === null || value === "" || (Array.isArray(value) && value.length === 0);
}

/** Values that are sent for computed columns are ignored, and so is whether they are sent; null is what is not there. */
function withoutComputed({ rows }: CompiledField, sent: unknown): unknown {
  if (!rows || !Array.isArray(sent)) return sent;
  return sent.map((row: unknown) => {
    if (typeof row !== "object" || row === null) return row;
    return Object.fromEntries(
      Object.entries(row).filter(
        ([key, value]) => !isNothing(value) && rows.byKey.get(key)?.field.type !== "computed",
      ),
    );
  });
}
