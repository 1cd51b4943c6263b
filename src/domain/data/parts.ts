import type { CollectionAccess, Slots } from "./compile.ts";
import type { Data, LineItemRow, Value } from "./values.ts";

/** Returns the values that the caller sees. */
export const shownData = (access: CollectionAccess, data: Data): Data =>
  access.extent === "whole" ? data : pickSlots(data, access.parts.shown);

/** Returns the values in these slots. Omits rows without any of the columns. */
export function pickSlots(data: Data, slots: Slots): Data {
  const picked: Data = {};
  for (const [slot, columns] of slots) {
    const value = data[slot];
    if (value === undefined) continue;
    const rows = columns ? pickColumns(value, columns) : value;
    if (!columns || (rows as unknown[]).length > 0) picked[slot] = rows;
  }
  return picked;
}

const pickColumns = (value: Value, columns: readonly string[]): LineItemRow[] =>
  (value as LineItemRow[])
    .map((row) => Object.entries(row).filter(([slot]) => columns.includes(slot)))
    .filter((entries) => entries.length > 0)
    .map((entries) => Object.fromEntries(entries));

/**
 * Returns the size of the part that a narrow caller does not see, as limits count it: in whole steps. For most items,
 * the part is smaller than one step and counts as 0.
 */
export const inHiddenSteps = (kind: keyof typeof hiddenSteps, size: number): number =>
  size - (size % hiddenSteps[kind]);

export const hiddenSteps = { bytes: 32_000, readBytes: 2000, entries: 300, formulaSteps: 50_000 };
