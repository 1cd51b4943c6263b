import { hasWholeAccess, type Resources } from "#domain/credential/credential.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { errorAt } from "#domain/problem/field-errors.ts";
import { problem, type FieldError } from "#domain/problem/problem.ts";
import { findView } from "#domain/search/view.ts";
import { findChangedIds } from "#domain/webhook/events.ts";
import { splitEntry, type Webhook } from "#domain/webhook/webhook.ts";
import type { CheckedDefinition } from "#store/data/confirm-definitions.ts";
import { loadDefinitions } from "#store/data/definition-head.ts";
import { filterExistingKeys } from "#store/home/listeners.ts";
import type { WebhookContext } from "./context.ts";

/** Whether all of a collection, which an entry like `app:KEY` or `form:KEY/VIEW` names, is visible. */
export function isVisibleEntry(resources: Resources, entry: string): boolean {
  const [kind, key = ""] = splitEntry(entry).name.split(":");
  return hasWholeAccess(resources, kind as CollectionKind, key);
}

type Selection = Pick<Webhook, "collections" | "changedFields">;

/**
 * Throws 422 for collections that the caller cannot see, with the same error as missing ones, for views that do not exist,
 * and for changed fields that no collection has. Returns the definitions of the views.
 */
export async function assertSelectable(
  ctx: WebhookContext,
  { collections, changedFields }: Selection,
  changed: { collections: boolean; changedFields: boolean },
): Promise<CheckedDefinition[]> {
  if (collections === "all") return [];
  const errors = changed.collections ? await entryErrors(ctx, collections) : [];
  if (errors.length > 0) throw problem.invalidInput(errors);
  const found = await findNames(ctx, collections, changedFields ?? []);
  const entries = changed.collections ? collections : [];
  const missingViews = entries.flatMap((entry, index) =>
    splitEntry(entry).view === undefined || found.views.has(entry)
      ? []
      : [errorAt(["collections", index], "not_an_option", `There is no view ${entry}.`)],
  );
  const keys = changed.changedFields ? (changedFields ?? []) : [];
  const unknownKeys = keys.flatMap((key, index) =>
    found.keys.has(key)
      ? []
      : [errorAt(["changed_fields", index], "not_an_option", unknownKeyReason(key))],
  );
  if (missingViews.length + unknownKeys.length > 0)
    throw problem.invalidInput([...missingViews, ...unknownKeys]);
  return changed.collections ? found.definitions : [];
}

const unknownKeyReason = (key: string) =>
  `No selected app or form has a field "${key}". Use top-level keys or "$status".`;

async function entryErrors(ctx: WebhookContext, collections: readonly string[]) {
  const names = collections.map((entry) => splitEntry(entry).name);
  const existing = new Set(await filterExistingKeys(ctx.databases, names));
  return collections.flatMap((entry, index): FieldError[] => {
    const name = names[index] ?? "";
    if (!existing.has(name) || !isVisibleEntry(ctx.resources, entry)) {
      const reason = `The ${name.replace(":", " ")} does not exist, or this credential cannot see it.`;
      return [errorAt(["collections", index], "not_an_option", reason)];
    }
    if (names.indexOf(name) === index) return [];
    const reason = `Choose either all of ${name} or one of its views.`;
    return [errorAt(["collections", index], "not_an_option", reason)];
  });
}

/** The definitions that are in memory at the same time. */
const definitionsPerRead = 10;

/** The views among the entries and the keys among `keys` that exist. Reads no definition without need. */
async function findNames(
  ctx: WebhookContext,
  collections: readonly string[],
  keys: readonly string[],
): Promise<{ views: Set<string>; keys: Set<string>; definitions: CheckedDefinition[] }> {
  const views = new Set<string>();
  const definitions: CheckedDefinition[] = [];
  const known = new Set<string>(keys.filter((key) => key === "$status"));
  const needed = collections.filter((entry) => keys.length > 0 || splitEntry(entry).view);
  for (let start = 0; start < needed.length; start += definitionsPerRead) {
    const entries = needed.slice(start, start + definitionsPerRead);
    const names = entries.map((entry) => {
      const [kind, key = ""] = splitEntry(entry).name.split(":");
      return { kind: kind as CollectionKind, key };
    });
    const loaded = await loadDefinitions(ctx.databases, names, Number.MAX_SAFE_INTEGER);
    for (const collection of loaded.collections) {
      const { fields } = collection.definition;
      for (const key of keys) if (findChangedIds(fields, [key]).size > 0) known.add(key);
      for (const entry of entries) {
        const { name, view } = splitEntry(entry);
        const isItsView = name === `${collection.kind}:${collection.key}` && view !== undefined;
        if (!isItsView || !findView(collection, view)) continue;
        views.add(entry);
        const { id, revision } = collection;
        definitions.push({ id, revision });
      }
    }
  }
  return { views, keys: known, definitions };
}
