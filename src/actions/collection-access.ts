import type { Credential } from "#domain/credential/credential.ts";
import type { CollectionKind, View } from "#domain/definition/collection.ts";
import { etagOf } from "#domain/preconditions.ts";
import { problem } from "#domain/problem/problem.ts";
import { errorAt } from "#domain/problem/field-errors.ts";
import { listensTo, type Webhook } from "#domain/webhook/webhook.ts";
import type { CurrentCollection } from "#store/data/collections.ts";
import { loadAccess } from "#store/home/view-users.ts";
import type { ActionContext } from "./context.ts";
import { loadDefinition, resumeUnfinished } from "./definitions.ts";
import { patchDefinition } from "./patch-definition.ts";

/** Who sees an app or form besides the members. */
export interface CollectionAccess {
  current: CurrentCollection;
  credentials: Credential[];
  webhooks: Webhook[];
}

export async function getCollectionAccess(
  ctx: ActionContext,
  kind: CollectionKind,
  key: string,
): Promise<CollectionAccess> {
  const { current, credentials, webhooks } = await loadAccess(ctx.databases, kind, key);
  if (!current) throw problem.notFound();
  resumeUnfinished(ctx, current);
  const name = `${kind}:${key}`;
  return { current, credentials, webhooks: webhooks.filter((hook) => listensTo(hook, name)) };
}

/** The part of an app or form to which a member wants to give access. */
export interface Part {
  /** All items, those that the credential itself created, or those of a view. */
  items: "all" | "own" | { view: string };
  /** The keys of the fields that it sees. */
  fields: readonly string[];
}

/** Returns the view that shows this part. Adds it to the definition if there is none. */
export async function addViewOfPart(
  ctx: ActionContext,
  kind: CollectionKind,
  key: string,
  { items, fields }: Part,
): Promise<View> {
  const current = await loadDefinition(ctx, kind, key);
  const { definition, version } = current.collection;
  const views = definition.views ?? [];
  const all = definition.fields.fields.map((field) => field.key);
  const shown = all.filter((field) => fields.includes(field));
  if (shown.length === 0)
    throw problem.invalidInput([errorAt(["fields"], "required", "Choose at least one field.")]);
  const content = {
    conditions: conditionsOf(views, items),
    ...(shown.length === all.length ? {} : { fields: shown }),
  };
  const isSame = (view: View) =>
    JSON.stringify(view.conditions ?? []) === JSON.stringify(content.conditions) &&
    JSON.stringify(view.fields) === JSON.stringify(content.fields);
  const known = views.find(isSame);
  if (known) return known;
  const view = { ...nameOf(views, items), ...content };
  await patchDefinition(ctx, current, { views: [...views, view] }, [etagOf(version)]);
  return view;
}

function conditionsOf(views: readonly View[], items: Part["items"]): unknown[] {
  if (items === "all") return [];
  if (items === "own") return [{ field: "$created_by", op: "eq", value: "$me" }];
  return [...(findSource(views, items.view).conditions ?? [])];
}

function findSource(views: readonly View[], key: string): View {
  const view = views.find((each) => each.key === key);
  if (!view) throw problem.invalidInput([errorAt(["items"], "not_an_option", "Choose a view.")]);
  return view;
}

/** A name that no other view has. */
function nameOf(views: readonly View[], items: Part["items"]): Pick<View, "key" | "name"> {
  const base =
    items === "all"
      ? { key: "some_fields", name: "Some fields" }
      : items === "own"
        ? { key: "own_items", name: "Created by the credential itself" }
        : {
            key: `${items.view.slice(0, 50)}_part`,
            name: `Part of ${findSource(views, items.view).name}`.slice(0, 190),
          };
  const taken = new Set(views.map((view) => view.key));
  if (!taken.has(base.key)) return base;
  let number = 2;
  while (taken.has(`${base.key}_${number}`)) number += 1;
  return { key: `${base.key}_${number}`, name: `${base.name} ${number}` };
}
