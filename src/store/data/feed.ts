import {
  batchQueries,
  orm,
  query,
  type CollectionDatabase,
  type DataDatabase,
} from "#store/db/database.ts";
import { sql, type SQL, type SQLWrapper, asc, eq } from "drizzle-orm";
import { lazySql } from "#store/db/lazy.ts";
import { itemNumberRange, type Item, sequencesPerCollection } from "#domain/item/item.ts";
import type { marksFor, Matched } from "#domain/item/view-marks.ts";
import { retryTransient } from "#store/db/retry.ts";
import { item, change, erasure } from "#store/db/schema.ts";
import { dataStatement, placeholders, type Builder } from "#store/db/statement.ts";
import { itemColumns, itemFromRow, type ItemRow } from "./items.ts";
import { headFromResult, selectHead, type SearchHead } from "./search/batch.ts";
import { changeColumns, changeFromRow, type Change, type ChangeRow } from "./changes.ts";
import { queueNextErasure, eraseStep } from "./erasures.ts";
import { minChangeDays } from "./erase-expired-values.ts";

interface PageValues {
  after: number;
  below: number;
  limit: number;
  maxBytes: number;
}

interface SeenValues extends PageValues {
  /** The marks of the changes that the reader sees (`marksFor`), JSON. */
  seen: string;
}

const v = placeholders<SeenValues>();

const scannedSql = lazySql(
  () => sql`(select * from change where number > ${v.after} and number < ${v.below}
      order by number limit ${v.limit})`,
);

/**
 * The changes of a page, each with the total bytes of the items before it. The inner query computes the sizes, because
 * SQLite copies each column in the argument of a window function, which would read every item.
 */
const pageChangesSql = (where: SQLWrapper) =>
  sql`(select *, sum(size) over (order by number) - size as spent
    from (select c.*, coalesce(octet_length(i.data), 0) as size
      from ${scannedSql} c left join item i on i.number = c.item${where}))`;

const buildChanges = (db: Builder, where: SQLWrapper) =>
  db
    .select(changeColumns)
    .from(sql`${pageChangesSql(where)}`)
    .where(sql`spent < ${v.maxBytes}`)
    .orderBy(sql`number`);

const buildItems = (db: Builder, where: SQLWrapper) =>
  db
    .select(itemColumns())
    .from(item)
    .where(sql`number in (select item from ${pageChangesSql(where)} where spent < ${v.maxBytes})`);

const all = sql``;
const selectChanges = dataStatement<PageValues>((db) => buildChanges(db, all));
const selectItems = dataStatement<PageValues>((db) => buildItems(db, all));

const hasMark = (path: string) =>
  sql`instr(c.views, json_quote(${v.seen} ->> ${sql.raw(`'$.${path}'`)})) > 0`;
const hasMatched = (phase: keyof Matched) =>
  sql`(${hasMark(`${phase}.positive[0]`)} or ${hasMark(`${phase}.positive[1]`)}
    or (${hasMark(`${phase}.others`)} and not ${hasMark(`${phase}.negative`)}))`;

/** Whether a change has a mark of the reader's view at all. Most changes that it does not see have none. */
const hasAnyMark = lazySql(() => {
  const mark = sql`(${v.seen} ->> '$.before.positive[0]')`;
  return sql`instr(c.views, '"' || substr(${mark}, 1, length(${mark}) - 1)) > 0`;
});

/** Limits a page to the changes `c` whose marks say that the reader sees them, as `readMarks` does. */
const whereSeen = lazySql(
  () => sql` where ${hasAnyMark} and (${hasMatched("before")} or ${hasMatched("after")})`,
);

const selectSeenChanges = dataStatement<SeenValues>((db) => buildChanges(db, whereSeen));
const selectSeenItems = dataStatement<SeenValues>((db) => buildItems(db, whereSeen));

/**
 * Selects the changes that a page scans. The scan ends before the first change whose item exceeds the bytes of the
 * page.
 */
const selectScan = dataStatement<SeenValues>((db) =>
  db
    .select({
      number: sql<number | null>`max(c.number)`.as("number"),
      at: sql<number | null>`max(c.at)`.as("at"),
      count: sql<number>`count(*)`.as("count"),
      mark_bytes: sql<number>`coalesce(sum(octet_length(c.views)), 0)`.as("mark_bytes"),
    })
    .from(
      sql`${scannedSql} c cross join (select min(number) as number from ${pageChangesSql(whereSeen)}
        where spent >= ${v.maxBytes}) cut`,
    )
    .where(sql`cut.number is null or c.number < cut.number`),
);

type ScanRow = Record<"number" | "at", number | null> & Record<"count" | "mark_bytes", number>;

/** True when the change halfway between `low` and `high` is older than `since`. */
const isMiddleOlderSql = (since: SQL) =>
  sql`(select at from change where number >= (low + high) / 2 order by number limit 1) < ${since}`;

/** Selects the edges of the feed. Times grow with the numbers, so a binary search finds `kept`. */
const selectEdges = dataStatement<{ above: number; below: number; after: number; since: number }>(
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
            select iif(${isMiddleOlderSql(values.since)}, (low + high) / 2 + 1, low),
              iif(${isMiddleOlderSql(values.since)}, high, (low + high) / 2)
              from half where low < high)
          select low from half where low >= high)`.as("kept"),
      })
      .from(sql`(select 1)`),
);

interface EdgeRow {
  /** The numbers of the first and the last change that are stored. */
  first: number | null;
  last: number | null;
  /** The time of the first change after `after`. */
  next_at: number | null;
  /** The first number that is not older than `since`. If all are older, one above the last. */
  kept: number | null;
}

export interface FeedPage {
  head: SearchHead;
  changes: Change[];
  /** The items of these changes that still exist, by number. */
  items: Map<number, Item>;
  edges: {
    first: number | null;
    last: number | null;
    nextAt: number | null;
    firstKept: number | null;
  };
  /** The last change that the page scanned, or null, the number of scanned changes, and the bytes of marks it searched. */
  scanned: { last: Pick<Change, "number" | "at"> | null; count: number; markBytes: number };
}

/** The limits of one read of a feed. */
export interface FeedLimits {
  /** The number of changes to scan. */
  limit: number;
  /** The bytes of the items of the changes that the reader sees. */
  maxBytes: number;
  since: number;
}

/** The changes that a reader sees: all, or only those with marks of a view (`marksFor`). */
export type SeenChanges = "all" | ReturnType<typeof marksFor>;

/**
 * Loads the changes after `after` that the reader sees, with the edges of the feed and the head of the collection. Throws
 * 404 if the collection is gone.
 */
export async function loadFeedPage(
  db: CollectionDatabase,
  after: number | null,
  seen: SeenChanges,
  { limit, maxBytes, since }: FeedLimits,
  stamps: string,
): Promise<FeedPage> {
  const { above, below } = itemNumberRange(db.collectionId);
  const from = Math.max(after ?? above, above);
  const values = { after: from, below, limit, maxBytes };
  const seenValues = { ...values, seen: JSON.stringify(seen) };
  const page =
    seen === "all"
      ? [selectChanges(db, values), selectItems(db, values)]
      : [
          selectSeenChanges(db, seenValues),
          selectSeenItems(db, seenValues),
          selectScan(db, seenValues),
        ];
  const [heads, edges, rows, items, scans] = await retryTransient(db, () =>
    db.batch([
      selectHead(db, { stamps }),
      selectEdges(db, { above, below, after: from, since }),
      ...page,
    ]),
  );
  const [edgeRow] = (edges?.results ?? []) as EdgeRow[];
  const {
    first = null,
    last = null,
    next_at: nextAt = null,
    kept: firstKept = null,
  } = edgeRow ?? {};
  const changes = ((rows?.results ?? []) as ChangeRow[]).map(changeFromRow);
  const [scan] = (scans?.results ?? []) as ScanRow[];
  return {
    head: headFromResult(heads),
    changes,
    items: new Map(
      ((items?.results ?? []) as ItemRow[]).map((row) => [row.number, itemFromRow(row)] as const),
    ),
    edges: { first, last, nextAt, firstKept },
    scanned: scan
      ? scanFromRow(scan)
      : { last: changes.at(-1) ?? null, count: changes.length, markBytes: 0 },
  };
}

const scanFromRow = (row: ScanRow): FeedPage["scanned"] => ({
  last: row.number === null || row.at === null ? null : { number: row.number, at: row.at },
  count: row.count,
  markBytes: row.mark_bytes,
});

/** Erases one step of the former values of deleted items. Returns whether more may remain. */
export async function sweepErasures(db: DataDatabase): Promise<boolean> {
  const drizzleClient = orm(db);
  const [firstErasure] = await retryTransient(db, () =>
    drizzleClient.select().from(erasure).orderBy(asc(erasure.change)).limit(1),
  );
  if (!firstErasure) return false;
  const from = { from: firstErasure.change };
  const deletion = drizzleClient
    .delete(erasure)
    .where(eq(erasure.change, firstErasure.change))
    .toSQL();
  await retryTransient(db, () =>
    db.batch([
      eraseStep(db, from),
      queueNextErasure(db, from),
      db.prepare(deletion.sql, deletion.params),
    ]),
  );
  return true;
}

const collectionsPerStep = 500;
const rowsPerStep = 1000;
const dayMs = 24 * 60 * 60 * 1000;
const sequencesPerCollectionSql = sql.raw(String(sequencesPerCollection));

/** Selects the first change of a collection, which is its oldest. */
const oldestChangeSql = lazySql(
  () => sql`(select number from change where number > c.id * ${sequencesPerCollectionSql}
  and number < (c.id + 1) * ${sequencesPerCollectionSql} order by number limit 1)`,
);
const newestChangeSql = lazySql(
  () => sql`(select number from change where number > c.id * ${sequencesPerCollectionSql}
  and number < (c.id + 1) * ${sequencesPerCollectionSql} order by number desc limit 1)`,
);

/**
 * Deletes expired changes of the collections from this id on, but keeps the last change of each. Returns the next id,
 * or null at the end, and whether these collections have more to delete.
 */
export async function sweepHistory(
  db: DataDatabase,
  now: number,
  from: number,
): Promise<{ nextId: number | null; hasMore: boolean }> {
  const collectionsSql = sql`(select c.id, ${oldestChangeSql} as oldest, ${newestChangeSql} as newest, ${now} - max(c.history_days, ${sql.raw(String(minChangeDays))}) * ${sql.raw(String(dayMs))} as kept
    from collection c where c.id >= ${from} order by c.id limit ${sql.raw(String(collectionsPerStep))})`;
  const expiredSql = sql`(select x.number from ${collectionsSql} c join change x
      on x.number in (select number from change where number >= c.oldest and number < c.newest
        and at < c.kept and (select at from change where number = c.oldest) < c.kept order by number limit ${sql.raw(String(rowsPerStep))})
    limit ${sql.raw(String(rowsPerStep))})`;
  const [ranges, deletion] = await retryTransient(db, () =>
    batchQueries(db, [
      query(db, (builder) =>
        builder
          .select({ last: sql<number | null>`max(id)`, count: sql<number>`count(*)` })
          .from(collectionsSql),
      ),
      query(db, (builder) => builder.delete(change).where(sql`number in ${expiredSql}`)),
    ]),
  );
  const [range] = ranges;
  const isFull = range !== undefined && range.count === collectionsPerStep && range.last !== null;
  return {
    nextId: isFull ? (range.last ?? 0) + 1 : null,
    hasMore: deletion.meta.changes === rowsPerStep,
  };
}
