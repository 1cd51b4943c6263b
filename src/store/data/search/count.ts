import { Values } from "./conditions.ts";
import { candidatesWithin, perCandidate } from "./cost.ts";
import { driverSql, findDrivers, isValue, onlyDriver, probeSql, type EntryDriver } from "./driver.ts";
import { inRange, isCreatedRange, itemRange, withRange, type Driver, behindAll } from "./ranges.ts";
import type { PageStatement } from "./page.ts";
import type { Plan } from "./plan.ts";
import { conditionsSql, countWithin, candidatesSql, ownItem, sizeSql, type RangedWalk, type Walk } from "./scan.ts";
import { numbersOf } from "#domain/item/item.ts";
import type { TextSearch } from "#domain/search/text.ts";
import { sortedInMemory } from "./sort-scan.ts";
import { eq, sql } from "drizzle-orm";
import { indexing, tally } from "#store/db/schema.ts";
import { statement } from "#store/db/statement.ts";

/** How many items match: so many and no more, or so many at the least. */
export interface Count {
  count: number;
  exact: boolean;
}

/**
 * How many items match in all, whichever page it is: told by the tally, by the index, or by looking at as many items as
 * a page may, which all that a narrow condition leaves are. Its row is a count, where `exact` is 0 or 1.
 */
export function countStatement(plan: Plan, walk: Walk): PageStatement {
  const values = new Values();
  const range = itemRange(walk.collectionId, walk.search, values);
  const text = withRange(range, countSql(plan, { ...walk, range }, values));
  return { text, values: values.json };
}

function countSql(plan: Plan, walk: RangedWalk, values: Values): string {
  const { conditions } = walk.search;
  if (conditions.length === 0) {
    return `select live as count, 1 as exact from tally where collection_id = ${walk.collectionId}`;
  }
  const asked = conditions.filter((each) => !isCreatedRange(each));
  if (asked.length === 0) return countRange(walk);
  const planned = plan.walk === "none" || plan.walk === "value" ? plan.driver : null;
  if (planned && "by" in planned) return countItems(planned, walk, values);
  const few = plan.walk === "none" && (planned !== null || asked.length < conditions.length);
  if (few && conditions.length > 1) return countItems(planned, walk, values);
  const told = asked.map(onlyDriver);
  if (told.every((driver) => driver !== undefined) && countable(told)) {
    return countEntries(told, planned, walk, values);
  }
  const drivers = findDrivers(walk.search);
  return countItems(planned ?? drivers.find(isValue) ?? drivers[0] ?? null, walk, values);
}

/** All items of the range, without looking at them. */
function countRange({ range, budget }: RangedWalk): string {
  return `select min(count(*), ${budget}) as count, count(*) <= ${budget} as exact
    from (select 1 from (select number as item from item) c where ${inRange(range)} limit ${budget + 1})`;
}

/** Whether the index tells of each entry of one what the others say: of values it does at once, of ranges it does not. */
function countable(drivers: readonly EntryDriver[]): boolean {
  return drivers.filter(({ range }) => !("at" in range)).length <= 1;
}

/** No item is read: the entries of one driver are counted, where the others have the same item. */
function countEntries(
  drivers: readonly EntryDriver[],
  planned: EntryDriver | null,
  { range, budget }: RangedWalk,
  values: Values,
): string {
  const wide = drivers.find((each) => !("at" in each.range));
  const same = drivers.find(({ field }) => field.number === planned?.field.number);
  const driver = wide ?? same ?? drivers[0];
  if (!driver) throw new Error("There is nothing to count by.");
  const probes = drivers.filter((each) => each !== driver).map((each) => probeSql(each, values));
  const most = candidatesWithin(budget, 1 + probes.length);
  // Of one value the range is a part of its entries; of several it says which of them count.
  const within = isValue(driver) ? ` and ${inRange(range)}` : "";
  const entries = `select c.item from search_entry c where ${driverSql(driver, values)}${within} limit ${most + 1}`;
  const matches = [inRange(range), ...probes].join(" and ");
  return `select min(count(distinct c.item) filter (where ${matches}), ${most}) as count, count(*) <= ${most} as exact
    from (${entries}) c`;
}

/** The items of the driver, or all of the range, newest first, as many as a page may look at. */
function countItems(driver: Driver | null, walk: RangedWalk, values: Values): string {
  const { search, budget } = walk;
  const inOrder = driver === null || "by" in driver || isValue(driver);
  const newestFirst = inOrder ? " order by c.item desc" : "";
  const candidates = `select c.item from ${candidatesSql(driver, walk, values)}${newestFirst}`;
  const most = candidatesWithin(budget, perCandidate([], search.conditions));
  return `with ${sizeSql(walk, most, 0, countWithin(walk, candidates, most))}
    select count(distinct i.number) filter (where ${conditionsSql(walk, values)}) as count,
      count(*) < max(1, (select size from n)) as exact
    from (${candidates} limit (select size from n)) c cross join item i on ${ownItem(walk)}`;
}

export type Starts = TextSearch["starts"];

/** Entries, ids and receipt numbers that are each read to find what leads, and the items that do. */
const mostEntries = 200;
const mostLeading = 20;

/**
 * The newest items with a value that begins with one of the texts, of those that the index finds first. They are found
 * among however many items, where a walk would come to them late.
 */
export function leadingStatement(walk: Walk, starts: Starts): PageStatement {
  const values = new Values();
  const ways = [entriesSql(starts, values), idsSql(starts, values)];
  if (starts.places.length > 0) ways.push(receiptsSql(walk, starts, values));
  const found = ways.map((way) => `select item from (${way} limit ${mostEntries})`);
  const candidates = `select distinct item from (${found.join(" union all ")})`;
  const text = sortedInMemory(candidates, { ...walk, start: null }, mostLeading, values);
  return { text, values: values.json };
}

function entriesSql({ texts, fields }: Starts, values: Values): string {
  const indexed = fields.filter(({ source }) => source.in !== "system");
  const numbers = values.table(indexed.map(({ number }) => number));
  return `select c.item from ${numbers} f cross join ${rangesOf(texts, values)} r
      cross join search_entry c on c.field = f.value and c.value >= r.value ->> 0 and c.value < r.value ->> 1`;
}

/** Ids of all collections stand together; the first ones that begin so may be others'. */
function idsSql({ texts }: Starts, values: Values): string {
  return `select c.number as item from ${rangesOf(texts, values)} r
      cross join item c on c.id >= r.value ->> 0 and c.id < r.value ->> 1`;
}

function receiptsSql({ collectionId }: Walk, { places }: Starts, values: Values): string {
  const { above } = numbersOf(collectionId);
  return `select c.number as item from ${values.table(places)} r
      cross join item c on c.number >= ${above} + (r.value ->> 0) and c.number < ${above} + (r.value ->> 1)`;
}

/** The texts from where those begin that begin so, up to where they end. */
function rangesOf(texts: readonly string[], values: Values): string {
  const ranges = texts.flatMap((text) => {
    const end = behindAll(text);
    return end === undefined ? [] : [[text, end]];
  });
  return values.table(ranges);
}

/** How many items a collection holds, and, while some lack search entries, how far the work is. */
export interface Standing {
  live: number;
  indexing: { done: number; total: number } | null;
}

export const selectStanding = statement<{ id: number }>((db, { id }) =>
  db
    .select({
      live: tally.live,
      done: sql`${indexing.done}`.as("done"),
      total: sql`${indexing.total}`.as("total"),
    })
    .from(tally)
    .leftJoin(indexing, eq(indexing.collectionId, tally.collectionId))
    .where(eq(tally.collectionId, id)),
);

export function standingOf(read: D1Result | undefined): Standing | null {
  const [row] = (read?.results ?? []) as { live: number; done: number | null; total: number }[];
  if (!row) return null;
  const { live, done, total } = row;
  return { live, indexing: done === null ? null : { done, total } };
}
