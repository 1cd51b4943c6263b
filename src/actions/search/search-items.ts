import type { Position, WholePosition } from "../../domain/cursor";
import type { Compiled } from "../../domain/data/compile";
import { fieldNumber } from "../../domain/data/field-number";
import { showable, viewOf, type ItemView } from "../../domain/item/item-view";
import { problem, type Problem } from "../../domain/problem/problem";
import { parseSearch } from "../../domain/search/parse";
import { namedFields, type Search } from "../../domain/search/tree";
import { findPage, type TooMuch } from "../../store/search/find-page";
import { mostSorted } from "../../store/search/plan";
import type { Page } from "../../store/search/read-page";
import type { ActionContext } from "../context";
import { resume } from "../definitions/catch-up";
import { collectionAt } from "../definitions/known-collections";
import { currentOf, type CollectionNow } from "../items/draft";
import { untilSettled } from "../until-settled";

export interface SearchPage {
  views: ItemView[];
  /** The position to go on behind; null at the end. A page can be short, even empty, and still have one. */
  more: WholePosition | null;
}

/** A page of the items that match. */
export async function searchItems(
  ctx: ActionContext,
  known: Compiled,
  body: unknown,
  after: Position | null,
  limit?: number,
): Promise<SearchPage> {
  let compiled = known;
  return untilSettled(async () => {
    const { collection } = compiled;
    const search = await parseNow(ctx, compiled, body);
    if ("compiled" in search) {
      ({ compiled } = search);
      return undefined;
    }
    const rows = limit ?? search.limit;
    const page = await findPage(ctx.db, collection.id, search, after, rows + 1);
    if ("tooMuch" in page) throw unsortable(page);
    if (page.revision === collection.revision) {
      refuseUnfinished(ctx, collection.id, search, page.unfinished);
      return showPage(compiled, search, page, rows);
    }
    compiled = await collectionAt(ctx.db, collection.id, page.revision);
    return undefined;
  });
}

/** The search; or the collection as it is now, where an older definition would have refused it. */
async function parseNow(
  ctx: ActionContext,
  compiled: Compiled,
  body: unknown,
): Promise<Search | CollectionNow> {
  try {
    return parseSearch(compiled.collection, body);
  } catch (error) {
    const now = await currentOf(ctx, compiled);
    if (now.compiled === compiled) throw error;
    return now;
  }
}

/** A search that needs entries which are still being made would miss items. */
function refuseUnfinished(
  ctx: ActionContext,
  collectionId: number,
  search: Search,
  unfinished: readonly number[],
): void {
  const numbers = new Set(unfinished.map((id) => fieldNumber(collectionId, id)));
  const waiting = namedFields(search).filter(({ number }) => numbers.has(number));
  if (waiting.length === 0) return;
  resume(ctx);
  throw problem.indexing([...new Set(waiting.map(({ name }) => name))]);
}

const tooMuchToSort: Record<TooMuch["tooMuch"], string> = {
  items: `In a collection of more than ${mostSorted} items a second sort key needs conditions that the index narrows to at most so many.`,
  bytes:
    "These items are too large, for these conditions, to be sorted by a second key: narrow them, or look for shorter texts.",
};

function unsortable({ tooMuch }: TooMuch): Problem {
  const at = { field: "sort[1]", pointer: "/sort/1" };
  return problem.invalidInput([{ ...at, code: "too_complex", reason: tooMuchToSort[tooMuch] }]);
}

function showPage(
  compiled: Compiled,
  { fields }: Search,
  { hits, edge }: Page,
  rows: number,
): SearchPage {
  const items = hits.map(({ item }) => item);
  const shown = hits.slice(0, Math.min(rows, showable(items, compiled)));
  const full = hits.length > shown.length;
  return {
    views: shown.map(({ item }) => project(viewOf(item, compiled), fields)),
    more: full ? (shown.at(-1)?.position ?? null) : edge,
  };
}

function project(view: ItemView, fields: string[] | null): ItemView {
  if (!fields) return view;
  const { data } = view;
  const shown = fields.filter((key) => Object.hasOwn(data, key));
  return { ...view, data: Object.fromEntries(shown.map((key) => [key, data[key]])) };
}
