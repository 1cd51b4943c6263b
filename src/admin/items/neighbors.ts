import type { Context } from "hono";
import type { CollectionKind } from "#domain/definition/collection.ts";
import type { AdminEnv } from "#http/env.ts";
import { problem } from "#domain/problem/problem.ts";
import { readTexts } from "#admin/preferences.ts";
import { sendOutcome } from "#admin/page.ts";
import { getStoredCollection, itemsPath, keyParam } from "./load-item.ts";
import { loadItems } from "./list/load-list.ts";
import { nextPage, pageParams, pagePath, previousPage } from "./list/pages.ts";
import { parseQuery, type Query } from "./list/query.ts";

/** The place of an item in the list in which a member opened it: the page of the list, and the index on the page. */
export interface Place {
  query: Query;
  at: number;
}

const maxListLength = 8000;
/** The maximum number of previous pages in the trail. More would make the links of items too long. */
const maxTrail = 4;

/** Returns the parameters of an item's path that contain its place in the list. */
function placeParams({ query, at }: Place): string {
  const trail = query.trail.slice(-maxTrail);
  const list = pageParams({ ...query, trail }).toString();
  return new URLSearchParams({ list, at: String(at) }).toString();
}

/** Reads the place from the path of an item. Undefined when the member did not come from a list. */
export function readPlace(c: Context<AdminEnv>): Place | undefined {
  const [list, at = ""] = [c.req.query("list"), c.req.query("at")];
  if (list === undefined || list.length > maxListLength || !/^\d{1,3}$/.test(at)) return undefined;
  return { query: parseQuery(list), at: Number(at) };
}

/** Returns the path of an item with its place in the list. */
export function withPlace(path: string, place: Place | undefined, flag = ""): string {
  const parts = [flag, place ? placeParams(place) : ""].filter((part) => part !== "");
  return parts.length === 0 ? path : `${path}?${parts.join("&")}`;
}

interface Neighbor extends Place {
  id: string;
}

/** Redirects the member to the next or the previous item of the current list. */
export async function stepToNeighbor(c: Context<AdminEnv>, kind: CollectionKind) {
  const place = readPlace(c);
  const direction = c.req.query("step");
  if (!place || (direction !== "next" && direction !== "previous")) throw problem.notFound();
  const base = itemsPath(c, kind);
  const neighbor = await findNeighbor(c, kind, place, direction === "next");
  if (neighbor) {
    const to = withPlace(`${base}/${neighbor.id}`, neighbor);
    return sendOutcome(c, { to, document: { id: neighbor.id, at: neighbor.at } });
  }
  const text = readTexts(c).itemList;
  const flash = direction === "next" ? text.noNext : text.noPrevious;
  return sendOutcome(c, { to: pagePath(base, place.query), flash, document: { id: null } });
}

async function findNeighbor(
  c: Context<AdminEnv>,
  kind: CollectionKind,
  { query, at }: Place,
  isNext: boolean,
): Promise<Neighbor | undefined> {
  const id = c.req.param("id") ?? "";
  const { views, next } = await loadListPage(c, kind, query);
  const index = views.findIndex((view) => view.id === id);
  // If the item no longer matches, the item that followed it has its place.
  const target = isNext ? (index === -1 ? at : index + 1) : (index === -1 ? at : index) - 1;
  const neighbor = views[target];
  if (neighbor) return { id: neighbor.id, query, at: target };
  const other = isNext
    ? next !== null && nextPage(query, next, views.length)
    : target < 0 && previousPage(query);
  if (!other) return undefined;
  const page = await loadListPage(c, kind, other);
  const nextItem = isNext ? page.views[0] : page.views.at(-1);
  return nextItem && { id: nextItem.id, query: other, at: isNext ? 0 : page.views.length - 1 };
}

function loadListPage(c: Context<AdminEnv>, kind: CollectionKind, query: Query) {
  return loadItems(c, c.var.action, kind, keyParam(c), query, () => getStoredCollection(c, kind));
}
