import type { Compiled } from "#domain/data/compile.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { type Item, receiptPlaces } from "#domain/item/item.ts";
import { isVisible } from "#domain/credential/credential.ts";
import { problem } from "#domain/problem/problem.ts";
import type { HistoryLimits, PastChange } from "#store/data/changes.ts";
import { findItem, findItemWithHistory, type ItemName, type ItemNow } from "#store/data/items.ts";
import type { ActionContext, ReadContext } from "./context.ts";
import { allKnown, nameWithKnown, collectionAt, knownCollection, knownStamp, readCollection } from "./collection-cache.ts";

/** A stored item with the collection that it belongs to. */
export interface Stored {
  item: Item;
  compiled: Compiled;
}

/** One that was looked for. */
export interface Found extends Stored {
  /** Whether the primary has it like that: what a replica says may be old. */
  sure: boolean;
}

/** The app or form, as this isolate last saw it. Collections are never deleted, so it is there. */
export async function visibleCollection(
  ctx: ActionContext,
  kind: CollectionKind,
  key: string,
): Promise<Compiled> {
  if (!isVisible(ctx.resources, kind, key)) throw problem.notFound();
  return knownCollection(kind, key) ?? foundCollection(ctx, kind, key);
}

/** The app or form as it is now, whoever asks. */
export async function foundCollection(
  { db }: ReadContext,
  kind: CollectionKind,
  key: string,
): Promise<Compiled> {
  const read = await readCollection(db, kind, key);
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
  return findRecord(ctx, appKey, id);
}

/** The same, whoever asks. */
export async function findRecord(ctx: ReadContext, appKey: string, id: string): Promise<Found> {
  const found = await foundOf(ctx, await findItem(ctx.db, recordName(appKey, id)));
  if (found.compiled.collection.key !== appKey) throw problem.notFound();
  return found;
}

function recordName(appKey: string, id: string): ItemName {
  const { known, ...name } = nameWithKnown("app", appKey);
  if (id.startsWith("rec_")) return { kind: "app", id, known };
  const places = receiptPlaces(id);
  if (places.length === 0) throw problem.notFound();
  return { ...name, receipt: id, places: JSON.stringify(places), known };
}

export async function visibleSubmission(ctx: ActionContext, id: string): Promise<Found> {
  return visible(ctx, await findSubmission(ctx, id));
}

/** The same, whoever asks. */
export async function findSubmission(ctx: ReadContext, id: string): Promise<Found> {
  return foundOf(ctx, await findItem(ctx.db, submissionName(id)));
}

const submissionName = (id: string): ItemName => ({ kind: "form", id, known: allKnown("form") });

/** The record or submission of this app or form, with its changes: newest first, asked for with it. */
export async function visibleWithHistory(
  ctx: ActionContext,
  { kind, key, id }: { kind: CollectionKind; key: string; id: string },
  most: HistoryLimits,
): Promise<{ found: Found; past: PastChange[] }> {
  if (!isVisible(ctx.resources, kind, key)) throw problem.notFound();
  const name = kind === "app" ? recordName(key, id) : submissionName(id);
  const read = await findItemWithHistory(ctx.db, name, most);
  const found = await foundOf(ctx, read?.now);
  if (found.compiled.collection.key !== key) throw problem.notFound();
  return { found, past: read?.past ?? [] };
}

async function foundOf({ db, versions }: ReadContext, now: ItemNow | undefined): Promise<Found> {
  if (!now) throw problem.notFound();
  const compiled = await collectionAt(db, now.head);
  return { item: now.item, compiled, sure: versions.isSure() };
}

/** An item of a collection that is not visible is not there. */
export function visible({ resources }: ActionContext, found: Found): Found {
  const { kind, key } = found.compiled.collection;
  if (!isVisible(resources, kind, key)) throw problem.notFound();
  return found;
}

/** The same item as it is now, after somebody else changed it. */
export async function readAgain(ctx: ActionContext, { item, compiled }: Found): Promise<Found> {
  const { id, kind } = compiled.collection;
  const name = { kind, id: item.id, known: knownStamp(id) };
  return visible(ctx, await foundOf(ctx, await findItem(ctx.db, name)));
}
