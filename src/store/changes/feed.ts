import { sql, type SQL } from "drizzle-orm";
import { numbersOf, type Item } from "../../domain/item/item";
import { attempt } from "../db/attempt";
import { item } from "../db/schema";
import { parameters, statement } from "../db/statement";
import { itemColumns, itemFromRow, type ItemRow } from "../items/item-row";
import { changeColumns, changeFromRow, type Change, type ChangeRow } from "./change-row";

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
