import { Values } from "./conditions.ts";
import { lookUps, perCandidate, candidatesWithin } from "./cost.ts";
import { driverSql, onlyDriver, probeSql } from "./driver.ts";
import { behind, inRange, itemRange, withRange } from "./ranges.ts";
import type { Plan } from "./plan.ts";
import { sortedInMemory, sortWalk } from "./sort-scan.ts";
import { columns, conditionsSql, countWithin, full, candidatesSql, measuredSql, noColumns, ownItem, sizeSql, upwards, withinBytes, type RangedWalk, type Walk } from "./scan.ts";
import { eq, sql } from "drizzle-orm";
import type { WholePosition } from "#domain/cursor.ts";
import type { Item } from "#domain/item/item.ts";
import { attempt } from "#store/db/retry.ts";
import { itemFromRow, type ItemRow } from "#store/data/items.ts";
import { collection, indexing } from "#store/db/schema.ts";
import { statement } from "#store/db/statement.ts";
import { headColumns, headFromRow, type Head, type HeadRow } from "#store/data/definition-head.ts";
import { selectStanding, standingOf, type Standing, countStatement, type Count, leadingStatement, type Starts } from "./count.ts";

/** A statement of one parameter. */
export interface PageStatement {
  text: string;
  values: string;
}

/**
 * The page of a plan. Its rows are of a `kind`: `hit` is an item, with its position in `k0`, `k1`, …; `edge` is the
 * position up to which was looked when the budget was spent before the page was full; `heavy` says that there is too much
 * to sort. Neither edge nor a full page: the end.
 */
export function pageStatement(plan: Plan, walk: Walk, rows: number): PageStatement {
  const values = new Values();
  const range = itemRange(walk.collectionId, walk.search, values);
  const text = withRange(range, sqlOf(plan, { ...walk, range }, rows, values));
  return { text, values: values.json };
}

function sqlOf(plan: Plan, walk: RangedWalk, rows: number, values: Values): string {
  switch (plan.walk) {
    case "none":
      return sortedInMemory(
        `select distinct c.item from ${candidatesSql(plan.driver, walk, values)}`,
        walk,
        rows,
        values,
      );
    case "items":
      return itemWalk(walk, rows, values);
    case "value":
      return valueWalk(plan, walk, rows, values);
    case "sort":
      return sortWalk(plan, walk, rows, values);
  }
}

/** The items by their numbers, within a window that is the budget. */
function itemWalk(walk: RangedWalk, rows: number, values: Values): string {
  const { conditions, order } = walk.search;
  if (conditions.length === 0) return everyItem(walk, rows, values);
  const most = candidatesWithin(walk.budget, 1 + lookUps(conditions));
  if (order === "desc") return downwards(walk, rows, values, most);
  return `with ${upwards(walk, rows, values, {
    after: walk.start?.number ?? null,
    limit: String(rows),
    most,
    position: (number) => `${number} as k0`,
    where: conditionsSql(walk, values),
  })}`;
}

function downwards(walk: RangedWalk, rows: number, values: Values, most: number): string {
  const at = walk.start && values.scalar(walk.start.number);
  const { above, below: from } = behind(walk.range, "desc", at);
  const top = `(select max(number) from item where number > ${above} and number < ${from})`;
  // One bound on each side: SQLite seeks by one, and would read the rows that a second one leaves out.
  const newest = `select number as item from item where number <= (select number from top)
      and number > (select max(${above}, number - ${most}) from top) order by number desc`;
  const size = `(select number from top) - ${withinBytes("min(item)")} + 1`;
  const measured = measuredSql(walk, newest, most, size);
  return `with top(number) as materialized (select ${top}), ${sizeSql(walk, most, rows, measured)},
      bottom(number) as materialized (select top.number - n.size from top, n),
      page as materialized (
      select 'hit' as kind, i.number as k0, ${columns} from top cross join item i
      where i.number <= top.number and i.number > (select max(${above}, number) from bottom)
        and ${conditionsSql(walk, values)}
      order by i.number desc limit ${rows})
    select * from page
    union all
    select 'edge', bottom.number + 1, ${noColumns} from bottom
    where (select count(*) from page) < ${rows}
      and exists (select 1 from item where number > ${above} and number <= bottom.number)`;
}

/** Without conditions every candidate is a match, and the page is full unless it would be too large. */
function everyItem(walk: RangedWalk, rows: number, values: Values): string {
  const { order } = walk.search;
  const at = walk.start && values.scalar(walk.start.number);
  const { above, below } = behind(walk.range, order, at);
  const candidates = `select number as item from item where number > ${above} and number < ${below} order by number ${order}`;
  const found = `from item i where i.number > ${above} and i.number < ${below} order by i.number ${order}`;
  return full(walk, candidates, rows, found);
}

/** The entries of one value, or the items that are named, in the order of items. */
function valueWalk(
  { driver, probes }: Extract<Plan, { walk: "value" }>,
  walk: RangedWalk,
  rows: number,
  values: Values,
): string {
  const { conditions, order } = walk.search;
  const at = walk.start && values.scalar(walk.start.number);
  const range = behind(walk.range, order, at);
  const own = candidatesSql(driver, { ...walk, range }, values);
  const where = conditionsSql(walk, values);
  const entries = `select c.item from ${own} order by c.item ${order}`;
  const [only] = conditions;
  // The value is all that the one condition says, so every candidate is a match.
  if (conditions.length === 1 && only && onlyDriver(only) && !("by" in driver)) {
    const found = `from search_entry c cross join item i on ${ownItem(walk)}
      where ${driverSql(driver, values)} and ${inRange(range)} and ${where} order by c.item ${order}`;
    return full(walk, entries, rows, found);
  }
  const most = candidatesWithin(walk.budget, perCandidate(probes, conditions));
  const probed = probes.map((probe) => `${probeSql(probe, values)} and `).join("");
  return `with ${sizeSql(walk, most, rows, countWithin(walk, entries, most))}, page as materialized (
      select 'hit' as kind, i.number as k0, ${columns}
      from (${entries} limit (select size from n)) c cross join item i on ${ownItem(walk)}
      where ${probed}${where} limit ${rows})
    select * from page
    union all
    select 'edge', c.item, ${noColumns} from (${entries}
      limit (case when (select count(*) from page) < ${rows} then 1 else 0 end) offset (select size - 1 from n)) c`;
}

/** The collection's head, and the fields that items lack entries of, where there are any. */
const selectHead = statement<{ id: number; known: string }>((builder, { id, known }) =>
  builder
    .select({ ...headColumns(known), waiting: sql`${indexing.fields}`.as("waiting") })
    .from(collection)
    .leftJoin(indexing, eq(indexing.collectionId, collection.id))
    .where(eq(collection.id, id)),
);

/** What is read in the same round trip, where it is asked for. */
export interface Besides {
  /** The definitions that need not come along (`knownStamps`). */
  known?: string;
  count?: boolean;
  leading?: Starts | null;
  standing?: boolean;
}

export interface Page {
  head: Head;
  /** Ids of fields of which not all items have their entries yet. */
  unfinished: number[];
  hits: { item: Item; position: WholePosition }[];
  /** Up to where was looked, when the budget ended the page before it was full. */
  edge: WholePosition | null;
  /** There is more than is sorted at once. */
  heavy: boolean;
  /** Of all matches, whichever page this is. */
  count: Count | null;
  /** The items that begin with the texts that were given, newest first. */
  leading: Item[];
  /** How the collection stands, where it was asked for. */
  standing: Standing | null;
}

/** `allowed` is how many items the page may have, where every candidate is one. */
type Row = ItemRow & { allowed?: number } & { kind: "hit" | "edge" | "heavy" } & Record<
    `k${number}`,
    WholePosition[number]
  >;

/** At most `rows` matches from the walk's start on, in the order of the search. */
export async function readPage(
  db: D1Database,
  plan: Plan,
  walk: Walk,
  rows: number,
  besides: Besides = {},
): Promise<Page> {
  const page = prepare(db, pageStatement(plan, walk, rows));
  const named = { id: walk.collectionId, known: besides.known ?? "{}" };
  const [head, found, counted, led, stands] = await together(db, [
    selectHead(db, named),
    page,
    besides.count ? prepare(db, countStatement(plan, walk)) : null,
    besides.leading ? prepare(db, leadingStatement(walk, besides.leading)) : null,
    besides.standing ? selectStanding(db, named) : null,
  ]);
  const read = (found?.results ?? []) as Row[];
  const position = (row: Row): WholePosition =>
    [...walk.search.sort, null].map((_, index) => row[`k${index}`] ?? null);
  const isCut = read[0]?.allowed === read.length && read.length < rows;
  const edge = isCut ? read.at(-1) : read.find((row) => row.kind === "edge");
  const { waiting, ...told } = readHead(head);
  return {
    head: headFromRow(told),
    unfinished: waiting === null ? [] : (JSON.parse(waiting) as number[]),
    hits: read
      .filter((row) => row.kind === "hit")
      .map((row) => ({ item: itemFromRow(row), position: position(row) })),
    edge: edge ? position(edge) : null,
    heavy: read.some((row) => row.kind === "heavy"),
    count: readCount(counted),
    leading: ((led?.results ?? []) as Row[]).filter(({ kind }) => kind === "hit").map(itemFromRow),
    standing: standingOf(stands),
  };
}

/** The results of those that there are, each in its own place. */
async function together(
  db: D1Database,
  statements: readonly (D1PreparedStatement | null)[],
): Promise<(D1Result | undefined)[]> {
  const asked = statements.filter((each) => each !== null);
  const results = await attempt(() => db.batch(asked));
  return statements.map((each) => (each === null ? undefined : results[asked.indexOf(each)]));
}

/** Without conditions there are no values, and D1 counts parameters. */
function prepare(db: D1Database, { text, values }: PageStatement): D1PreparedStatement {
  return text.includes("?1") ? db.prepare(text).bind(values) : db.prepare(text);
}

function readCount(counted: D1Result | undefined): Count | null {
  const [row] = (counted?.results ?? []) as { count: number; exact: number }[];
  return row ? { count: row.count, exact: row.exact === 1 } : null;
}

function readHead(head: D1Result | undefined): HeadRow & { waiting: string | null } {
  const [row] = (head?.results ?? []) as (HeadRow & { waiting: string | null })[];
  if (!row) throw new Error("A collection is gone, though collections are never deleted.");
  return row;
}
