import type { Collection, View } from "#domain/definition/collection.ts";
import type { Field, FieldSet, RowField } from "#domain/definition/field.ts";
import { parseView } from "#domain/search/view.ts";
import { fileKeys } from "#domain/files/sent-file.ts";
import { conditionsOf, viewOf } from "./access.ts";
import { hasReferences } from "./references.ts";
import type { ParsedSearch, Search } from "#domain/search/tree.ts";
import { keyBytesOf } from "./compile.ts";
import type {
  CompiledCollection,
  CompiledField,
  CompiledFields,
  ItemParts,
  NarrowCollection,
  CollectionAccess,
  Slots,
} from "./compile.ts";

export type { NarrowCollection, CollectionAccess } from "./compile.ts";
export { conditionsOf, viewOf, wholeCollection } from "./access.ts";

/**
 * Creates the search of a caller over the part that it sees. No other function creates a search, so every search has
 * this limit.
 */
export function searchThrough(access: CollectionAccess, search: ParsedSearch): Search {
  const conditions = [...conditionsOf(access), ...search.conditions];
  const shownBy = viewOf(access);
  return { ...search, conditions, shownBy } as Search;
}

/** Returns the part of a collection that a view shows. It needs no formulas, so this compiles none. */
export function shownCollection(collection: Collection, view: View): Collection {
  const { fields } = collection.definition.fields;
  const shown = shownKeys(collection, view);
  const definition = {
    ...collection.definition,
    views: null,
    fields: {
      fields: fields.filter(({ key }) => shown.has(key)).map(shownField),
      retired: [],
      next: 0,
    },
  };
  // The view determines the fields that the caller sees, so a changed view counts as a changed definition.
  const { meaning = 0 } = collection.viewVersions?.[view.key] ?? {};
  const versions = { fieldsVersion: Math.max(collection.fieldsVersion, meaning), viewVersions: {} };
  return { ...collection, ...versions, pending: null, definition };
}

const shownKeys = ({ definition }: Collection, view: View): ReadonlySet<string> =>
  new Set(view.fields ?? definition.fields.fields.map(({ key }) => key));

/** Returns the part of the collection that the caller `me` sees through a view. */
export function narrowCollection(
  whole: CompiledCollection,
  view: View,
  me: string,
): NarrowCollection {
  const { conditions } = parseView(whole.collection, view, me);
  return { ...viewedCollection(whole, view), conditions };
}

type ViewedCollection = Omit<NarrowCollection, "conditions">;

/** The parts that all callers of a view share. They may be large. */
const viewed = new WeakMap<CompiledCollection, Map<View, ViewedCollection>>();
const maxViewed = 10;

function viewedCollection(whole: CompiledCollection, view: View): ViewedCollection {
  const known = viewed.get(whole) ?? new Map<View, ViewedCollection>();
  const shared = known.get(view) ?? buildViewed(whole, view);
  if (known.size >= maxViewed) known.clear();
  viewed.set(whole, known.set(view, shared));
  return shared;
}

function buildViewed(whole: CompiledCollection, view: View): ViewedCollection {
  const { collection, fields } = whole;
  const shown = shownKeys(collection, view);
  const list = fields.list.filter(({ field }) => shown.has(field.key)).map(withoutPast);
  return {
    extent: "narrow",
    collection: shownCollection(collection, view),
    fields: shownFields(fields, list),
    whole,
    parts: divideFields(collection.definition.fields, shown),
    ownResults: ownResults(fields, shown),
  };
}

function divideFields({ fields, retired }: FieldSet, keys: ReadonlySet<string>): ItemParts {
  const shown = fields.filter(({ key }) => keys.has(key));
  const hidden = fields.filter(({ key }) => !keys.has(key));
  const hiddenValues = hidden.filter(({ type }) => type !== "computed");
  const retiredColumns = shown
    .map((field) => withColumns(field, "retired"))
    .filter(([, columns]) => columns !== null);
  return {
    shown: slotsOf(shown),
    hidden: new Map([
      ...[...hiddenValues, ...retired].map((field) => [slotOf(field), null] as const),
      ...retiredColumns,
    ]),
    hiddenResults: new Set(hidden.filter(({ type }) => type === "computed").map(slotOf)),
  };
}

/** Returns the slots of the fields that a view shows. */
export function shownSlots(collection: Collection, view: View): Slots {
  const shown = shownKeys(collection, view);
  return slotsOf(collection.definition.fields.fields.filter(({ key }) => shown.has(key)));
}

const slotsOf = (fields: readonly Field[]): Slots =>
  new Map(fields.map((field) => withColumns(field, "fields")));

/** Returns the slot of a field. A list with removed columns is divided into its `fields` and its `retired` columns. */
function withColumns(
  field: Field,
  columns: "fields" | "retired",
): readonly [string, readonly string[] | null] {
  const isDivided = field.type === "line_items" && field.retired.length > 0;
  return [slotOf(field), isDivided ? field[columns].map(slotOf) : null];
}

const slotOf = ({ id }: Pick<Field, "id">) => String(id);

/** Returns the ids of the visible results whose formulas read only visible fields. */
function ownResults({ byKey, formulas }: CompiledFields, shown: ReadonlySet<string>): Set<number> {
  const own = new Set<number>();
  const isOwn = (key: string) => {
    const { field } = byKey.get(key) ?? {};
    // A name that no field has is a function or the variable of a loop.
    if (field?.type === "computed") return own.has(field.id);
    return field === undefined || shown.has(key);
  };
  // The formulas are in dependency order, so each one follows the formulas that it reads.
  for (const { field, reads } of formulas)
    if (shown.has(field.key) && [...reads.keys].every(isOwn)) own.add(field.id);
  return own;
}

function shownFields<F extends Field>(
  fields: CompiledFields<F>,
  list: CompiledField<F>[],
): CompiledFields<F> {
  return {
    ...fields,
    list,
    hasReferences: hasReferences(list.map(({ field }) => field)),
    fileKeys: fileKeys(list.map(({ field }) => field)),
    keyBytes: keyBytesOf(list.map(({ field }) => field)),
    byKey: new Map(list.map((compiled) => [compiled.field.key, compiled])),
    currentKeys: new Map(),
    // Formulas may use hidden fields, so only the whole collection computes.
    formulas: [],
  };
}

function withoutPast(compiled: CompiledField): CompiledField {
  const { rows } = compiled;
  const columns =
    rows &&
    shownFields(
      rows,
      rows.list.map((each) => withoutPast(each) as CompiledField<RowField>),
    );
  return { ...compiled, field: shownField(compiled.field), rows: columns };
}

/** Hides the earlier keys of a field and its formula. Responses omit an empty formula. */
function shownField(field: Field): Field {
  const past = { previous_keys: [] };
  if (field.type === "computed") return { ...field, ...past, formula: "" };
  if (field.type !== "line_items") return { ...field, ...past };
  return {
    ...field,
    ...past,
    fields: field.fields.map((each) => shownField(each) as RowField),
    retired: [],
  };
}
