import type { Definition } from "./collection";
import { fieldDocument } from "./field-document";
import { noFields, type Field, type RowField } from "./field";

/** What a change of a definition does to one field; `path` is its label, behind that of the list that it is in. */
export interface Difference {
  path: string;
  what: "added" | "renamed" | "hidden" | "restored" | "retyped" | "changed";
  /** Renamed fields: the keys of before and after. */
  keys?: [before: string, after: string];
  /** Options that are no more: items that have them keep them. */
  options?: string[];
}

/** The fields that differ between two definitions, in the order of the second. */
export function differences(before: Definition | null, after: Definition): Difference[] {
  const had = before?.fields ?? noFields;
  return listDifferences(had, after.fields, "");
}

type Lists = { fields: readonly Field[]; retired: readonly Field[] };

function listDifferences(had: Lists, has: Lists, within: string): Difference[] {
  const live = new Map(had.fields.map((field) => [field.id, field]));
  const retired = new Set(had.retired.map(({ id }) => id));
  const continued = new Set(has.fields.map(({ id }) => id));
  const keys = new Set(has.fields.map(({ key }) => key));
  const here = has.fields.flatMap((field): Difference[] => {
    const path = within + field.label;
    const old = live.get(field.id);
    if (old) return [...ownDifferences(old, field, path), ...rowDifferences(old, field)];
    if (retired.has(field.id)) return [{ path, what: "restored" }];
    const replaced = had.fields.some(({ key, id }) => key === field.key && !continued.has(id));
    return [{ path, what: replaced ? "retyped" : "added" }];
  });
  const hidden = had.fields
    .filter(({ id, key }) => !continued.has(id) && !keys.has(key))
    .map(({ label }): Difference => ({ path: within + label, what: "hidden" }));
  return [...here, ...hidden];
}

function rowDifferences(old: Field, field: Field): Difference[] {
  if (old.type !== "line_items" || field.type !== "line_items") return [];
  return listDifferences(old, field, `${field.label} › `);
}

function ownDifferences(old: Field, field: Field, path: string): Difference[] {
  const renamed: Difference[] =
    old.key === field.key ? [] : [{ path, what: "renamed", keys: [old.key, field.key] }];
  const options = lostOptions(old, field);
  if (options.length > 0) return [...renamed, { path, what: "changed", options }];
  return said(old) === said(field) ? renamed : [...renamed, { path, what: "changed" }];
}

/** What a field says, apart from its key and its columns. */
function said(field: Field | RowField): string {
  const { key: _, previous_keys: __, fields: ___, ...rules } = fieldDocument(field);
  return JSON.stringify(rules);
}

function lostOptions(old: Field, field: Field): string[] {
  if (!("options" in old) || !("options" in field)) return [];
  const left = new Set(field.options.map(({ value }) => value));
  return old.options.filter(({ value }) => !left.has(value)).map(({ label }) => label);
}
