import type { Compiled } from "../../domain/data/compile";
import type { CollectionKind } from "../../domain/definition/collection";
import { problem } from "../../domain/problem/problem";
import { listItems } from "../../store/items/items";
import { pageBytes } from "../../store/search/plan/cost";
import type { ReadContext } from "../context";
import { showable, viewOf, type ItemView } from "../../domain/item/item-view";
import { nameWithKnown, collectionAt } from "../definitions/known-collections";

export interface ListPage {
  views: ItemView[];
  /** The number to go on behind; null at the end. */
  more: number | null;
  compiled: Compiled;
}

/**
 * A page of a collection in stored order, as the definition that is then current shows it; `more` is the number to go on
 * behind, null at the end.
 */
export async function listPage(
  ctx: ReadContext,
  kind: CollectionKind,
  key: string,
  after: number | null,
  limit: number,
): Promise<ListPage> {
  const asked = { ...nameWithKnown(kind, key), after, limit: limit + 1, bytes: pageBytes };
  const read = await listItems(ctx.db, asked);
  if (!read) throw problem.notFound();
  const { items, cut, head } = read;
  const compiled = await collectionAt(ctx.db, head);
  const page = items.slice(0, Math.min(limit, showable(items, compiled)));
  const last = page.at(-1);
  return {
    views: page.map((item) => viewOf(item, compiled)),
    more: (cut || items.length > page.length) && last ? last.number : null,
    compiled,
  };
}
