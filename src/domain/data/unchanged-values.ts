import { toCanonicalJson } from "#domain/json.ts";
import type { CompiledField, CompiledFields } from "./compile.ts";
import { presentValue, type Data, type LineItemRow, type Scalar, type Value } from "./values.ts";

/** The values of an item, or of the rows of a list, before a change. Unchanged values stay valid. */
export interface PriorValues {
  /** Returns the stored value whose public form equals `input`. In rows, returns the value of any such row. */
  findUnchanged(field: CompiledField, input: unknown): Value | undefined;
  /** The stored values of a slot. */
  values(slot: string): Value[];
  /** Whether a stored value equals or contains this value. */
  hadValue(slot: string, value: Scalar): boolean;
  /** Whether the value was already missing. An update may then omit it. */
  wasMissing(slot: string): boolean;
}

export const noPriorValues: PriorValues = {
  findUnchanged: () => undefined,
  values: () => [],
  hadValue: () => false,
  wasMissing: () => false,
};

export function priorItemValues(fields: CompiledFields, storedData: Data): PriorValues {
  return getKnown(fields, storedData, () => [storedData]);
}

/** Returns prior values of which only the files of the item stay valid. A check then repeats for all other values. */
export function priorFiles(fields: CompiledFields, storedData: Data): PriorValues {
  const slots = new Set(
    fields.list.filter(({ field }) => field.type === "files").map(({ slot }) => slot),
  );
  const prior = priorItemValues(fields, storedData);
  return { ...noPriorValues, values: (slot) => (slots.has(slot) ? prior.values(slot) : []) };
}

/**
 * Returns the prior values of rows. Rows have no identity, so a value counts as unchanged when any row had it in the
 * same column.
 */
export function priorRowValues(fields: CompiledFields, rows: readonly LineItemRow[]): PriorValues {
  return rows.length === 0 ? noPriorValues : getKnown(fields, rows, () => rows);
}

/**
 * The prior values, by the data or list that they come from. Operations of a batch that change the same item share
 * them.
 */
const known = new WeakMap<CompiledFields, WeakMap<object, PriorValues>>();

function getKnown(
  fields: CompiledFields,
  stored: object,
  rowsOf: () => readonly Data[],
): PriorValues {
  const ofFields = known.get(fields) ?? new WeakMap<object, PriorValues>();
  const values = ofFields.get(stored) ?? buildPriorValues(rowsOf());
  known.set(fields, ofFields.set(stored, values));
  return values;
}

function buildPriorValues(rows: readonly Data[]): PriorValues {
  const valuesByJson = new Map<string, Map<string, Value>>();
  const storedValues = new Map<string, Value[]>();
  const scalarSets = new Map<string, Set<unknown>>();
  // Collects the values of each slot only once, because many cells need them.
  const values = (slot: string) => {
    const cached = storedValues.get(slot);
    if (cached) return cached;
    const slotValues = rows.map((row) => row[slot]).filter((value) => value !== undefined);
    storedValues.set(slot, slotValues);
    return slotValues;
  };
  const missingSlots = new Map<string, boolean>();
  return {
    values,
    hadValue(slot, value) {
      const cached = scalarSets.get(slot) ?? new Set<unknown>(values(slot).flat());
      scalarSets.set(slot, cached);
      return cached.has(value);
    },
    findUnchanged(field, input) {
      const cached =
        valuesByJson.get(field.slot) ?? indexByCanonicalJson(field, values(field.slot));
      valuesByJson.set(field.slot, cached);
      return cached.size === 0
        ? undefined
        : cached.get(toCanonicalJson(withoutComputedColumns(field, input)));
    },
    wasMissing(slot) {
      const cached = missingSlots.get(slot) ?? values(slot).length < rows.length;
      missingSlots.set(slot, cached);
      return cached;
    },
  };
}

function indexByCanonicalJson(field: CompiledField, values: readonly Value[]): Map<string, Value> {
  return new Map(
    values.map((value) => [
      toCanonicalJson(withoutComputedColumns(field, presentValue(field, value))),
      value,
    ]),
  );
}

function isEmptyValue(value: unknown): boolean {
  return value === null || value === "" || (Array.isArray(value) && value.length === 0);
}

/** Drops computed columns and empty values, because neither makes a row different. */
function withoutComputedColumns({ rows }: CompiledField, input: unknown): unknown {
  if (!rows || !Array.isArray(input)) return input;
  return input.map((row: unknown) => {
    if (typeof row !== "object" || row === null) return row;
    return Object.fromEntries(
      Object.entries(row).filter(
        ([key, value]) => !isEmptyValue(value) && rows.byKey.get(key)?.field.type !== "computed",
      ),
    );
  });
}
