import type { Compiled } from "../domain/data/compile";
import type { CollectionKind } from "../domain/definition/collection";
import type { Item } from "../domain/item/item";
import { isVisible } from "../domain/credential/permissions";
import { problem } from "../domain/problem/problem";
import { receiptPlaces } from "../domain/item/receipt";
import { findItem, findItemByReceipt, type ItemNow } from "../store/items/items";
import type { ActionContext } from "./context";
import { collectionAt, knownCollection, readCollection } from "./definitions/known-collections";

/** A stored item with the collection that it belongs to. */
export interface Found {
  item: Item;
  compiled: Compiled;
}

/** The app or form, as this isolate last saw it. Collections are never deleted, so it is there. */
export async function visibleCollection(
  ctx: ActionContext,
  kind: CollectionKind,
  key: string,
): Promise<Compiled> {
  if (!isVisible(ctx.resources, kind, key)) throw problem.notFound();
  const kept = knownCollection(kind, key);
  if (kept) return kept;
  const read = await readCollection(ctx.db, kind, key);
  if (!read) throw problem.notFound();
  return read.compiled;
}

/** The record with this id or receipt number. */
export async function visibleRecord(
  ctx: ActionContext,
  appKey: string,
  id: string,
): Promise<Found> {
  if (!isVisible(ctx.resources, "app", appKey)) throw problem.notFound();
  if (id.startsWith("rec_")) {
    const found = await visible(ctx, await findItem(ctx.db, "app", id));
    if (found.compiled.collection.key !== appKey) throw problem.notFound();
    return found;
  }
  const places = receiptPlaces(id);
  if (places.length === 0) throw problem.notFound();
  const { collection } = await visibleCollection(ctx, "app", appKey);
  return visible(ctx, await findItemByReceipt(ctx.db, collection.id, id, places));
}

export async function visibleSubmission(ctx: ActionContext, id: string): Promise<Found> {
  return visible(ctx, await findItem(ctx.db, "form", id));
}

async function visible(ctx: ActionContext, now: ItemNow | undefined): Promise<Found> {
  if (!now) throw problem.notFound();
  const compiled = await collectionAt(ctx.db, now.item.collectionId, now.revision);
  const { kind, key } = compiled.collection;
  if (!isVisible(ctx.resources, kind, key)) throw problem.notFound();
  return { item: now.item, compiled };
}

/** The same item as it is now, after somebody else changed it. */
export async function readAgain(ctx: ActionContext, { item, compiled }: Found): Promise<Found> {
  return visible(ctx, await findItem(ctx.db, compiled.collection.kind, item.id));
}
