import { and, asc, eq, gt, inArray, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import type {
  Collection,
  CollectionKind,
  Definition,
  PendingRules,
  PendingState,
} from "../../domain/definition/collection";
import type { FieldSet } from "../../domain/definition/field";
import { attempt } from "../db/attempt";
import { collection, indexing, pendingChange, tally } from "../db/schema";

/** A collection with the number of items that it holds. */
export interface CollectionNow {
  collection: Collection;
  /** Of its fields, as they are stored. */
  bytes: number;
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

type Row = typeof collection.$inferSelect;

export async function findCollection(
  db: D1Database,
  kind: CollectionKind,
  key: string,
): Promise<CollectionNow | undefined> {
  return findOne(db, and(eq(collection.kind, kind), eq(collection.key, key)));
}

export async function findCollectionById(
  db: D1Database,
  id: number,
): Promise<CollectionNow | undefined> {
  return findOne(db, eq(collection.id, id));
}

async function findOne(
  db: D1Database,
  condition: ReturnType<typeof and>,
): Promise<CollectionNow | undefined> {
  const [row] = await attempt(() =>
    drizzle(db)
      .select()
      .from(collection)
      .innerJoin(tally, eq(tally.collectionId, collection.id))
      .leftJoin(indexing, eq(indexing.collectionId, collection.id))
      .leftJoin(pendingChange, eq(pendingChange.collectionId, collection.id))
      .where(condition)
      .limit(1),
  );
  if (!row) return undefined;
  const { fields, done, total } = row.indexing ?? {};
  const pending = pendingOf(row.pending_change);
  return {
    collection: collectionOf(row.collection, pending),
    pending,
    largest: row.tally.largest,
    bytes: row.collection.fields.length,
    live: row.tally.live,
    indexing:
      fields === undefined || done === undefined || total === undefined
        ? null
        : { fields: JSON.parse(fields) as number[], done, total },
  };
}

export type CollectionSummary = Pick<
  Row,
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

function pendingOf(row: typeof pendingChange.$inferSelect | null): Pending | null {
  if (!row) return null;
  const { done, total, problem, change } = row;
  return {
    done,
    total,
    problem: problem === null ? null : (JSON.parse(problem) as Record<string, unknown>),
    change: JSON.parse(change) as PendingChange,
  };
}

function collectionOf(row: Row, pending: Pending | null): Collection {
  const { id, kind, key, version, revision, fieldsVersion } = row;
  const rules = pending?.problem === null ? pending.change : null;
  const obeyed = rules && { emptied: rules.emptied, gained: rules.gained };
  const definition = definitionOf(row);
  return { id, kind, key, version, revision, pending: obeyed, fieldsVersion, definition };
}

function definitionOf(row: Row): Definition {
  return {
    name: row.name,
    description: row.description,
    time_zone: row.timeZone,
    receipt_prefix: row.receiptPrefix,
    acceptance: {
      state: row.state,
      opens_at: row.opensAt,
      closes_at: row.closesAt,
      max_submissions: row.maxSubmissions,
    },
    history_days: row.historyDays,
    fields: JSON.parse(row.fields) as FieldSet,
  };
}
