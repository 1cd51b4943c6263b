import type { Compiled } from "#domain/data/compile.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { problem } from "#domain/problem/problem.ts";
import { listItems } from "#store/data/items.ts";
import { pageBytes } from "#store/data/search/cost.ts";
import type { ReadContext, ActionContext } from "./context.ts";
import { showable, viewOf, type ItemView } from "#domain/item/item.ts";
import { nameWithKnown, collectionAt } from "./collection-cache.ts";
import { showData } from "#domain/data/values.ts";
import { takenValues } from "#store/data/item-ranges.ts";
import { newItem, readCurrent, draftOf, duplicateProblem, refuseClosed, refuseEmptied } from "./create-item.ts";

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

/** Everything that a create would check, with nothing written: refuses as the create would. */
export async function validateItem(
  ctx: ActionContext,
  known: Compiled,
  body: unknown,
): Promise<Pick<ItemView, "key" | "status" | "data" | "warnings">> {
  const now = await readCurrent(ctx, known);
  refuseClosed(now, ctx.now());
  const { compiled } = now;
  const draft = draftOf(compiled, body, ctx.now());
  if (draft.errors.length > 0) throw problem.invalidInput(draft.errors);
  const { status, data, warnings } = draft;
  refuseEmptied(compiled.collection, data);
  const { unique } = newItem(ctx, compiled, draft).item;
  const taken = unique.length > 0 ? await takenValues(ctx.db, unique, null) : [];
  if (taken.length > 0) throw duplicateProblem(ctx, compiled, taken);
  return { key: compiled.collection.key, status, data: showData(compiled, data), warnings };
}
