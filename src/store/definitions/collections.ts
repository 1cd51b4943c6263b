import { and, asc, eq, gt, inArray, sql, type SQL } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import type {
  CollectionKind,
  Definition,
  PendingRules,
  PendingState,
} from "../../domain/definition/collection";
import { attempt } from "../db/attempt";
import { collection, indexing, pendingChange, tally } from "../db/schema";
import { statement, type Parameters } from "../db/statement";
import {
  headColumns,
  headOf,
  type CollectionName,
  type HeadRow,
  type StoredCollection,
} from "./head";

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
  const fresh = row && headOf(row).fresh;
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
