import type { Definition, Collection, PendingRules, PendingState, CollectionKind, Acceptance } from "#domain/definition/collection.ts";
import { and, eq, sql, type SQL, asc, gt, inArray } from "drizzle-orm";
import { attempt } from "#store/db/retry.ts";
import { collection, indexing, pendingChange, tally } from "#store/db/schema.ts";
import { statement, type Parameters } from "#store/db/statement.ts";
import { headColumns, headFromRow, type CollectionName, type HeadRow } from "./definition-head.ts";
import { drizzle } from "drizzle-orm/d1";

/** A collection with the number of items that it holds. */
export interface CollectionNow extends StoredCollection {
  live: number;
  /** While items lack search entries: the ids of the fields, and how far the work is. */
  indexing: { fields: number[]; done: number; total: number } | null;
  pending: Pending | null;
  /** The bytes of the largest item ever. */
  largest: number;
}

/** A change that is under way or was dropped, with what it would make of the definition. */
export interface Pending extends PendingState {
  change: PendingChange;
}

export interface PendingChange extends PendingRules {
  definition: Definition;
  lost: number[];
  /** Fields that items lack entries of once it takes effect. */
  unindexed: number[];
}

/** A collection with the bytes of its fields as they are stored. */
export interface StoredCollection {
  collection: Collection;
  bytes: number;
}

export interface NowRow extends HeadRow {
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

const selectNow = (condition: (values: Parameters<CollectionName>) => SQL | undefined) =>
  statement<CollectionName>((db, values) =>
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

export const selectByKey = selectNow((v) =>
  and(eq(collection.kind, v.kind), eq(collection.key, v.key)),
);
const selectById = selectNow((v) => eq(collection.id, v.id));

export async function findCollection(
  db: D1Database,
  kind: CollectionKind,
  key: string,
): Promise<CollectionNow | undefined> {
  return nowOf(await attempt(() => selectByKey(db, { kind, key, id: null }).first<NowRow>()));
}

export async function findCollectionById(
  db: D1Database,
  id: number,
): Promise<CollectionNow | undefined> {
  return nowOf(await attempt(() => selectById(db, { kind: "app", key: "", id }).first<NowRow>()));
}

export function nowOf(row: NowRow | null): CollectionNow | undefined {
  const fresh = row && headFromRow(row).fresh;
  if (!fresh) return undefined;
  const { indexed_fields: fields, indexed: done, to_index: total } = row;
  return {
    ...fresh,
    pending: pendingOf(row),
    largest: row.largest,
    live: row.live,
    indexing:
      fields === null || done === null || total === null
        ? null
        : { fields: JSON.parse(fields) as number[], done, total },
  };
}

function pendingOf({ change, seen, to_see: total, problem }: NowRow): Pending | null {
  if (change === null || seen === null || total === null) return null;
  return {
    done: seen,
    total,
    problem: problem === null ? null : (JSON.parse(problem) as Record<string, unknown>),
    change: JSON.parse(change) as PendingChange,
  };
}

/**
 * Definitions as other isolates near by last saw them: where the SQL of a read needs one, its isolate need not ask the
 * database first. Whoever uses one learns from the read itself whether it still holds.
 */
export interface DefinitionCache {
  recall(kind: CollectionKind, key: string): Promise<StoredCollection | undefined>;
  /** Behind the answer. */
  keep(stored: StoredCollection): void;
}

const seconds = 24 * 60 * 60;

/** In a cache of HTTP answers, by addresses of this service that nobody can call. */
export function recallDefinition(
  cache: Cache,
  origin: string,
  kind: CollectionKind,
  key: string,
): Promise<StoredCollection | undefined> {
  return cache.match(addressOf(origin, kind, key)).then((kept) => kept?.json<StoredCollection>());
}

export async function keepDefinition(
  cache: Cache,
  origin: string,
  { collection, bytes }: StoredCollection,
): Promise<void> {
  const headers = { "Cache-Control": `max-age=${seconds}` };
  const kept = Response.json({ collection, bytes }, { headers });
  await cache.put(addressOf(origin, collection.kind, collection.key), kept);
}

const addressOf = (origin: string, kind: CollectionKind, key: string) =>
  `${origin}/.definitions/${kind}/${key}`;

/** An app or a form as a list of them shows it. */
export interface Glance extends Acceptance {
  key: string;
  name: string;
  description: string;
  version: number;
  /** Stored items. */
  live: number;
  /** When the last item was stored; null where none ever was. Milliseconds since 1970. */
  lastItemAt: number | null;
}

const most = 500;

/** The apps or forms in the order of their names. */
export async function glanceAt(db: D1Database, kind: CollectionKind): Promise<Glance[]> {
  const { key, name, description, version, state } = collection;
  return attempt(() =>
    drizzle(db)
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
      .limit(most),
  );
}

export type CollectionSummary = Pick<
  typeof collection.$inferSelect,
  "id" | "key" | "version" | "name" | "description" | "timeZone"
>;

/** The collections of one kind, in the order in which they were made. */
export async function listCollections(
  db: D1Database,
  kind: CollectionKind,
  keys: "all" | readonly string[],
  after: number,
  limit: number,
): Promise<CollectionSummary[]> {
  const { id, key, version, name, description, timeZone } = collection;
  // One parameter, however many keys: D1 takes 100.
  const visible =
    keys === "all"
      ? undefined
      : inArray(key, sql`(select value from json_each(${JSON.stringify(keys)}))`);
  return attempt(() =>
    drizzle(db)
      .select({ id, key, version, name, description, timeZone })
      .from(collection)
      .where(and(eq(collection.kind, kind), gt(id, after), visible))
      .orderBy(asc(id))
      .limit(limit),
  );
}
