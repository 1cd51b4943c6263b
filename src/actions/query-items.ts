import type { Position, WholePosition } from "#domain/cursor.ts";
import type { Compiled } from "#domain/data/compile.ts";
import { fieldNumber } from "#domain/data/values.ts";
import { showable, viewOf, type ItemView } from "#domain/item/item.ts";
import { problem, type Problem } from "#domain/problem/problem.ts";
import { parseSearch } from "#domain/search/parse.ts";
import { parseText } from "#domain/search/text.ts";
import { namedFields, type Search } from "#domain/search/tree.ts";
import type { Count, Standing, Starts } from "#store/data/search/count.ts";
import { knownStamps } from "#store/data/definition-head.ts";
import { findPage, type TooMuch } from "#store/data/search/find-page.ts";
import { mostSorted } from "#store/data/search/plan.ts";
import type { Page } from "#store/data/search/page.ts";
import type { ReadContext } from "./context.ts";
import { resume } from "./backfill.ts";
import { settle } from "./collection-cache.ts";
import { readCurrent, type CollectionNow } from "./create-item.ts";
import { untilSettled } from "./idempotent.ts";

export interface Browsed {
  /** A search as the API takes it. */
  body: unknown;
  /** Words that an item has somewhere in its texts, its id or its receipt number; empty for none. */
  text?: string;
  /** Whether to count all matches, and to show first what begins with the text: what people see. */
  forPeople?: boolean;
  /** Whether to tell how the collection stands. */
  withStanding?: boolean;
}

export interface BrowsedPage {
  views: ItemView[];
  /** The position to go on behind; null at the end. A page can be short, even empty, and still have one. */
  more: WholePosition | null;
  /** The items with a value that begins with the text, on a first page that nothing sorts; they are not in `views`. */
  leading: ItemView[];
  /** Of all matches, where it was asked for. */
  count: Count | null;
  /** What they are shown by. */
  compiled: Compiled;
  /** Where it was asked for. */
  standing: Standing | null;
}

/** A page of the items that match, newest first unless they are sorted. */
export async function browseItems(
  ctx: ReadContext,
  known: Compiled,
  browsed: Browsed,
  after: Position | null,
  limit?: number,
): Promise<BrowsedPage> {
  let compiled = known;
  return untilSettled(async () => {
    const { collection } = compiled;
    const asked = await parseNow(ctx, compiled, browsed);
    if ("compiled" in asked) {
      ({ compiled } = asked);
      return undefined;
    }
    const { search, starts } = asked;
    const rows = limit ?? search.limit;
    const newestFirst = search.sort.length === 0 && search.order === "desc";
    const leads = browsed.forPeople && after === null && newestFirst;
    const page = await findPage(ctx.db, collection.id, search, after, rows + 1, {
      count: browsed.forPeople ?? false,
      standing: browsed.withStanding ?? false,
      leading: leads ? starts : null,
      known: knownStamps([collection]),
    });
    if ("tooMuch" in page) throw tooComplex(page);
    compiled = settle(ctx, compiled, page.head);
    if (page.head.fresh) return undefined;
    refuseUnfinished(ctx, collection.id, search, page.unfinished);
    return showPage(compiled, search, page, rows);
  });
}

interface Asked {
  search: Search;
  starts: Starts | null;
}

/** What is searched for; or the collection as it is now, where an older definition would have refused it. */
async function parseNow(
  ctx: ReadContext,
  compiled: Compiled,
  browsed: Browsed,
): Promise<Asked | CollectionNow> {
  try {
    return parse(compiled, browsed);
  } catch (error) {
    const now = await readCurrent(ctx, compiled);
    if (now.compiled === compiled) throw error;
    return now;
  }
}

/** Refuses what the definition that is known cannot be searched for. */
export function checkSearch(known: Compiled, browsed: Browsed): void {
  parse(known, browsed);
}

function parse({ collection }: Compiled, { body, text = "" }: Browsed): Asked {
  const search = parseSearch(collection, body);
  const sought = parseText(collection, text);
  if (!sought) return { search, starts: null };
  const conditions = [...search.conditions, ...sought.words];
  return { search: { ...search, conditions }, starts: sought.starts };
}

/** A search that needs entries which are still being made would miss items. */
function refuseUnfinished(
  ctx: ReadContext,
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

const reasons: Record<TooMuch["tooMuch"], string> = {
  item: "An item here is too large for so many conditions: look for shorter texts, or leave out conditions on rows.",
  items: `In a collection of more than ${mostSorted} items a second sort key needs conditions that the index narrows to at most so many.`,
  bytes:
    "These items are too large, for these conditions, to be sorted by a second key: narrow them, or look for shorter texts.",
};

function tooComplex({ tooMuch }: TooMuch): Problem {
  const at =
    tooMuch === "item"
      ? { field: "conditions", pointer: "/conditions" }
      : { field: "sort[1]", pointer: "/sort/1" };
  return problem.invalidInput([{ ...at, code: "too_complex", reason: reasons[tooMuch] }]);
}

function showPage(
  compiled: Compiled,
  { fields }: Search,
  { hits, edge, count, leading, standing }: Page,
  rows: number,
): BrowsedPage {
  const items = hits.map(({ item }) => item);
  const shown = hits.slice(0, Math.min(rows, showable(items, compiled)));
  const full = hits.length > shown.length;
  const led = leading.slice(0, showable(leading, compiled));
  const first = new Set(led.map(({ number }) => number));
  const rest = shown.filter(({ item }) => !first.has(item.number));
  // What leads can lie behind all that was counted.
  const seen = first.size + rest.length;
  return {
    compiled,
    standing,
    views: rest.map(({ item }) => project(viewOf(item, compiled), fields)),
    more: full ? (shown.at(-1)?.position ?? null) : edge,
    leading: led.map((item) => project(viewOf(item, compiled), fields)),
    count: count && (count.exact ? count : { ...count, count: Math.max(count.count, seen) }),
  };
}

function project(view: ItemView, fields: string[] | null): ItemView {
  if (!fields) return view;
  const { data } = view;
  const shown = fields.filter((key) => Object.hasOwn(data, key));
  return { ...view, data: Object.fromEntries(shown.map((key) => [key, data[key]])) };
}

/** A page of the items that match a search of the API. */
export async function searchItems(
  ctx: ReadContext,
  known: Compiled,
  body: unknown,
  after: Position | null,
  limit?: number,
): Promise<Pick<BrowsedPage, "views" | "more" | "compiled">> {
  return browseItems(ctx, known, { body }, after, limit);
}
