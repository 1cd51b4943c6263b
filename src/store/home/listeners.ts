import type { ItemAction } from "#domain/item/change.ts";
import { lazySql } from "#store/db/lazy.ts";
import { orm, type Databases, type HomeDatabase } from "#store/db/database.ts";
import { and, asc, eq, gt, sql, type SQL } from "drizzle-orm";
import { isOwnColumn, listEach, type PlacedRow } from "#store/db/lists.ts";
import { isCopy } from "#store/db/moved-tables.ts";
import { retryTransient } from "#store/db/retry.ts";
import { webhook, collection } from "#store/db/schema.ts";
import { dataStatement, homeStatement, jointStatement } from "#store/db/statement.ts";
import { lastChangeSql } from "#store/data/changes.ts";
import type { Collection } from "#domain/definition/collection.ts";
import { collectionNames, type Webhook } from "#domain/webhook/webhook.ts";

/**
 * SQL for the name of the app or form of `j`. `j` is a resource of a credential or a collection of a webhook, and may
 * be a view.
 */
export const entryNameSql = sql.raw("substr(j.value, 1, instr(j.value || '/', '/') - 1)");

/** True when webhook `w` listens to the collection with this qualified key, `app:KEY` or `form:KEY`. */
const listensSql = (
  key: SQL,
) => sql`(w.collections = '"all"' or exists (select 1 from json_each(w.collections) j
    where ${entryNameSql} = ${key}))`;

const selectListeners = homeStatement<{ qualifiedKey: string }>((db, v) =>
  db
    .select({ id: sql<string>`w.id` })
    .from(sql`webhook w where w.state = 'active' and ${listensSql(v.qualifiedKey)}`),
);

/** Loads the ids of active webhooks that listen to this collection. */
export async function loadListenerIds(
  db: HomeDatabase,
  { kind, key }: Pick<Collection, "kind" | "key">,
): Promise<string[]> {
  const { results } = await retryTransient(db, () =>
    selectListeners(db, { qualifiedKey: `${kind}:${key}` }).all<{ id: string }>(),
  );
  return results.map(({ id }) => id);
}

const changedSinceSql = (since: SQL) =>
  sql`(select at from change where number = ${lastChangeSql("c.id")}) >= ${since}`;

const selectListenersOfRecentChanges = jointStatement<{ since: number }>((db, v) =>
  db.select({ id: sql<string>`w.id` }).from(
    sql`webhook w where w.state = 'active' and exists (select 1 from collection c
        where c.listened = 1 and ${listensSql(sql`c.kind || ':' || c.key`)}
          and ${changedSinceSql(v.since)})`,
  ),
);

const selectChangedKeys = dataStatement<{ since: number }>((db, v) =>
  db
    .select({ qualifiedKey: sql<string>`c.kind || ':' || c.key`.as("qualifiedKey") })
    .from(sql`collection c where ${changedSinceSql(v.since)}`),
);

const selectListenersOfAny = homeStatement<{ qualifiedKeys: string }>((db, v) =>
  db.select({ id: sql<string>`w.id` }).from(
    sql`webhook w where w.state = 'active'
        and exists (select 1 from json_each(${v.qualifiedKeys}) n where ${listensSql(sql`n.value`)})`,
  ),
);

/** Loads the ids of active webhooks that listen to a collection with changes at `since` or later. */
export async function loadListenerIdsOfRecentChanges(
  { home, singleDatabase, dataDatabases }: Databases,
  since: number,
): Promise<string[]> {
  if (singleDatabase) {
    const { results } = await retryTransient(singleDatabase, () =>
      selectListenersOfRecentChanges(singleDatabase, { since }).all<{ id: string }>(),
    );
    return results.map(({ id }) => id);
  }
  // `listened` may be out of date when webhooks are in another database, so this reads every changed collection.
  const keyResults = await Promise.all(
    dataDatabases().map((db) =>
      retryTransient(db, () => selectChangedKeys(db, { since }).all<{ qualifiedKey: string }>()),
    ),
  );
  const qualifiedKeys = JSON.stringify(
    keyResults.flatMap(({ results }) => results.map((row) => row.qualifiedKey)),
  );
  const { results } = await retryTransient(home, () =>
    selectListenersOfAny(home, { qualifiedKeys }).all<{ id: string }>(),
  );
  return results.map(({ id }) => id);
}

const maxDeletedIds = 100;

/** Loads up to 100 ids of deleted webhooks whose objects may still hold data. */
export async function loadDeletedWebhookIds(db: HomeDatabase): Promise<string[]> {
  const rows = await retryTransient(db, () =>
    orm(db)
      .select({ id: webhook.id })
      .from(webhook)
      .where(eq(webhook.state, "deleted"))
      .orderBy(asc(webhook.id))
      .limit(maxDeletedIds),
  );
  return rows.map(({ id }) => id);
}

export async function purgeDeletedWebhook(db: HomeDatabase, id: string): Promise<void> {
  await retryTransient(db, () =>
    orm(db)
      .delete(webhook)
      .where(and(eq(webhook.id, id), eq(webhook.state, "deleted"))),
  );
}

/** By collection id, the number of the change after which a webhook starts. */
export type StartPositions = Record<string, number>;

/**
 * Returns the current last positions. Changes that are committed later get higher numbers, so a webhook that starts
 * here misses none.
 */
export async function loadCurrentPositions(
  databases: Databases,
  hook: Pick<Webhook, "collections">,
): Promise<StartPositions> {
  const lists = await listEach(databases, (db) =>
    orm(db)
      .select({
        isOwn: isOwnColumn("collection.id"),
        id: collection.id,
        lastChangeNumber: lastChangeSql("collection.id").mapWith(Number),
      })
      .from(collection)
      .where(matchesCollections(collectionNames(hook))),
  );
  const rows = lists.merge((row) => row.id);
  return Object.fromEntries(rows.map((row) => [String(row.id), row.lastChangeNumber]));
}

const qualifiedKeySql = lazySql(() => sql`${collection.kind} || ':' || ${collection.key}`);

/** Matches these collections. One parameter holds all qualified keys, because D1 accepts 100 parameters. */
function matchesCollections(collections: Webhook["collections"]): SQL | undefined {
  return collections === "all"
    ? gt(collection.id, 0)
    : sql`${qualifiedKeySql} in (select value from json_each(${JSON.stringify(collections)}))`;
}

/** Returns the keys whose collections exist. */
export async function filterExistingKeys(
  databases: Databases,
  qualifiedKeys: readonly string[],
): Promise<string[]> {
  const lists = await listEach(databases, (db) =>
    orm(db)
      .select({
        isOwn: isOwnColumn("collection.id"),
        qualifiedKey: sql<string>`${qualifiedKeySql}`,
      })
      .from(collection)
      .where(matchesCollections([...qualifiedKeys])),
  );
  return lists.merge((row) => row.qualifiedKey).map((row) => row.qualifiedKey);
}

/** A collection with the number of its last change. */
export interface FeedHead {
  id: number;
  kind: "app" | "form";
  key: string;
  last: number;
}

const selectFeedHeads = dataStatement<{ names: string | null }>((db, v) => {
  const { id, kind, key } = collection;
  return db
    .select({
      isOwn: isOwnColumn("collection.id"),
      id,
      kind,
      key,
      last: sql`${lastChangeSql("collection.id")}`.as("last"),
    })
    .from(collection)
    .where(
      sql`(${v.names} is null or ${qualifiedKeySql} in (select value from json_each(${v.names}))) and ${id} > 0`,
    )
    .orderBy(asc(id));
});

export async function loadFeedHeads(
  databases: Databases,
  hook: Pick<Webhook, "collections">,
): Promise<FeedHead[]> {
  const collections = collectionNames(hook);
  const names = collections === "all" ? null : JSON.stringify(collections);
  const lists = await listEach(databases, async (db) => {
    const { results } = await selectFeedHeads(db, { names }).all<FeedHead & PlacedRow>();
    return results;
  });
  return lists.merge((row) => row.id);
}

/** A range of changes, with numbers above `number` and below `below`. */
interface FeedRange {
  collection: number;
  number: number;
  below: number;
}

const selectRangesWithChanges = dataStatement<{ ranges: string }>((db, v) =>
  db
    .select({
      collection: sql<number>`e.value ->> 0`.as("collection"),
      number: sql<number>`e.value ->> 1`.as("number"),
      below: sql<number>`e.value ->> 2`.as("below"),
    })
    .from(
      sql`json_each(${v.ranges}) e where not ${sql.raw(isCopy("e.value ->> 0"))} and exists (select 1 from change
        where number > e.value ->> 1 and number < e.value ->> 2)`,
    ),
);

/** Returns the ranges that contain changes. The ranges of each database keep their order. */
export async function filterRangesWithChanges(
  databases: Databases,
  ranges: readonly FeedRange[],
): Promise<FeedRange[]> {
  if (ranges.length === 0) return [];
  const rows = ranges.map(({ collection: id, number, below }) => [id, number, below]);
  const results = await Promise.all(
    databases
      .dataDatabases()
      .map((db) =>
        retryTransient(db, () =>
          db.batch<FeedRange>([selectRangesWithChanges(db, { ranges: JSON.stringify(rows) })]),
        ),
      ),
  );
  return results.flatMap(([result]) => result?.results ?? []);
}

const selectStarts = homeStatement<{ id: string }>((db, v) =>
  db.select({ starts: webhook.starts }).from(webhook).where(eq(webhook.id, v.id)),
);

export async function loadStartPositions(db: HomeDatabase, id: string): Promise<StartPositions> {
  const row = await retryTransient(db, () => selectStarts(db, { id }).first<{ starts: string }>());
  return row ? (JSON.parse(row.starts) as StartPositions) : {};
}

/** The maximum number of changes that are counted in one range. */
const maxCountedChanges = 1000;

const countChangesStatement = dataStatement<{ ranges: string; actions: string }>((db, v) =>
  db.select({ count: sql<number>`coalesce(sum(counted), 0)`.as("count") }).from(
    sql`(select (select count(*) from (select action from change
        where number > e.value ->> 1 and number < e.value ->> 2
        limit ${sql.raw(String(maxCountedChanges))})
        where action in (select value from json_each(${v.actions}))) as counted from json_each(${v.ranges}) e)`,
  ),
);

/** Counts the changes with one of these actions in these ranges. Reads up to 1,000 changes in each range. */
export async function countChangesIn(
  databases: Databases,
  ranges: readonly FeedRange[],
  actions: readonly ItemAction[],
): Promise<number> {
  if (ranges.length === 0) return 0;
  const rows = ranges.map(({ collection: id, number, below }) => [id, number, below]);
  const values = { ranges: JSON.stringify(rows), actions: JSON.stringify(actions) };
  const counts = await Promise.all(
    databases
      .dataDatabases()
      .map((db) =>
        retryTransient(db, () => countChangesStatement(db, values).all<{ count: number }>()),
      ),
  );
  return counts.reduce((sum, { results }) => sum + (results[0]?.count ?? 0), 0);
}
