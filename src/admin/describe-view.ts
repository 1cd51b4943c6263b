import type { View } from "#domain/definition/collection.ts";
import { isObject } from "#domain/json.ts";
import { meOperand } from "#domain/search/tree.ts";
import type { CollectionLabel } from "#store/home/credential-lists.ts";
import type { Catalogue } from "./language/index.tsx";

type Texts = Pick<Catalogue, "viewDescription">;
type ViewTexts = Catalogue["viewDescription"];

/** What a view shows, in words, for people who give access to it. Fields have their keys. */
export function describeView(view: Pick<View, "conditions" | "fields">, text: Texts): string {
  const { fields, allFields, shows } = text.viewDescription;
  return shows(describeItems(view, text), view.fields ? fields(view.fields) : allFields);
}

/** What a view matches: “All items”, or “Only items whose …”. */
export function describeItems(
  { conditions = [] }: Pick<View, "conditions">,
  { viewDescription: text }: Texts,
): string {
  if (conditions.length === 0) return text.allItems;
  return text.items(text.all(describeAll(conditions, text)));
}

const describeAll = (conditions: readonly unknown[], text: ViewTexts): string[] =>
  conditions.map((condition) => describeCondition(condition, text));

function describeCondition(condition: unknown, text: ViewTexts): string {
  if (!isObject(condition)) return text.unknown;
  const { all, any, not, field, op, value } = condition;
  if (Array.isArray(all)) return text.group(text.all(describeAll(all, text)));
  if (Array.isArray(any)) return text.group(text.any(describeAll(any, text)));
  if (not !== undefined) return text.not(describeCondition(not, text));
  const name = textIn(text.systemFields, field) ?? String(field);
  if (op === "is_empty") return (value === false ? text.isNotEmpty : text.isEmpty)(name);
  if (op === "any" || op === "none") {
    const rows = text.all(describeAll(Array.isArray(value) ? value : [], text));
    return (op === "any" ? text.hasRow : text.hasNoRow)(name, rows);
  }
  const compare = textIn(text.comparisons, op);
  const values = (Array.isArray(value) ? value : [value]).map((each) => describeValue(each, text));
  return compare ? compare(name, values) : text.unknown;
}

const textIn = <Text>(texts: Record<string, Text>, name: unknown): Text | undefined =>
  typeof name === "string" && Object.hasOwn(texts, name) ? texts[name] : undefined;

const describeValue = (value: unknown, text: ViewTexts): string =>
  value === meOperand ? text.caller : JSON.stringify(value);

/** Apps and forms as JSON, with what their views show. */
export const labelDocuments = (labels: readonly CollectionLabel[], text: Texts) =>
  labels.map(({ views, ...label }) => ({
    ...label,
    views: views.map((view) => ({
      key: view.key,
      name: view.name,
      shows: describeView(view, text),
    })),
  }));
