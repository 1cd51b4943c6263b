import { hasWholeAccess, type Resources } from "#domain/credential/credential.ts";
import { permissionsAllow, readPermission } from "#domain/credential/permissions.ts";
import { collectionKinds, type CollectionKind } from "#domain/definition/collection.ts";
import { errorAt } from "#domain/problem/field-errors.ts";
import { problem, type FieldError } from "#domain/problem/problem.ts";
import { findView, findViewWithSameMarks } from "#domain/search/view.ts";
import { findChangedIds } from "#domain/webhook/events.ts";
import { kindOfType, splitEntry, type Webhook } from "#domain/webhook/webhook.ts";
import { checkedDefinition, type CheckedDefinition } from "#store/data/confirm-definitions.ts";
import { readDefinitions } from "#store/data/definition-head.ts";
import { filterExistingKeys } from "#store/home/listeners.ts";
import { findCredential } from "#store/home/credentials.ts";
import type { WebhookContext } from "./context.ts";
import { reasonFor } from "#domain/problem/reasons.ts";

/** Whether the caller sees the whole collection of an entry such as `app:KEY` or `form:KEY/VIEW`. */
export function isVisibleEntry(resources: Resources, entry: string): boolean {
  const [kind, key = ""] = splitEntry(entry).name.split(":");
  return hasWholeAccess(resources, kind as CollectionKind, key);
}

type Selection = Pick<Webhook, "collections" | "changedFields">;

/**
 * Validates the parts of a webhook's selection that a request sets. Throws 422 if a collection is missing or hidden
 * from the caller (both cause the same error), if a view is missing or has the marks of another one, or if no collection
 * has a changed field. Returns the revision of each definition whose view was checked.
 */
export async function validateSelection(
  ctx: WebhookContext,
  { collections, changedFields }: Selection,
  isSet: { collections: boolean; changedFields: boolean },
): Promise<CheckedDefinition[]> {
  if (collections === "all") return [];
  const errors = isSet.collections ? await entryErrors(ctx, collections) : [];
  if (errors.length > 0) throw problem.invalidInput(errors);
  const found = await findViewsAndKeys(ctx, collections, changedFields ?? []);
  const entries = isSet.collections ? collections : [];
  const viewErrors = entries.flatMap((entry, index) => {
    if (splitEntry(entry).view === undefined) return [];
    const view = found.views.get(entry);
    if (view && view.forged === undefined) return [];
    const reason =
      view?.forged === undefined
        ? reasonFor("unknownView", { view: entry })
        : reasonFor("viewWithSameMarks", { view: entry, other: view.forged });
    return [errorAt(["collections", index], "not_an_option", reason)];
  });
  const keys = isSet.changedFields ? (changedFields ?? []) : [];
  const unknownKeys = keys.flatMap((key, index) =>
    found.keys.has(key)
      ? []
      : [errorAt(["changed_fields", index], "not_an_option", unknownKeyReason(key))],
  );
  if (viewErrors.length + unknownKeys.length > 0)
    throw problem.invalidInput([...viewErrors, ...unknownKeys]);
  return isSet.collections ? found.definitions : [];
}

/**
 * Throws 403 if the scope of an access token lacks a permission of its client to read what the webhook sends. The webhook
 * has the rights of the client, so the token could otherwise read more than its scope allows.
 */
export async function assertScopeReads(
  { permissions, actor, databases }: WebhookContext,
  { types, collections }: Pick<Webhook, "types" | "collections">,
): Promise<void> {
  const hasKind = (kind: CollectionKind) =>
    types.some((type) => kindOfType(type) === kind) &&
    (collections === "all" || collections.some((entry) => entry.startsWith(`${kind}:`)));
  const missing = collectionKinds
    .filter(hasKind)
    .map((kind) => readPermission[kind])
    .filter((permission) => !permissionsAllow(permissions, permission));
  const [actorKind, id = ""] = actor.split(":");
  if (missing.length === 0 || actorKind !== "credential") return;
  const granted = (await findCredential(databases.home, id))?.permissions ?? [];
  const gained = missing.find((permission) => permissionsAllow(granted, permission));
  if (gained !== undefined) throw problem.permissionRequired(gained);
}

const unknownKeyReason = (key: string) => reasonFor("unknownChangedField", { key });

async function entryErrors(ctx: WebhookContext, collections: readonly string[]) {
  const names = collections.map((entry) => splitEntry(entry).name);
  const existing = new Set(await filterExistingKeys(ctx.databases, names));
  return collections.flatMap((entry, index): FieldError[] => {
    const name = names[index] ?? "";
    if (!existing.has(name) || !isVisibleEntry(ctx.resources, entry)) {
      const reason = reasonFor("unseenCollection", { collection: name.replace(":", " ") });
      return [errorAt(["collections", index], "not_an_option", reason)];
    }
    if (names.indexOf(name) === index) return [];
    const reason = reasonFor("allOrView", { collection: name });
    return [errorAt(["collections", index], "not_an_option", reason)];
  });
}

interface FollowedView {
  /** The key of another view whose changes have the same marks. */
  forged: string | undefined;
}

/** Finds the views in `collections` and the keys in `keys` that exist. Loads only the definitions that it needs. */
async function findViewsAndKeys(
  ctx: WebhookContext,
  collections: readonly string[],
  keys: readonly string[],
): Promise<{
  views: Map<string, FollowedView>;
  keys: Set<string>;
  definitions: CheckedDefinition[];
}> {
  const views = new Map<string, FollowedView>();
  const definitions: CheckedDefinition[] = [];
  const existingKeys = new Set<string>(keys.filter((key) => key === "$status"));
  const needed = collections.filter((entry) => keys.length > 0 || splitEntry(entry).view);
  const names = needed.map((entry) => {
    const [kind, key = ""] = splitEntry(entry).name.split(":");
    return { kind: kind as CollectionKind, key };
  });
  for await (const collection of readDefinitions(ctx.databases, names)) {
    const { fields } = collection.definition;
    for (const key of keys) if (findChangedIds(fields, [key]).size > 0) existingKeys.add(key);
    for (const entry of needed) {
      const { name, view: viewKey } = splitEntry(entry);
      const isOfCollection = name === `${collection.kind}:${collection.key}`;
      const view =
        isOfCollection && viewKey !== undefined ? findView(collection, viewKey) : undefined;
      if (!view) continue;
      views.set(entry, { forged: findViewWithSameMarks(collection, view)?.key });
      definitions.push(checkedDefinition(collection));
    }
  }
  return { views, keys: existingKeys, definitions };
}
