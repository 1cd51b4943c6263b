import type { CollectionKind, View } from "#domain/definition/collection.ts";
import type { Field, RowField } from "#domain/definition/field.ts";
import { isObject } from "#domain/json.ts";
import { meOperand } from "#domain/search/tree.ts";
import { countConditions } from "#domain/search/view-errors.ts";
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
  /** Whether the description is complete, however long. Otherwise, it shortens and counts what is too long. */
  isComplete?: boolean;
}

/** What fits into a description. */
interface Limits {
  /** The length of each text. */
  text: number;
  /** The operands of each condition, and the fields. */
  values: number;
  fields: number;
  /** The length after which a description only counts further conditions. */
  length: number;
}

const usualLimits: Limits = { text: 60, values: 5, fields: 20, length: 1000 };
const noLimits: Limits = { text: Infinity, values: Infinity, fields: Infinity, length: Infinity };
const limitsOf = ({ isComplete }: Pick<ViewWords, "isComplete">) =>
  isComplete ? noLimits : usualLimits;

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
    describeFields(selectFields(view.fields, words, text.viewDescription), text.viewDescription),
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
      : text.all(describeAll(conditions, conditionWords(text, terms.statuses, words))),
  fields: selectFields(fields, words, text),
});

function selectFields(
  keys: readonly string[] | undefined,
  words: ViewWords,
  text: ViewTexts,
): FieldSelection {
  if (!keys) return null;
  const { fields: definition } = words;
  const limits = limitsOf(words);
  const shorten = (labels: readonly string[]) =>
    listFirst(labels, limits.fields, text).map((label) => cut(label, limits.text));
  const hidden = definition.filter(({ key }) => !keys.includes(key));
  if (hidden.length > 0 && hidden.length < keys.length)
    return { isHidden: true, labels: shorten(hidden.map(({ label }) => label)) };
  const labels = new Map(definition.map(({ key, label }) => [key, label]));
  return { isHidden: false, labels: shorten(keys.map((key) => labels.get(key) ?? key)) };
}

/** Returns the first texts, and the number of the others as a text. */
function listFirst(all: readonly string[], limit: number, text: ViewTexts): readonly string[] {
  return all.length <= limit ? all : [...all.slice(0, limit), text.more(all.length - limit)];
}

const cut = (text: string, limit: number): string =>
  text.length <= limit ? text : `${text.slice(0, limit).replace(/[\uD800-\uDBFF]$/, "")}…`;

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
  const words = { kind: "form", fields, names: new Map(), isComplete: true } as const;
  return text.all(describeAll(conditions, conditionWords(text, terms.statuses, words)));
}

interface Words {
  text: ViewTexts;
  statuses: Record<string, string>;
  /** The fields, or the columns of a list of rows. */
  fields: readonly (Field | RowField)[];
  names: OperandNames;
  limits: Limits;
  /** The length that the description has left. Its parts share this object. */
  room: { left: number };
}

function conditionWords(
  text: ViewTexts,
  statuses: Record<string, string>,
  { fields, names, ...words }: ViewWords,
): Words {
  const limits = limitsOf(words);
  return { text, statuses, fields, names, limits, room: { left: limits.length } };
}

const findField = <F extends Field | RowField>(fields: readonly F[], key: unknown) =>
  fields.find((field) => field.key === key);

/** Describes conditions as long as there is room. The last clause gives the number of all others. */
function describeAll(conditions: readonly unknown[], words: Words): string[] {
  const { room, text } = words;
  const clauses: string[] = [];
  for (const condition of conditions) {
    if (room.left <= 0) {
      const others = countConditions(conditions.slice(clauses.length));
      return [...clauses, text.moreConditions(others)];
    }
    clauses.push(describeCondition(condition, words));
  }
  return clauses;
}

function describeCondition(condition: unknown, words: Words): string {
  const { text, room } = words;
  if (!isObject(condition)) return text.unknown;
  const { all, any, not } = condition;
  if (Array.isArray(all)) return text.group(text.all(describeAll(all, words)));
  if (Array.isArray(any)) return text.group(text.any(describeAll(any, words)));
  if (not !== undefined) return text.not(describeCondition(not, words));
  const clause = describeComparison(condition, words);
  room.left -= clause.length;
  return clause;
}

function describeComparison({ field, op, value }: Record<string, unknown>, words: Words): string {
  const { text, limits } = words;
  const target = findField(words.fields, field);
  const label = textIn(text.systemFields, field) ?? target?.label ?? String(field);
  const name = cut(label, limits.text);
  if (op === "is_empty") return (value === false ? text.isNotEmpty : text.isEmpty)(name);
  if (op === "any" || op === "none") {
    const columns = target?.type === "line_items" ? target.fields : [];
    const rows = text.all(
      describeAll(Array.isArray(value) ? value : [], { ...words, fields: columns }),
    );
    return (op === "any" ? text.hasRow : text.hasNoRow)(name, rows);
  }
  const operands: readonly unknown[] = Array.isArray(value) ? value : [value];
  const quote = (each: string) => text.quote(cut(each, limits.text));
  const describeOperand = (each: unknown): string => {
    if (each === meOperand) return text.caller;
    if (typeof each !== "string") return String(each);
    if (field === "$status") return quote(textIn(words.statuses, each) ?? each);
    if (isNamed(field, target)) return quote(words.names.get(each) ?? each);
    return quote(target ? optionLabel(target, each) : each);
  };
  const values = operands.slice(0, limits.values).map(describeOperand);
  if (operands.length > values.length) values.push(text.more(operands.length - values.length));
  const compare = textIn(text.comparisons, operands.length === 1 ? (single[String(op)] ?? op) : op);
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
  labels.map(({ kind, views, omits, fields, names, ...label }) => ({
    kind,
    ...label,
    more_views: omits !== "nothing",
    views: views.map((view) => ({
      key: view.key,
      name: view.name,
      shows: describeView(view, text, { kind, fields, names }),
    })),
  }));
