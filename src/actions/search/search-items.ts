import type { Compiled } from "../../domain/data/compile";
import { problem } from "../../domain/problem/problem";
import { parseSearch } from "../../domain/search/parse";
import { fieldNumber } from "../../domain/data/field-number";
import { fieldsOf, mostSorted, planOf, probesOf } from "../../domain/search/plan";
import type { Search } from "../../domain/search/tree";
import type { Place } from "../../domain/cursor";
import { probeSizes, readPage, type FoundPlace, type Page } from "../../store/search/search";
import { scanBudget } from "../../store/search/cost";
import { positionOf } from "../../store/search/position";
import { resume } from "../definitions/catch-up";
import type { ActionContext } from "../context";
import { currentOf, type CollectionNow } from "../items/draft";
import { showable, viewOf, type ItemView } from "../../domain/item/item-view";
import { collectionAt } from "../definitions/known-collections";
import { untilSettled } from "../until-settled";

export interface Found {
  views: ItemView[];
  /** The place to go on from; null at the end. A page can be short, even empty, and still have one. */
  more: FoundPlace | null;
  /** The keys that were asked for; null for all. */
  fields: string[] | null;
  /** What they are shown by. */
  compiled: Compiled;
}

/** A page of the items that match, in at most two round trips: one to plan, where that pays, and the page. */
export async function searchItems(
  ctx: ActionContext,
  known: Compiled,
  body: unknown,
  place: Place | null,
  limit?: number,
): Promise<Found> {
  let compiled = known;
  return untilSettled(async () => {
    const { collection } = compiled;
    const search = await parsed(ctx, compiled, body);
    if ("compiled" in search) {
      ({ compiled } = search);
      return undefined;
    }
    const rows = limit ?? search.limit;
    const page = await pageOf(ctx, collection.id, search, place, rows + 1);
    if (page.revision === collection.revision) {
      refuseUnfinished(ctx, collection.id, search, page.unfinished);
      return found(compiled, search, page, rows);
    }
    compiled = await collectionAt(ctx.db, collection.id, page.revision);
    return undefined;
  });
}

/** The search; or the collection as it is now, where an older definition would have refused it. */
async function parsed(
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

async function pageOf(
  ctx: ActionContext,
  collectionId: number,
  search: Search,
  place: Place | null,
  rows: number,
): Promise<Page> {
  const { drivers, upTo } = probesOf(search);
  const probing = drivers.length > 0 || search.sort.length > 1;
  const [{ sizes, whole }, position] = await Promise.all([
    probing ? probeSizes(ctx.db, collectionId, drivers, upTo) : nothingProbed,
    place && positionOf(ctx.db, search.sort, place),
  ]);
  const plan = planOf(search, sizes, whole);
  if (!plan) throw tooManyToSort();
  const walk = { collectionId, search, position, budget: scanBudget };
  const page = await readPage(ctx.db, plan, walk, rows);
  if (page.heavy) throw tooMuchToSort();
  return page;
}

const nothingProbed = { sizes: [], whole: { live: 0, largest: 0 } };

/** A search that needs entries which are still being made would miss items. */
function refuseUnfinished(
  ctx: ActionContext,
  collectionId: number,
  search: Search,
  unfinished: readonly number[],
): void {
  const numbers = new Set(unfinished.map((id) => fieldNumber(collectionId, id)));
  const waiting = fieldsOf(search).filter(({ number }) => numbers.has(number));
  if (waiting.length === 0) return;
  resume(ctx);
  throw problem.indexing([...new Set(waiting.map(({ name }) => name))]);
}

function tooManyToSort() {
  return refusedSort(
    `In a collection of more than ${mostSorted} items a second sort key needs conditions that the index narrows to at most so many.`,
  );
}

function tooMuchToSort() {
  return refusedSort(
    `These items are too large, for these conditions, to be sorted by a second key: narrow them, or look for shorter texts.`,
  );
}

function refusedSort(reason: string) {
  const at = { field: "sort[1]", pointer: "/sort/1" };
  return problem.invalidInput([{ ...at, code: "too_complex", reason }]);
}

function found(compiled: Compiled, search: Search, { hits, edge }: Page, rows: number): Found {
  const items = hits.map(({ item }) => item);
  const shown = hits.slice(0, Math.min(rows, showable(items, compiled)));
  const full = hits.length > shown.length;
  return {
    views: shown.map(({ item }) => projected(viewOf(item, compiled), search.fields)),
    more: full ? (shown.at(-1)?.place ?? null) : edge,
    fields: search.fields,
    compiled,
  };
}

function projected(view: ItemView, fields: string[] | null): ItemView {
  if (!fields) return view;
  const { data } = view;
  const shown = fields.filter((key) => Object.hasOwn(data, key));
  return { ...view, data: Object.fromEntries(shown.map((key) => [key, data[key]])) };
}
