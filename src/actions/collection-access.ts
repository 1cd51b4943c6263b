import type { Credential } from "#domain/credential/credential.ts";
import type {
  Collection,
  CollectionKind,
  Definition,
  View,
} from "#domain/definition/collection.ts";
import type { Field } from "#domain/definition/field.ts";
import { isObject } from "#domain/json.ts";
import { etagOf } from "#domain/preconditions.ts";
import { problem } from "#domain/problem/problem.ts";
import { meOperand } from "#domain/search/tree.ts";
import { errorAt } from "#domain/problem/field-errors.ts";
import { listensTo, type Webhook } from "#domain/webhook/webhook.ts";
import type { CurrentCollection } from "#store/data/collections.ts";
import { loadAccess } from "#store/home/view-users.ts";
import type { ActionContext } from "./context.ts";
import { loadDefinition, resumeUnfinished } from "./definitions.ts";
import { loadOperandNames, type OperandNames, type Reader } from "./operand-names.ts";
import { patchDefinition } from "./patch-definition.ts";
import { definitionMark } from "./store-with-views.ts";
import { nextVersion } from "#domain/timeline.ts";
import { reasonFor } from "#domain/problem/reasons.ts";

/** The credentials and webhooks that can see an app or form, besides members. */
export interface CollectionAccess {
  current: CurrentCollection;
  /** A page of the valid credentials, newest first. */
  credentials: Credential[];
  /** The id of the last credential on this page if there are more. */
  next: string | null;
  webhooks: Webhook[];
  /** The names that appear in conditions of its views. */
  names: OperandNames;
}

export async function getCollectionAccess(
  ctx: ActionContext & Reader,
  kind: CollectionKind,
  key: string,
  before: string | null,
): Promise<CollectionAccess> {
  const { databases } = ctx;
  const stored = await loadAccess(databases, kind, key, before, ctx.now());
  const { current, credentials, next, webhooks } = stored;
  if (!current) throw problem.notFound();
  resumeUnfinished(ctx, current);
  const name = `${kind}:${key}`;
  const { collection } = current;
  const { fields, views } = collection.definition;
  return {
    current,
    credentials,
    next,
    webhooks: webhooks.filter((hook) => listensTo(hook, name)),
    names: await loadOperandNames(ctx, collection, fields.fields, views),
  };
}

/** The part of an app or form to which a member wants to give access. */
export interface Part {
  /** All items, items that the credential itself created, items of a view, or items with an option of a field. */
  items: "all" | "own" | { view: string } | { field: string; option: string };
  /** The keys of the visible fields. Undefined for all current fields. */
  fields?: string[] | undefined;
}

/** A view that does not exist yet, and the view from which its conditions come. */
export interface NewView {
  conditions: unknown[];
  fields: string[];
  source: View | undefined;
}

type NameView = (view: NewView, collection: Collection) => Pick<View, "key" | "name">;

/**
 * Returns a view that shows this part, with the mark of the definition that contains it. Adds a view to the definition
 * if there is none.
 */
export async function addViewOfPart(
  ctx: ActionContext,
  kind: CollectionKind,
  key: string,
  part: Part,
  nameView: NameView,
  check?: (collection: Collection) => void,
): Promise<{ view: View; isNew: boolean; mark: string }> {
  const current = await loadDefinition(ctx, kind, key);
  const { collection } = current;
  check?.(collection);
  const { id, definition, version } = collection;
  const views = definition.views ?? [];
  const { source, ...content } = contentOf(part, definition);
  const candidates = source ? [source, ...views] : views;
  const known = candidates.find((view) => matchKey(view) === matchKey(content));
  if (known) return { view: known, isNew: false, mark: definitionMark(collection) };
  const view = { ...nameView({ source, ...content }, collection), ...content };
  await patchDefinition(ctx, current, { views: [...views, view] }, [etagOf(version)]);
  // The stored definition may already be a later one, in which another member has changed the view.
  const added = nextVersion(version, ctx.databases.timeline);
  return { view, isNew: true, mark: definitionMark({ id, version: added }) };
}

function contentOf({ items, fields }: Part, { fields: set, views }: Definition): NewView {
  const shown = fieldsOfView({ fields }, { fields: set });
  if (shown.length === 0)
    throw problem.invalidInput([errorAt(["fields"], "required", reasonFor("noFieldsChosen"))]);
  const source = typeof items === "object" && "view" in items ? items.view : undefined;
  const view = source === undefined ? undefined : findSource(views ?? [], source);
  const conditions = view ? [...(view.conditions ?? [])] : conditionsOf(items, set.fields);
  return {
    conditions,
    // A view without a list of fields would also show fields that are added later.
    fields: shown,
    source: view,
  };
}

/** Returns the keys of the fields that a view shows, in the order of the definition. */
export function fieldsOfView(
  { fields }: Pick<View, "fields">,
  { fields: set }: Pick<Definition, "fields">,
): string[] {
  const all = set.fields.map((field) => field.key);
  return fields ? all.filter((field) => fields.includes(field)) : all;
}

function conditionsOf(items: Part["items"], fields: readonly Field[]): unknown[] {
  if (items === "own") return [{ field: "$created_by", op: "eq", value: meOperand }];
  if (typeof items === "string" || "view" in items) return [];
  const field = fields.find((each) => each.key === items.field);
  const options = field && "options" in field ? field.options : [];
  if (!field || !options.some(({ value }) => value === items.option))
    throw problem.invalidInput([errorAt(["where"], "not_an_option", reasonFor("noOptionChosen"))]);
  return [conditionOnOption(field, items.option)];
}

/** Returns the condition that matches items with an option of a choice field. */
export const conditionOnOption = ({ key, type }: Pick<Field, "key" | "type">, option: string) =>
  type === "multi_select"
    ? { field: key, op: "has_any", value: [option] }
    : { field: key, op: "eq", value: option };

function findSource(views: readonly View[], key: string): View {
  const view = views.find((each) => each.key === key);
  if (!view)
    throw problem.invalidInput([errorAt(["items"], "not_an_option", reasonFor("noViewChosen"))]);
  return view;
}

/**
 * A text that is equal for views with the same items and fields. The order of fields and the sorting only affect lists.
 */
const matchKey = ({ conditions = [], fields }: Pick<View, "conditions" | "fields">): string =>
  JSON.stringify([conditions.map(canonical), fields?.toSorted() ?? null]);

/** Returns a condition with sorted members. A list with one value becomes that value. */
function canonical(condition: unknown): unknown {
  if (Array.isArray(condition)) return condition.map(canonical);
  if (!isObject(condition)) return condition;
  const { op, value } = condition;
  const isSingle = op === "in" && Array.isArray(value) && value.length === 1;
  const plain = isSingle ? { ...condition, op: "eq", value: value[0] as unknown } : condition;
  return Object.entries(plain)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => [name, canonical(member)]);
}
