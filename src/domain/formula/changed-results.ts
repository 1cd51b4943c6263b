import type { CompiledCollection, CompiledFields } from "#domain/data/compile.ts";
import type { Definition } from "#domain/definition/collection.ts";
import {
  computedFields,
  type ComputedField,
  type Field,
  type FieldSet,
} from "#domain/definition/field.ts";
import type { Formula } from "./compile.ts";
import type { FormulaReads } from "./rewrite.ts";

/**
 * Returns the ids of the results that can change in stored items when the definition changes from `before` to `after`
 * and the results `recalculated` are computed again. Includes columns. A result changes with its formula, with the
 * fields that the formula reads, and with the results that it reads.
 */
export function changedResults(
  before: Definition,
  after: CompiledCollection,
  recalculated: readonly number[],
): Set<number> {
  const { definition } = after.collection;
  const formerResults = new Map(computedFields(before.fields).map((field) => [field.id, field]));
  const isOtherZone = before.time_zone !== definition.time_zone;
  const hasChanged = ({ field, reads }: Formula, { fields, formerFields }: Level): boolean => {
    const former = formerResults.get(field.id);
    return (
      former === undefined ||
      describeResult(former) !== describeResult(field) ||
      namesRead(reads, formerFields) !== namesRead(reads, fields) ||
      (isOtherZone && (reads.readsZone || field.result === "date"))
    );
  };
  const levels = formulaLevels(definition.fields, after.fields, before.fields);
  const changed = new Set(recalculated);
  const collect = (isChanged: typeof hasChanged) => {
    for (const level of levels)
      for (const formula of level.formulas)
        if (isChanged(formula, level)) changed.add(formula.field.id);
  };
  collect(hasChanged);
  if (changed.size === 0) return changed;
  // A recalculation computes all results of an item, so `today()` returns another day.
  collect(({ reads }) => reads.readsDay);
  // The formulas are in dependency order, so each one follows the formulas that it reads.
  collect(({ reads }, { fields }) => fieldsRead(reads, fields).some(({ id }) => changed.has(id)));
  return changed;
}

const describeResult = ({ formula, result, decimals }: ComputedField) =>
  JSON.stringify([formula, result, decimals]);

type Fields = ReadonlyMap<string, Field>;

/** Formulas that read the same fields: the formulas in the rows of a list, or the formulas of the item. */
interface Level {
  formulas: readonly Formula[];
  fields: Fields;
  /** The fields of the former definition. */
  formerFields: Fields;
}

const byKey = (fields: readonly Field[]): Fields =>
  new Map(fields.map((field) => [field.key, field]));

/** Returns the levels of a collection. The lists come before the item, because the item's formulas read them. */
function formulaLevels(
  after: FieldSet,
  { list, formulas }: CompiledFields,
  before: FieldSet,
): Level[] {
  const formerLists = new Map(before.fields.map((field) => [field.id, field]));
  const rowLevels = list.flatMap(({ field, rows }): Level[] => {
    if (field.type !== "line_items" || !rows) return [];
    const former = formerLists.get(field.id);
    const formerFields = byKey(former?.type === "line_items" ? former.fields : []);
    return [{ formulas: rows.formulas, fields: byKey(field.fields), formerFields }];
  });
  const level = { formulas, fields: byKey(after.fields), formerFields: byKey(before.fields) };
  return [...rowLevels, level];
}

/**
 * Returns the fields and columns that a formula reads, as `KEY=ID` or `KEY.KEY=ID`, ordered by key. A field that
 * changes its type gets another id.
 */
const namesRead = (reads: FormulaReads, fields: Fields): string =>
  fieldsRead(reads, fields)
    .map(({ name, id }) => `${name}=${id}`)
    .toSorted()
    .join();

function fieldsRead({ keys, columns }: FormulaReads, fields: Fields) {
  return [...keys].flatMap((name) => {
    const field = fields.get(name);
    if (!field) return [];
    const { id } = field;
    if (field.type !== "line_items") return [{ name, id }];
    const columnsRead = field.fields.filter(({ key }) => columns?.has(key) ?? true);
    return [
      { name, id },
      ...columnsRead.map(({ key, id: columnId }) => ({ name: `${name}.${key}`, id: columnId })),
    ];
  });
}
