import type { View } from "#domain/definition/collection.ts";
import type { Field, RowField } from "#domain/definition/field.ts";
import { parseView } from "#domain/search/view.ts";
import { fileKeys } from "#domain/files/sent-file.ts";
import { hasReferences } from "./references.ts";
import type { Condition } from "#domain/search/tree.ts";
import type {
  CompiledCollection,
  CompiledField,
  CompiledFields,
  NarrowCollection,
  CollectionAccess,
} from "./compile.ts";

export type { NarrowCollection, CollectionAccess } from "./compile.ts";

export const wholeCollection = (access: CollectionAccess): CompiledCollection =>
  access.extent === "narrow" ? access.whole : access;

/** The conditions that limit the caller; none for a whole collection. */
export const conditionsOf = (access: CollectionAccess): readonly Condition[] =>
  access.extent === "narrow" ? access.conditions : [];

/** The collection as one caller sees it through a view. `me` is that caller. */
export function narrowCollection(
  whole: CompiledCollection,
  view: View,
  me: string,
): NarrowCollection {
  const { collection, fields } = whole;
  const shown = new Set(view.fields ?? fields.byKey.keys());
  const list = fields.list.filter(({ field }) => shown.has(field.key)).map(withoutPast);
  const definition = {
    ...collection.definition,
    views: null,
    fields: { fields: list.map(({ field }) => field), retired: [], next: 0 },
  };
  return {
    extent: "narrow",
    collection: { ...collection, pending: null, definition },
    fields: shownFields(fields, list),
    whole,
    conditions: parseView(collection, view, me).conditions,
  };
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
    byKey: new Map(list.map((compiled) => [compiled.field.key, compiled])),
    currentKeys: new Map(),
    // Formulas may use hidden fields. Only the whole collection computes.
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

/** Hides what a field was called, and how it is computed: an empty formula is not shown. */
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
