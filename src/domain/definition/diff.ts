import type { Definition } from "./collection.ts";
import { fieldDocument } from "./document.ts";
import { noFields, type Field, type FieldOption, type RowField } from "./field.ts";
import { removedOptions } from "./merge-rules.ts";

/** The change of one field. `path` is the field's label, preceded by the label of its line items field. */
export interface FieldDiff {
  path: string;
  what: "added" | "renamed" | "relabeled" | "hidden" | "restored" | "retyped" | "changed";
  /** Only for fields whose key is renamed. */
  keys?: [before: string, after: string];
  /** The former label, if it differs. */
  formerLabel?: string;
  /** Whether the field becomes required or optional. Set only if nothing else of the field changes. */
  isRequired?: boolean;
  /** Options that the change removes. Items that have them keep them. */
  options?: string[];
  /** The condition for the affected items, if the change hides a field or removes options. */
  affected?: AffectedItems;
}

interface AffectedItems {
  field: string;
  op: "in" | "has_any" | "is_empty";
  value: string[] | false;
}

/** Returns the fields that differ between two definitions, in the order of `after`. */
export function diffDefinitions(before: Definition | null, after: Definition): FieldDiff[] {
  const fieldsBefore = before?.fields ?? noFields;
  return diffFieldLists(fieldsBefore, after.fields, "");
}

type ReadonlyFieldLists = { fields: readonly Field[]; retired: readonly Field[] };

function diffFieldLists(
  before: ReadonlyFieldLists,
  after: ReadonlyFieldLists,
  prefix: string,
): FieldDiff[] {
  const liveBefore = new Map(before.fields.map((field) => [field.id, field]));
  const retiredIds = new Set(before.retired.map(({ id }) => id));
  const ids = new Set(after.fields.map(({ id }) => id));
  const keys = new Set(after.fields.map(({ key }) => key));
  const fieldDiffs = after.fields.flatMap((field): FieldDiff[] => {
    const path = prefix + field.label;
    const oldField = liveBefore.get(field.id);
    if (oldField) return [...diffField(oldField, field, path), ...diffColumns(oldField, field)];
    if (retiredIds.has(field.id)) return [{ path, what: "restored" }];
    const isReplaced = before.fields.some(({ key, id }) => key === field.key && !ids.has(id));
    return [{ path, what: isReplaced ? "retyped" : "added" }];
  });
  const hiddenDiffs = before.fields
    .filter(({ id, key }) => !ids.has(id) && !keys.has(key))
    .map(({ key, label }): FieldDiff => {
      const affected: AffectedItems = { field: key, op: "is_empty", value: false };
      return { path: prefix + label, what: "hidden", ...(prefix === "" ? { affected } : {}) };
    });
  return [...fieldDiffs, ...hiddenDiffs];
}

function diffColumns(oldField: Field, field: Field): FieldDiff[] {
  if (oldField.type !== "line_items" || field.type !== "line_items") return [];
  return diffFieldLists(oldField, field, `${field.label} › `);
}

function diffField(oldField: Field, field: Field, path: string): FieldDiff[] {
  const renameDiffs: FieldDiff[] =
    oldField.key === field.key ? [] : [{ path, what: "renamed", keys: [oldField.key, field.key] }];
  const formerLabel = oldField.label;
  const labelDiffs: FieldDiff[] =
    formerLabel === field.label ? [] : [{ path, what: "relabeled", formerLabel }];
  const diffs = [...renameDiffs, ...labelDiffs];
  const options = removedOptions(oldField, field);
  if (options.length > 0) {
    const op = field.type === "multi_select" ? ("has_any" as const) : ("in" as const);
    const affected: AffectedItems = { field: oldField.key, op, value: options.map(valueOf) };
    const labels = options.map(({ label }) => label);
    const isColumn = path !== field.label;
    return [
      ...diffs,
      { path, what: "changed", options: labels, ...(isColumn ? {} : { affected }) },
    ];
  }
  if (fieldRulesJson(oldField) === fieldRulesJson(field)) return diffs;
  const isRequired = field.required;
  const onlyRequired =
    fieldRulesJson({ ...oldField, required: isRequired }) === fieldRulesJson(field);
  return [...diffs, { path, what: "changed", ...(onlyRequired ? { isRequired } : {}) }];
}

const valueOf = ({ value }: FieldOption) => value;

/** Returns the public rules of a field, without its names and columns. */
function fieldRulesJson(field: Field | RowField): string {
  const {
    key: _key,
    previous_keys: _keys,
    label: _label,
    fields: _columns,
    ...rules
  } = fieldDocument(field);
  return JSON.stringify(rules);
}
