import type { Compiled } from "../../domain/data/compile";
import { listItems } from "../../store/items/items";
import { pageBytes } from "../../store/search/cost";
import type { ActionContext } from "../context";
import { showable, viewOf, type ItemView } from "../../domain/item/item-view";
import { collectionAt } from "../definitions/known-collections";

/** A page of a collection in stored order; `more` is the number to go on behind, null at the end. */
export async function listPage(
  ctx: ActionContext,
  { collection }: Compiled,
  after: number | null,
  limit: number,
): Promise<{ views: ItemView[]; more: number | null }> {
  const { items, cut, revision } = await listItems(
    ctx.db,
    collection.id,
    after,
    limit + 1,
    pageBytes,
  );
  const compiled = await collectionAt(ctx.db, collection.id, revision);
  const page = items.slice(0, Math.min(limit, showable(items, compiled)));
  const last = page.at(-1);
  return {
    views: page.map((item) => viewOf(item, compiled)),
    more: (cut || items.length > page.length) && last ? last.number : null,
  };
}
