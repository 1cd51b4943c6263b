import type { CompiledCollection } from "#domain/data/compile.ts";
import { assertPositionIn } from "#domain/cursor.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { problem } from "#domain/problem/problem.ts";
import { listItems } from "#store/data/items.ts";
import { maxPageBytes } from "#store/data/search/budget.ts";
import { hasWholeAccess } from "#domain/credential/credential.ts";
import type { SearchEntry } from "#domain/data/index-entries.ts";
import { conditionsOf, type CollectionAccess } from "#domain/data/narrow.ts";
import { referencedFields } from "#domain/search/tree.ts";
import type { NewItem } from "#store/data/create-item.ts";
import type { ReadContext, ActionContext } from "./context.ts";
import { accessCollection } from "./caller-access.ts";
import { countItemsThatFit, buildItemView, type ItemView } from "#domain/item/item.ts";
import {
  collectionRef,
  forgetCollection,
  loadCollectionOfHead,
  loadCurrentCollection,
} from "./collection-cache.ts";
import { presentData } from "#domain/data/values.ts";
import { findItemConflicts } from "#store/data/item-ranges.ts";
import { retryOnConflict } from "./idempotent.ts";
import { resolveReferences } from "./references.ts";
import {
  prepareItem,
  buildDraft,
  assertAccepting,
  assertTypeStable,
  storeItem,
} from "./create-item.ts";
import { duplicateProblem } from "./duplicates.ts";

export interface ItemViewPage {
  views: ItemView[];
  /** The item number after which the next page starts; null at the end. */
  nextPosition: number | null;
  compiled: CompiledCollection;
}

/** Lists a page of a collection in stored order. Presents the items with the definition that the same read returns. */
export async function listItemViews(
  ctx: ReadContext,
  kind: CollectionKind,
  key: string,
  after: number | null,
  limit: number,
): Promise<ItemViewPage> {
  // The statement of this list does not apply conditions of a view.
  if (!hasWholeAccess(ctx.resources, kind, key)) throw problem.notFound();
  const ref = collectionRef(ctx.memory, kind, key);
  const query = { ...ref, after, limit: limit + 1, maxBytes: maxPageBytes };
  const result = await listItems(ctx.databases.named(kind, key), query);
  if (!result) {
    if (ref.id === null) throw problem.notFound();
    // The cached collection was deleted. Another collection may have its key now.
    forgetCollection(ctx.memory, ref.id);
    return listItemViews(ctx, kind, key, after, limit);
  }
  const { items, isTruncated, head } = result;
  assertPositionIn(head.id, after === null ? null : [after]);
  const compiled = await loadCollectionOfHead(ctx, head);
  const page = items.slice(0, Math.min(limit, countItemsThatFit(items, compiled)));
  const last = page.at(-1);
  return {
    views: page.map((item) => buildItemView(item, compiled)),
    nextPosition: (isTruncated || items.length > page.length) && last ? last.number : null,
    compiled,
  };
}

/** The data of a valid submission, in the form of the response to a create. */
type ValidatedItem = Pick<ItemView, "key" | "status" | "data" | "fileKeys" | "warnings">;

/** Runs all checks of a create without storing anything. Throws the same problems as the create. */
export function validateItem(
  ctx: ActionContext,
  cached: CollectionAccess,
  body: unknown,
): Promise<ValidatedItem> {
  return retryOnConflict(ctx, async () => {
    const current = await loadCurrentCollection(ctx, cached);
    assertAccepting(current, ctx.now());
    return validateWith(ctx, accessCollection(ctx, current.compiled), body);
  });
}

/** Validates with this definition. Returns undefined if the definition changes concurrently. */
async function validateWith(
  ctx: ActionContext,
  access: CollectionAccess,
  body: unknown,
): Promise<ValidatedItem | undefined> {
  const [resolvedBody] = await resolveReferences(ctx, access, [body], true);
  const draft = buildDraft(access, resolvedBody, ctx.now());
  if (draft.errors.length > 0) throw problem.invalidInput(draft.errors);
  const { status, data, warnings } = draft;
  assertTypeStable(access, data);
  const { item, references } = prepareItem(ctx, access, draft, true);
  if (access.extent === "narrow") {
    // Only the database can decide whether the item would be in the view, so a trial stores the item and rolls back.
    const entries = entriesOfConditions(access, item);
    const trial = await storeItem(
      ctx,
      access,
      { item: { ...item, entries }, references },
      null,
      true,
    );
    if (trial?.outcome !== "not_stored") return undefined;
  }
  const { uniqueValues } = item;
  const db = ctx.databases.of(access.collection);
  const conflicts = uniqueValues.length > 0 ? await findItemConflicts(db, uniqueValues, null) : [];
  if (conflicts.length > 0) throw await duplicateProblem(ctx, access, conflicts);
  const { fields, collection } = access;
  const { key } = collection;
  const presented = presentData(access, data);
  return { key, status, data: presented, fileKeys: fields.fileKeys, warnings };
}

/**
 * Returns the entries that decide whether the item is in the view. A trial counts as a read, so it writes no other
 * entries.
 */
function entriesOfConditions(
  access: CollectionAccess,
  { entries }: Pick<NewItem, "entries">,
): string {
  const fields = referencedFields({ conditions: [...conditionsOf(access)], sort: [] });
  const numbers = new Set(fields.map(({ number }) => number));
  const all = JSON.parse(entries) as SearchEntry[];
  return JSON.stringify(all.filter(([number]) => numbers.has(number)));
}
