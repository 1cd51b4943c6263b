import { orm, type DataDatabase, type Databases, type HomeDatabase } from "#store/db/database.ts";
import { and, asc, eq, gt, sql, type SQL } from "drizzle-orm";
import { retryTransient } from "#store/db/retry.ts";
import { webhook, collection } from "#store/db/schema.ts";
import { dataStatement, homeStatement, jointStatement } from "#store/db/statement.ts";
import { lastChange } from "#store/data/changes.ts";
import type { Collection } from "#domain/definition/collection.ts";
import type { Webhook } from "#domain/webhook/webhook.ts";

/** True when webhook `w` listens to the collection of this name, `app:KEY` or `form:KEY`. */
const listensSql = (
  name: SQL,
) => sql`(w.collections = '"all"' or exists (select 1 from json_each(w.collections) j
    where j.value = ${name}))`;

const selectListeners = homeStatement<{ name: string }>((db, v) =>
  db
    .select({ id: sql<string>`w.id` })
    .from(sql`webhook w where w.state = 'active' and ${listensSql(v.name)}`),
);

/** Loads the ids of active webhooks that listen to this collection. */
export async function loadListenerIds(
  db: HomeDatabase,
  { kind, key }: Pick<Collection, "kind" | "key">,
): Promise<string[]> {
  const { results } = await retryTransient(db, () =>
    selectListeners(db, { name: `${kind}:${key}` }).all<{ id: string }>(),
  );
  return results.map(({ id }) => id);
}

const changedSince = (since: SQL) =>
  sql`(select at from change where number = ${lastChange("c.id")}) >= ${since}`;

const selectOverdue = jointStatement<{ since: number }>((db, v) =>
  db.select({ id: sql<string>`w.id` }).from(
    sql`webhook w where w.state = 'active' and exists (select 1 from collection c
        where c.listened = 1 and ${listensSql(sql`c.kind || ':' || c.key`)}
          and ${changedSince(v.since)})`,
  ),
);

const selectChangedNames = dataStatement<{ since: number }>((db, v) =>
  db
    .select({ name: sql<string>`c.kind || ':' || c.key`.as("name") })
    .from(sql`collection c where ${changedSince(v.since)}`),
);

const selectListenersOfAny = homeStatement<{ names: string }>((db, v) =>
  db.select({ id: sql<string>`w.id` }).from(
    sql`webhook w where w.state = 'active'
        and exists (select 1 from json_each(${v.names}) n where ${listensSql(sql`n.value`)})`,
  ),
);

/** Loads the ids of active webhooks that listen to a collection with changes at `since` or later. */
export async function loadOverdueWebhookIds(
  { home, single, all }: Databases,
  since: number,
): Promise<string[]> {
  if (single) {
    const { results } = await retryTransient(single, () =>
      selectOverdue(single, { since }).all<{ id: string }>(),
    );
    return results.map(({ id }) => id);
  }
  // `listened` may be out of date when webhooks are in another database, so this reads every changed collection.
  const nameResults = await Promise.all(
    all().map((db) =>
      retryTransient(db, () => selectChangedNames(db, { since }).all<{ name: string }>()),
    ),
  );
  const names = JSON.stringify(
    nameResults.flatMap(({ results }) => results.map(({ name }) => name)),
  );
  const { results } = await retryTransient(home, () =>
    selectListenersOfAny(home, { names }).all<{ id: string }>(),
  );
  return results.map(({ id }) => id);
}

/** Loads the ids of deleted webhooks whose objects may still hold data. */
export async function loadDeletedWebhookIds(db: HomeDatabase): Promise<string[]> {
  const rows = await retryTransient(db, () =>
    orm(db)
      .select({ id: webhook.id })
      .from(webhook)
      .where(eq(webhook.state, "deleted"))
      .orderBy(asc(webhook.id))
      .limit(100),
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

/** The number of each collection's last change, by collection id. */
export type StartPositions = Record<string, number>;

/** Returns the start positions of a webhook that listens from now on. Later commits have higher numbers. */
export async function currentPositions(
  databases: Databases,
  collections: Webhook["collections"],
): Promise<StartPositions> {
  const rows = await queryAll(databases, (db) =>
    orm(db)
      .select({ id: collection.id, last: lastChange("collection.id").mapWith(Number) })
      .from(collection)
      .where(matchesCollections(collections)),
  );
  return Object.fromEntries(rows.map(({ id, last }) => [String(id), last]));
}

/** Runs a query in every data database. */
async function queryAll<Row>(
  databases: Databases,
  select: (db: DataDatabase) => PromiseLike<Row[]>,
): Promise<Row[]> {
  const lists = databases.all().map((db) => retryTransient(db, async () => select(db)));
  return (await Promise.all(lists)).flat();
}

const qualifiedKey = sql`${collection.kind} || ':' || ${collection.key}`;

/** Uses one parameter for any number of names. */
function matchesCollections(collections: Webhook["collections"]): SQL | undefined {
  return collections === "all"
    ? gt(collection.id, 0)
    : sql`${qualifiedKey} in (select value from json_each(${JSON.stringify(collections)}))`;
}

/** Returns the names that exist. */
export async function loadExistingNames(
  databases: Databases,
  names: readonly string[],
): Promise<string[]> {
  const rows = await queryAll(databases, (db) =>
    orm(db)
      .select({ name: sql<string>`${qualifiedKey}` })
      .from(collection)
      .where(matchesCollections([...names])),
  );
  return rows.map(({ name }) => name);
}

/** A collection with the number of its last change. */
export interface FeedHead {
  id: number;
  kind: "app" | "form";
  key: string;
  last: number;
}

export async function loadFeedHeads(
  databases: Databases,
  collections: Webhook["collections"],
): Promise<FeedHead[]> {
  const { id, kind, key } = collection;
  return queryAll(databases, (db) =>
    orm(db)
      .select({ id, kind, key, last: lastChange("collection.id").mapWith(Number) })
      .from(collection)
      .where(matchesCollections(collections))
      .orderBy(asc(id)),
  );
}

/** A range of changes: after `number`, below `below`. */
interface FeedRange {
  collection: number;
  number: number;
  below: number;
}

const selectFilledRanges = dataStatement<{ ranges: string }>((db, v) =>
  db
    .select({
      collection: sql<number>`e.value ->> 0`.as("collection"),
      number: sql<number>`e.value ->> 1`.as("number"),
      below: sql<number>`e.value ->> 2`.as("below"),
    })
    .from(
      sql`json_each(${v.ranges}) e where exists (select 1 from change
        where number > e.value ->> 1 and number < e.value ->> 2)`,
    ),
);

/** Returns the ranges in which the database has changes, in the same order. */
export async function filterFilledRanges(
  databases: Databases,
  ranges: readonly FeedRange[],
): Promise<FeedRange[]> {
  if (ranges.length === 0) return [];
  const rows = ranges.map(({ collection: id, number, below }) => [id, number, below]);
  const results = await Promise.all(
    databases
      .all()
      .map((db) =>
        retryTransient(db, () =>
          db.batch<FeedRange>([selectFilledRanges(db, { ranges: JSON.stringify(rows) })]),
        ),
      ),
  );
  return results.flatMap(([result]) => result?.results ?? []);
}

export async function readStartPositions(db: HomeDatabase, id: string): Promise<StartPositions> {
  const [row] = await retryTransient(db, () =>
    orm(db).select({ starts: webhook.starts }).from(webhook).where(eq(webhook.id, id)),
  );
  return row ? (JSON.parse(row.starts) as StartPositions) : {};
}
