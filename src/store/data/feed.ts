import { sql, type SQL, asc, eq } from "drizzle-orm";
import { numbersOf, type Item, placesPerCollection } from "#domain/item/item.ts";
import { attempt } from "#store/db/retry.ts";
import { item, change, erasure, collection } from "#store/db/schema.ts";
import { parameters, statement } from "#store/db/statement.ts";
import { itemColumns, itemFromRow, type ItemRow } from "./items.ts";
import { changeColumns, changeFromRow, type Change, type ChangeRow, eraseOn, eraseStep } from "./changes.ts";
import { drizzle } from "drizzle-orm/d1";
import type { ItemAction } from "#domain/item/change.ts";
import { headColumns, headFromRow, type Head, type HeadRow } from "./definition-head.ts";

interface FeedValues {
  after: number;
  below: number;
  limit: number;
  bytes: number;
}

const v = parameters<FeedValues>();

/** The changes of a page with the bytes of items that stand before each; sizes are told without reading the items. */
const pageChanges = sql`(select c.*, sum(coalesce(octet_length(i.data), 0)) over (order by c.number)
      - coalesce(octet_length(i.data), 0) as spent
    from (select * from change where number > ${v.after} and number < ${v.below}
      order by number limit ${v.limit}) c
    left join item i on i.number = c.item)`;

const selectChanges = statement<FeedValues>((db) =>
  db
    .select(changeColumns)
    .from(pageChanges)
    .where(sql`spent < ${v.bytes}`)
    .orderBy(sql`number`),
);

const selectItems = statement<FeedValues>((db) =>
  db
    .select(itemColumns)
    .from(item)
    .where(sql`number in (select item from ${pageChanges} where spent < ${v.bytes})`),
);

/** Whether the change in the middle happened earlier. */
const older = (since: SQL) =>
  sql`(select at from change where number >= (low + high) / 2 order by number limit 1) < ${since}`;

/** The first number at or behind `after` whose change is not older; numbers grow with time, so halving finds it. */
const selectEdges = statement<{ above: number; below: number; after: number; since: number }>(
  (db, values) =>
    db
      .select({
        first: sql<number | null>`(select number from change where number > ${values.above}
            and number < ${values.below} order by number limit 1)`.as("first"),
        last: sql<number | null>`(select number from change where number > ${values.above}
            and number < ${values.below} order by number desc limit 1)`.as("last"),
        next_at: sql<number | null>`(select at from change where number > ${values.after}
            and number < ${values.below} order by number limit 1)`.as("next_at"),
        kept: sql<number | null>`(with recursive half (low, high) as (
            select (select number from change where number > ${values.above} and number < ${values.below}
                order by number limit 1),
              (select number from change where number > ${values.above} and number < ${values.below}
                order by number desc limit 1) + 1
            union all
            select iif(${older(values.since)}, (low + high) / 2 + 1, low),
              iif(${older(values.since)}, high, (low + high) / 2)
              from half where low < high)
          select low from half where low >= high)`.as("kept"),
      })
      .from(sql`(select 1)`),
);

interface Edges {
  /** The numbers of the first and the last change that are stored. */
  first: number | null;
  last: number | null;
  /** When the change happened that comes next. */
  next_at: number | null;
  /** The first number that is not older than `since`; one beyond the last where all are. */
  kept: number | null;
}

export interface FeedPage {
  changes: Change[];
  /** The items of these changes that are there now, by their numbers. */
  items: Map<number, Item>;
  edges: { first: number | null; last: number | null; nextAt: number | null; kept: number | null };
}

/** Changes of a collection behind `after`, at most `limit` of them and `bytes` of items; and what is kept at all. */
export async function readFeed(
  db: D1Database,
  collectionId: number,
  after: number | null,
  { limit, bytes, since }: { limit: number; bytes: number; since: number },
): Promise<FeedPage> {
  const { above, below } = numbersOf(collectionId);
  const from = after ?? above;
  const values = { after: from, below, limit, bytes };
  const [edges, rows, items] = await attempt(() =>
    db.batch([
      selectEdges(db, { above, below, after: from, since }),
      selectChanges(db, values),
      selectItems(db, values),
    ]),
  );
  const [found] = (edges?.results ?? []) as Edges[];
  const { first = null, last = null, next_at: nextAt = null, kept = null } = found ?? {};
  return {
    changes: ((rows?.results ?? []) as ChangeRow[]).map(changeFromRow),
    items: new Map(
      ((items?.results ?? []) as ItemRow[]).map((row) => [row.number, itemFromRow(row)] as const),
    ),
    edges: { first, last, nextAt, kept },
  };
}

/** Erases former values of deleted items, a step of them; gives whether there may be more. */
export async function sweepErasures(db: D1Database): Promise<boolean> {
  const orm = drizzle(db);
  const [first] = await attempt(() =>
    orm.select().from(erasure).orderBy(asc(erasure.change)).limit(1),
  );
  if (!first) return false;
  const from = { from: first.change };
  const done = orm.delete(erasure).where(eq(erasure.change, first.change)).toSQL();
  await attempt(() =>
    db.batch([eraseStep(db, from), eraseOn(db, from), db.prepare(done.sql).bind(...done.params)]),
  );
  return true;
}

const collectionsPerStep = 500;
const rowsPerStep = 1000;
const day = 24 * 60 * 60 * 1000;
const room = sql.raw(String(placesPerCollection));

/** The first row of each collection is its oldest. */
const oldest = sql`(select number from change where number > c.id * ${room}
  and number < (c.id + 1) * ${room} order by number limit 1)`;
const newest = sql`(select number from change where number > c.id * ${room}
  and number < (c.id + 1) * ${room} order by number desc limit 1)`;

/**
 * Deletes changes that are kept no longer, of the collections from this id on; the last one of each stays. Gives the id
 * to go on from, null at the end, and whether the same ones have more to delete.
 */
export async function sweepHistory(
  db: D1Database,
  now: number,
  from: number,
): Promise<{ next: number | null; more: boolean }> {
  const orm = drizzle(db);
  const some = sql`(select c.id, ${oldest} as oldest, ${newest} as newest, ${now} - c.history_days * ${sql.raw(String(day))} as kept
    from collection c where c.id >= ${from} order by c.id limit ${sql.raw(String(collectionsPerStep))})`;
  const expired = sql`(select x.number from ${some} c join change x
      on x.number in (select number from change where number >= c.oldest and number < c.newest
        and at < c.kept and (select at from change where number = c.oldest) < c.kept order by number limit ${sql.raw(String(rowsPerStep))})
    limit ${sql.raw(String(rowsPerStep))})`;
  const [ids, deleted] = await attempt(() =>
    orm.batch([
      orm.select({ last: sql<number | null>`max(id)`, count: sql<number>`count(*)` }).from(some),
      orm.delete(change).where(sql`number in ${expired}`),
    ]),
  );
  const [found] = ids;
  const full = found !== undefined && found.count === collectionsPerStep && found.last !== null;
  return { next: full ? (found.last ?? 0) + 1 : null, more: deleted.meta.changes === rowsPerStep };
}

/** Changes that are looked at in one step, for one that is to be told. */
const window = 1000;

interface Values {
  after: number;
  below: number;
  /** Names of acts, JSON. */
  actions: string;
}

const vOfNextChange = parameters<Values>();
const scanned = sql`(select * from change where number > ${vOfNextChange.after} and number < ${vOfNextChange.below}
  order by number limit ${sql.raw(String(window))})`;
const first = sql`(select * from ${scanned} where action in (select value from json_each(${vOfNextChange.actions}))
  order by number limit 1)`;

const selectEnd = statement<Values>((db) =>
  db
    .select({
      through: sql<number | null>`max(number)`.as("through"),
      count: sql<number>`count(*)`.as("count"),
    })
    .from(scanned),
);

const selectFirst = statement<Values>((db) => db.select(changeColumns).from(first));

const selectItem = statement<Values>((db) =>
  db
    .select(itemColumns)
    .from(item)
    .where(sql`number = (select item from ${first})`),
);

const selectHead = statement<{ id: number; known: string }>((db, { id, known }) =>
  db.select(headColumns(known)).from(collection).where(eq(collection.id, id)),
);

export interface NextChange {
  change: Change | null;
  /** As it is now; null where it has gone. */
  item: Item | null;
  /** All changes up to this one are looked at. */
  through: number;
  /** Whether that is the present end. */
  atEnd: boolean;
  head: Head;
}

/** The first change behind `after` that is one of these acts, and its item as it is now. */
export async function nextChange(
  db: D1Database,
  collectionId: number,
  after: number,
  actions: readonly ItemAction[],
  known: string,
): Promise<NextChange> {
  const { below } = numbersOf(collectionId);
  const values = { after, below, actions: JSON.stringify(actions) };
  const [end, changes, items, collections] = await attempt(() =>
    db.batch([
      selectEnd(db, values),
      selectFirst(db, values),
      selectItem(db, values),
      selectHead(db, { id: collectionId, known }),
    ]),
  );
  const [scan] = (end?.results ?? []) as { through: number | null; count: number }[];
  const [row] = (changes?.results ?? []) as ChangeRow[];
  const [found] = (items?.results ?? []) as ItemRow[];
  const [own] = (collections?.results ?? []) as HeadRow[];
  const change = row ? changeFromRow(row) : null;
  return {
    change,
    item: found ? itemFromRow(found) : null,
    through: change?.number ?? scan?.through ?? after,
    atEnd: change === null && (scan?.count ?? 0) < window,
    head: own ? headFromRow(own) : { id: collectionId, fresh: null },
  };
}
