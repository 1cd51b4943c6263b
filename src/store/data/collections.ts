import {
  orm,
  query,
  type CollectionDatabase,
  type Database,
  type Databases,
} from "#store/db/database.ts";
import type {
  Definition,
  Collection,
  PendingRules,
  PendingState,
  CollectionKind,
  Acceptance,
} from "#domain/definition/collection.ts";
import { and, eq, sql, type SQL, asc, gt, inArray } from "drizzle-orm";
import { compareNames, isOwnColumn, listEach } from "#store/db/lists.ts";
import { retryTransient } from "#store/db/retry.ts";
import { collection, indexing, pendingChange, tally } from "#store/db/schema.ts";
import { dataStatement, type Builder, type Placeholders } from "#store/db/statement.ts";
import { nextVersion, type Timeline } from "#domain/timeline.ts";
import {
  definitionHeadColumns,
  definitionHeadFromRow,
  type CollectionName,
  type DefinitionHeadRow,
} from "./definition-head.ts";

/** A collection with the number of its items and the state of work on them. */
export interface CurrentCollection extends StoredCollection {
  itemCount: number;
  /** Null unless items lack search entries. Contains the ids of the fields and the progress. */
  indexing: { fields: number[]; done: number; total: number } | null;
  pending: PendingDefinition | null;
  /** The bytes of the largest item that the collection has ever stored. */
  largestItemBytes: number;
}

/** A pending or rejected change, with the definition that it would produce. */
export interface PendingDefinition extends PendingState {
  change: PendingChange;
}

export interface PendingChange extends PendingRules {
  definition: Definition;
  /** Unique ids that stop being unique. */
  lost: number[];
  /** Ids of the fields to reindex when the change takes effect. */
  unindexed: number[];
  /** The fields of `unindexed` that become searchable. Changes stored before this member existed lack it. */
  newlySearchable?: number[];
}

/** The definition that a change which still has items to check would produce; null without such a change. */
export const pendingDefinition = (
  current: { pending: PendingDefinition | null } | undefined,
): Definition | null =>
  current?.pending?.problem === null ? current.pending.change.definition : null;

/** A collection with the stored size of its fields. */
export interface StoredCollection {
  collection: Collection;
  bytes: number;
}

export interface CurrentCollectionRow extends DefinitionHeadRow {
  item_count: number;
  largest_item_bytes: number;
  fields_to_index: string | null;
  items_indexed: number | null;
  items_to_index: number | null;
  change: string | null;
  items_checked: number | null;
  items_to_check: number | null;
  problem: string | null;
}

const currentCollections = <More extends Record<string, SQL.Aliased>>(
  db: Pick<Builder, "select">,
  more: More,
) =>
  db
    .select({
      ...more,
      ...definitionHeadColumns(sql`'{}'`),
      pending: sql`iif(${pendingChange.problem} is null, ${pendingChange.change}, null)`.as(
        "pending",
      ),
      item_count: sql`${tally.live}`.as("item_count"),
      largest_item_bytes: sql`${tally.largest}`.as("largest_item_bytes"),
      fields_to_index: sql`${indexing.fields}`.as("fields_to_index"),
      items_indexed: sql`${indexing.done}`.as("items_indexed"),
      items_to_index: sql`${indexing.total}`.as("items_to_index"),
      change: pendingChange.change,
      items_checked: sql`${pendingChange.done}`.as("items_checked"),
      items_to_check: sql`${pendingChange.total}`.as("items_to_check"),
      problem: pendingChange.problem,
    })
    .from(collection)
    .innerJoin(tally, eq(tally.collectionId, collection.id))
    .leftJoin(indexing, eq(indexing.collectionId, collection.id))
    .leftJoin(pendingChange, eq(pendingChange.collectionId, collection.id));

const selectCurrent = (condition: (values: Placeholders<CollectionName>) => SQL | undefined) =>
  dataStatement<CollectionName>((db, values) =>
    currentCollections(db, {}).where(condition(values)),
  );

export const selectByKey = selectCurrent((v) =>
  and(eq(collection.kind, v.kind), eq(collection.key, v.key)),
);
/** Queries the same row in a batch with the home database. */
export const queryByKey = (db: Database<"data">, kind: CollectionKind, key: string) =>
  query(db, (on) =>
    currentCollections(on, { isOwn: isOwnColumn("collection.id") }).where(
      and(eq(collection.kind, kind), eq(collection.key, key)),
    ),
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

export async function findCollectionOf(
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
  const storedCollection = row && definitionHeadFromRow(row).freshCollection;
  if (!storedCollection) return undefined;
  const { fields_to_index: fields, items_indexed: done, items_to_index: total } = row;
  return {
    ...storedCollection,
    pending: pendingFromRow(row, nextVersion(storedCollection.collection.version, timeline)),
    largestItemBytes: row.largest_item_bytes,
    itemCount: row.item_count,
    indexing:
      fields === null || done === null || total === null
        ? null
        : { fields: JSON.parse(fields) as number[], done, total },
  };
}

function pendingFromRow(
  { change, items_checked: done, items_to_check: total, problem }: CurrentCollectionRow,
  version: number,
): PendingDefinition | null {
  if (change === null || done === null || total === null) return null;
  return {
    version,
    done,
    total,
    problem: problem === null ? null : (JSON.parse(problem) as Record<string, unknown>),
    change: JSON.parse(change) as PendingChange,
  };
}

/**
 * A cache of definitions that nearby isolates share. A cached definition saves the query that loads it before a read.
 * The read itself reports whether that definition is still current.
 */
export interface DefinitionCache {
  find(kind: CollectionKind, key: string): Promise<StoredCollection | undefined>;
  /** Stores the definition in the background, after the response. */
  put(stored: StoredCollection): void;
}

const maxAgeSeconds = 24 * 60 * 60;

/** Uses the HTTP cache, with URLs below `root` that no client can request. */
export function findCachedCollection(
  cache: Pick<Cache, "match">,
  root: string,
  kind: CollectionKind,
  key: string,
): Promise<StoredCollection | undefined> {
  return cache
    .match(cacheUrl(root, kind, key))
    .then((response) => response?.json<StoredCollection>());
}

export async function cacheCollection(
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

/** An app or form in a list. */
export interface CollectionOverview extends Acceptance {
  key: string;
  name: string;
  description: string;
  version: number;
  itemCount: number;
  /** The time when the last item was stored, in milliseconds since 1970. Null if the collection never had an item. */
  lastItemAt: number | null;
}

const maxCollections = 500;

/** Lists the apps or forms: up to 500 from each database, by name within each. */
export async function listCollectionOverviews(
  databases: Databases,
  kind: CollectionKind,
): Promise<CollectionOverview[]> {
  const { key, name, description, version, state } = collection;
  const lists = await listEach(databases, (db) =>
    orm(db)
      .select({
        isOwn: isOwnColumn("collection.id"),
        key,
        name,
        description,
        version,
        state,
        opens_at: collection.opensAt,
        closes_at: collection.closesAt,
        max_submissions: collection.maxSubmissions,
        itemCount: sql<number>`${tally.live}`.as("item_count"),
        lastItemAt: sql<number | null>`nullif(${tally.lastCreatedAt}, 0)`,
      })
      .from(collection)
      .innerJoin(tally, eq(tally.collectionId, collection.id))
      .where(eq(collection.kind, kind))
      .orderBy(asc(sql`${name} collate nocase`), asc(collection.id))
      .limit(maxCollections),
  );
  return lists.merge((row) => row.key, compareNames);
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
  afterId: number,
  limit: number,
): Promise<CollectionSummary[]> {
  const { id, key, version, name, description, timeZone } = collection;
  // D1 accepts 100 parameters, so one parameter contains all keys.
  const keyCondition =
    keys === "all"
      ? undefined
      : inArray(key, sql`(select value from json_each(${JSON.stringify(keys)}))`);
  const isOwn = isOwnColumn("collection.id");
  const lists = await listEach(databases, (db) =>
    orm(db)
      .select({ isOwn, id, key, version, name, description, timeZone })
      .from(collection)
      .where(and(eq(collection.kind, kind), gt(id, afterId), keyCondition))
      .orderBy(asc(id))
      .limit(limit),
  );
  const rows = lists.merge((row) => row.id);
  return rows.toSorted((a, b) => a.id - b.id).slice(0, limit);
}
