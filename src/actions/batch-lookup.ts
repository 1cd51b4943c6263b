import { conditionsOf, type CollectionAccess } from "#domain/data/narrow.ts";
import { utf8Length, type Item } from "#domain/item/item.ts";
import { matchesItem } from "#domain/search/matches.ts";
import { type ItemLookup, type ItemLookupResult, lookUpItems } from "#store/data/batch-read.ts";
import type { ActionContext } from "./context.ts";

/** The limit for the stored data that a batch reads. */
export const maxReadBytes = 8_000_000;

/**
 * Loads the named items that the caller sees. For a view, hidden items must not make a batch too large, so it then looks
 * up halves, down to a single name.
 */
export async function lookUpVisible(
  ctx: ActionContext,
  access: CollectionAccess,
  names: ItemLookup,
): Promise<ItemLookupResult> {
  const found = await lookUpItems(ctx.databases.of(access.collection), names, maxReadBytes);
  if (access.extent === "whole") return found;
  const lists = [names.ids, names.receipts, names.uniqueValues];
  const count = lists.reduce((sum, { length }) => sum + length, 0);
  if (found.totalBytes > maxReadBytes && count > 1) {
    const halves = halvesOf(names).map((half) => lookUpVisible(ctx, access, half));
    return mergeLookups(await Promise.all(halves));
  }
  const items = found.items.filter((item) => matchesItem(conditionsOf(access), item));
  return { ...found, items, totalBytes: bytesOf(items) };
}

const half = <Name>(names: readonly Name[], parity: number) =>
  names.filter((_, index) => index % 2 === parity);

function halvesOf({ ids, receipts, uniqueValues }: ItemLookup): ItemLookup[] {
  // The lists alternate, so that a single name in each also splits.
  return [0, 1].map((parity) => ({
    ids: half(ids, parity),
    receipts: half(receipts, 1 - parity),
    uniqueValues: half(uniqueValues, ids.length % 2 === 0 ? parity : 1 - parity),
  }));
}

function mergeLookups(lookups: readonly ItemLookupResult[]): ItemLookupResult {
  const items = new Map(lookups.flatMap((each) => each.items).map((item) => [item.number, item]));
  const all = [...items.values()];
  return { items: all, owners: lookups.flatMap(({ owners }) => owners), totalBytes: bytesOf(all) };
}

const bytesOf = (items: readonly Item[]) =>
  items.reduce((sum, { data }) => sum + utf8Length(JSON.stringify(data)), 0);
