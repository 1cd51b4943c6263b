import type { CollectionKind, View } from "#domain/definition/collection.ts";
import type { Field, RowField } from "#domain/definition/field.ts";
import { isObject } from "#domain/json.ts";
import { meOperand } from "#domain/search/tree.ts";
import type { CollectionLabel, OperandNames } from "#actions/operand-names.ts";
import { optionLabel } from "./items/value.tsx";
import type { Catalogue } from "./language/index.tsx";

type Texts = Pick<Catalogue, "viewDescription" | "terms">;
type ViewTexts = Catalogue["viewDescription"];

/** The data with which keys and IDs in a view become words. */
export interface ViewWords {
  kind: CollectionKind;
  fields: readonly Field[];
  names: OperandNames;
}

/**
 * Describes a view in words, for members who give access to it. A deleted field appears with its key. A record, member
 * or credential without a name appears with its ID.
 */
export function describeView(
  view: Pick<View, "conditions" | "fields">,
  text: Texts,
  words: ViewWords,
): string {
  return text.viewDescription.shows(
    describeItems(view, text, words),
    describeFields(selectFields(view.fields, words.fields), text.viewDescription),
  );
}

/** The fields that a view shows, or the fields that it hides if there are fewer. Null for all fields. */
export type FieldSelection = { isHidden: boolean; labels: string[] } | null;

/** The items and the fields that a view shows. */
export interface ViewPart {
  /** The conditions as a clause. Null if the view shows all items. */
  conditions: string | null;
  fields: FieldSelection;
}

export const findViewPart = (
  { conditions = [], fields }: Pick<View, "conditions" | "fields">,
  { viewDescription: text, terms }: Texts,
  words: ViewWords,
): ViewPart => ({
  conditions:
    conditions.length === 0
      ? null
      : text.all(describeAll(conditions, { ...words, text, statuses: terms.statuses })),
  fields: selectFields(fields, words.fields),
});

function selectFields(
  keys: readonly string[] | undefined,
  definition: readonly Field[],
): FieldSelection {
  if (!keys) return null;
  const hidden = definition.filter(({ key }) => !keys.includes(key));
  if (hidden.length > 0 && hidden.length < keys.length)
    return { isHidden: true, labels: hidden.map(({ label }) => label) };
  return {
    isHidden: false,
    labels: keys.map((key) => findField(definition, key)?.label ?? key),
  };
}

function describeFields(selection: FieldSelection, text: ViewTexts): string {
  if (selection === null) return text.allFields;
  return (selection.isHidden ? text.allFieldsExcept : text.fields)(selection.labels);
}

/** Describes the items of a view: “All records”, or “Only records whose …”. */
export function describeItems(
  view: Pick<View, "conditions">,
  text: Texts,
  words: ViewWords,
): string {
  const { conditions } = findViewPart(view, text, words);
  const { items } = text.terms.collections[words.kind];
  if (conditions === null) return text.viewDescription.allItems(items);
  return text.viewDescription.items(conditions, items);
}

/** Describes conditions on options without quotation marks, like “Room is Blue”, for the name of a view. */
export function nameConditions(
  conditions: readonly unknown[],
  { viewDescription, terms }: Texts,
  fields: readonly Field[],
): string {
  const text = { ...viewDescription, quote: (value: string) => value };
  const words = { text, statuses: terms.statuses, fields, names: new Map<string, string>() };
  return text.all(describeAll(conditions, words));
}

interface Words {
  text: ViewTexts;
  statuses: Record<string, string>;
  /** The fields, or the columns of a list of rows. */
  fields: readonly (Field | RowField)[];
  names: OperandNames;
}

const findField = <F extends Field | RowField>(fields: readonly F[], key: unknown) =>
  fields.find((field) => field.key === key);

const describeAll = (conditions: readonly unknown[], words: Words): string[] =>
  conditions.map((condition) => describeCondition(condition, words));

function describeCondition(condition: unknown, words: Words): string {
  const { text } = words;
  if (!isObject(condition)) return text.unknown;
  const { all, any, not, field, op, value } = condition;
  if (Array.isArray(all)) return text.group(text.all(describeAll(all, words)));
  if (Array.isArray(any)) return text.group(text.any(describeAll(any, words)));
  if (not !== undefined) return text.not(describeCondition(not, words));
  const target = findField(words.fields, field);
  const name = textIn(text.systemFields, field) ?? target?.label ?? String(field);
  if (op === "is_empty") return (value === false ? text.isNotEmpty : text.isEmpty)(name);
  if (op === "any" || op === "none") {
    const columns = target?.type === "line_items" ? target.fields : [];
    const rows = text.all(
      describeAll(Array.isArray(value) ? value : [], { ...words, fields: columns }),
    );
    return (op === "any" ? text.hasRow : text.hasNoRow)(name, rows);
  }
  const values = (Array.isArray(value) ? value : [value]).map((each) => {
    if (each === meOperand) return text.caller;
    if (typeof each !== "string") return String(each);
    if (field === "$status") return text.quote(textIn(words.statuses, each) ?? each);
    if (isNamed(field, target)) return text.quote(words.names.get(each) ?? each);
    return text.quote(target ? optionLabel(target, each) : each);
  });
  const compare = textIn(text.comparisons, values.length === 1 ? (single[String(op)] ?? op) : op);
  return compare ? compare(name, values) : text.unknown;
}

/** Whether the values are IDs of records or of actors. */
const isNamed = (field: unknown, target: Field | RowField | undefined) =>
  field === "$created_by" || field === "$updated_by" || target?.type === "reference";

const textIn = <Text>(texts: Record<string, Text>, name: unknown): Text | undefined =>
  typeof name === "string" && Object.hasOwn(texts, name) ? texts[name] : undefined;

/** Replaces operators of lists by the operators that mean the same for a single value. */
const single: Record<string, string> = {
  in: "eq",
  not_in: "ne",
  has_any: "contains",
  has_all: "contains",
};

/** Returns apps and forms as JSON, with descriptions of their views. */
export const labelDocuments = (labels: readonly CollectionLabel[], text: Texts) =>
  labels.map(({ kind, views, fields, names, ...label }) => ({
    kind,
    ...label,
    views: views.map((view) => ({
      key: view.key,
      name: view.name,
      shows: describeView(view, text, { kind, fields, names }),
    })),
  }));
