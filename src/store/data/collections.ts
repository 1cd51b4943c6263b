import { orm, type CollectionDatabase, type Database, type Databases } from "#store/db/database.ts";
import type {
  Definition,
  Collection,
  PendingRules,
  PendingState,
  CollectionKind,
  Acceptance,
} from "#domain/definition/collection.ts";
import { and, eq, sql, type SQL, asc, gt, inArray } from "drizzle-orm";
import { retryTransient } from "#store/db/retry.ts";
import { collection, indexing, pendingChange, tally } from "#store/db/schema.ts";
import { dataStatement, type Placeholders } from "#store/db/statement.ts";
import { nextVersion, type Timeline } from "#domain/timeline.ts";
import { headColumns, headFromRow, type CollectionName, type HeadRow } from "./definition-head.ts";

/** A collection with the number of its items and the state of work on them. */
export interface CurrentCollection extends StoredCollection {
  itemCount: number;
  /** Set while items lack search entries: the ids of the fields, and the progress. */
  indexing: { fields: number[]; done: number; total: number } | null;
  pending: PendingDefinition | null;
  /** The bytes of the largest item that was ever stored. */
  largestItemBytes: number;
}

/** A pending or rejected change, with the definition that it would produce. */
export interface PendingDefinition extends PendingState {
  change: PendingChange;
}

export interface PendingChange extends PendingRules {
  definition: Definition;
  lost: number[];
  /** Fields whose search entries are rebuilt once the change takes effect. */
  unindexed: number[];
  /** Those of them that become searchable. Changes that were stored before this member existed lack it. */
  newlySearchable?: number[];
}

/** A collection with the stored size of its fields. */
export interface StoredCollection {
  collection: Collection;
  bytes: number;
}

export interface CurrentCollectionRow extends HeadRow {
  live: number;
  largest: number;
  indexed_fields: string | null;
  indexed: number | null;
  to_index: number | null;
  change: string | null;
  seen: number | null;
  to_see: number | null;
  problem: string | null;
}

const selectCurrent = (condition: (values: Placeholders<CollectionName>) => SQL | undefined) =>
  dataStatement<CollectionName>((db, values) =>
    db
      .select({
        ...headColumns(sql`'{}'`),
        pending: sql`iif(${pendingChange.problem} is null, ${pendingChange.change}, null)`.as(
          "pending",
        ),
        live: tally.live,
        largest: tally.largest,
        indexed_fields: sql`${indexing.fields}`.as("indexed_fields"),
        indexed: sql`${indexing.done}`.as("indexed"),
        to_index: sql`${indexing.total}`.as("to_index"),
        change: pendingChange.change,
        seen: sql`${pendingChange.done}`.as("seen"),
        to_see: sql`${pendingChange.total}`.as("to_see"),
        problem: pendingChange.problem,
      })
      .from(collection)
      .innerJoin(tally, eq(tally.collectionId, collection.id))
      .leftJoin(indexing, eq(indexing.collectionId, collection.id))
      .leftJoin(pendingChange, eq(pendingChange.collectionId, collection.id))
      .where(condition(values)),
  );

export const selectByKey = selectCurrent((v) =>
  and(eq(collection.kind, v.kind), eq(collection.key, v.key)),
);
const selectById = selectCurrent((v) => eq(collection.id, v.id));

export async function findCollection(
  db: Database<"data">,
  kind: CollectionKind,
  key: string,
): Promise<CurrentCollection | undefined> {
  return currentFromRow(
    await retryTransient(db, () =>
      selectByKey(db, { kind, key, id: null }).first<CurrentCollectionRow>(),
    ),
    db.timeline,
  );
}

export async function findCollectionById(
  db: CollectionDatabase,
): Promise<CurrentCollection | undefined> {
  return currentFromRow(
    await retryTransient(db, () =>
      selectById(db, { kind: "app", key: "", id: db.collectionId }).first<CurrentCollectionRow>(),
    ),
    db.timeline,
  );
}

export function currentFromRow(
  row: CurrentCollectionRow | null,
  timeline: Timeline,
): CurrentCollection | undefined {
  const stored = row && headFromRow(row).freshDefinition;
  if (!stored) return undefined;
  const { indexed_fields: fields, indexed: done, to_index: total } = row;
  return {
    ...stored,
    pending: pendingFromRow(row, nextVersion(stored.collection.version, timeline)),
    largestItemBytes: row.largest,
    itemCount: row.live,
    indexing:
      fields === null || done === null || total === null
        ? null
        : { fields: JSON.parse(fields) as number[], done, total },
  };
}

function pendingFromRow(
  { change, seen, to_see: total, problem }: CurrentCollectionRow,
  version: number,
): PendingDefinition | null {
  if (change === null || seen === null || total === null) return null;
  return {
    version,
    done: seen,
    total,
    problem: problem === null ? null : (JSON.parse(problem) as Record<string, unknown>),
    change: JSON.parse(change) as PendingChange,
  };
}

/**
 * Definitions in a cache that nearby isolates share. With one, a read need not query the database first to build its
 * SQL. The read itself reports whether the definition is still current.
 */
export interface DefinitionCache {
  find(kind: CollectionKind, key: string): Promise<StoredCollection | undefined>;
  /** Runs after the response. */
  put(stored: StoredCollection): void;
}

const maxAgeSeconds = 24 * 60 * 60;

/** Uses the HTTP cache, with URLs below `root` that no client can request. */
export function findCachedDefinition(
  cache: Pick<Cache, "match">,
  root: string,
  kind: CollectionKind,
  key: string,
): Promise<StoredCollection | undefined> {
  return cache
    .match(cacheUrl(root, kind, key))
    .then((response) => response?.json<StoredCollection>());
}

export async function cacheDefinition(
  cache: Pick<Cache, "put">,
  root: string,
  { collection: current, bytes }: StoredCollection,
): Promise<void> {
  const headers = { "Cache-Control": `max-age=${maxAgeSeconds}` };
  const response = Response.json({ collection: current, bytes }, { headers });
  await cache.put(cacheUrl(root, current.kind, current.key), response);
}

const cacheUrl = (root: string, kind: CollectionKind, key: string) =>
  `${root}/.definitions/${kind}/${key}`;

/** An app or form as lists show it. */
export interface CollectionOverview extends Acceptance {
  key: string;
  name: string;
  description: string;
  version: number;
  /** Stored items. */
  live: number;
  /** When the last item was stored, in milliseconds since 1970. Null if there never was one. */
  lastItemAt: number | null;
}

const maxCollections = 500;

/** Lists the apps or forms by name. */
export async function listCollectionOverviews(
  databases: Databases,
  kind: CollectionKind,
): Promise<CollectionOverview[]> {
  const lists = databases.all().map((db) => selectOverviews(db, kind));
  return (await Promise.all(lists)).flat();
}

function selectOverviews(
  db: Database<"data">,
  kind: CollectionKind,
): Promise<CollectionOverview[]> {
  const { key, name, description, version, state } = collection;
  return retryTransient(db, async () =>
    orm(db)
      .select({
        key,
        name,
        description,
        version,
        state,
        opens_at: collection.opensAt,
        closes_at: collection.closesAt,
        max_submissions: collection.maxSubmissions,
        live: tally.live,
        lastItemAt: sql<number | null>`nullif(${tally.lastCreatedAt}, 0)`,
      })
      .from(collection)
      .innerJoin(tally, eq(tally.collectionId, collection.id))
      .where(eq(collection.kind, kind))
      .orderBy(asc(sql`${name} collate nocase`), asc(collection.id))
      .limit(maxCollections),
  );
}

export type CollectionSummary = Pick<
  typeof collection.$inferSelect,
  "id" | "key" | "version" | "name" | "description" | "timeZone"
>;

/** Lists the collections of one kind in the order of creation. */
export async function listCollections(
  databases: Databases,
  kind: CollectionKind,
  keys: "all" | readonly string[],
  after: number,
  limit: number,
): Promise<CollectionSummary[]> {
  const { id, key, version, name, description, timeZone } = collection;
  // One parameter for any number of keys: D1 accepts 100.
  const visible =
    keys === "all"
      ? undefined
      : inArray(key, sql`(select value from json_each(${JSON.stringify(keys)}))`);
  const select = (db: Database<"data">) =>
    orm(db)
      .select({ id, key, version, name, description, timeZone })
      .from(collection)
      .where(and(eq(collection.kind, kind), gt(id, after), visible))
      .orderBy(asc(id))
      .limit(limit);
  const lists = databases.all().map((db) => retryTransient(db, async () => select(db)));
  const rows = (await Promise.all(lists)).flat();
  return rows.toSorted((a, b) => a.id - b.id).slice(0, limit);
}
