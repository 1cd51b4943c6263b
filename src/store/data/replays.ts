import {
  orm,
  type CollectionDatabase,
  type DataDatabase,
  type PreparedStatement,
} from "#store/db/database.ts";
import { and, asc, eq, getTableColumns, inArray, lte, sql, type SQL } from "drizzle-orm";
import type { Timeline } from "#domain/timeline.ts";
import { retryTransient } from "#store/db/retry.ts";
import { erasedReplay, replay } from "#store/db/schema.ts";
import { collectionStatement, dataStatement } from "#store/db/statement.ts";

/** The claim of an Idempotency-Key, stored in the batch of its request. */
export interface Claim {
  /** SHA-256 of credential, route and key. */
  key: string;
  /** SHA-256 of the body's canonical form. */
  fingerprint: string;
  /** The response without the values that the database assigns, JSON. */
  answer: string;
  expiresAt: number;
}

/** The values that the database assigned to the request of a claim. */
export interface AssignedValues {
  /** The id of the claiming item or batch. */
  itemId: string;
  place: number;
  createdAt: number;
}

/** The first response for a key, which every retry returns. */
export interface Replay extends AssignedValues, Omit<Claim, "key"> {}

export interface ReplayRow {
  fingerprint: string;
  item_id: string;
  place: number;
  created_at: number;
  answer: string;
  expires_at: number;
}

/** The values of a claim. `key`, `fingerprint` and `answer` are null without a key. */
export interface ClaimValues {
  key: string | null;
  fingerprint: string | null;
  answer: string | null;
  /** The id of the claiming item or batch. */
  id: string;
  now: number;
}

export const replayRetentionMs = 24 * 60 * 60 * 1000;
const retention = sql.raw(String(replayRetentionMs));

/**
 * Claims the key, or takes over an expired one. Stores the sequence and the time that the tally assigns next. The claim
 * of an item expires exactly 24 hours after the creation of the item, which makes it easy to find.
 */
export const claimKey = collectionStatement<ClaimValues>((db, v) =>
  db
    .insert(replay)
    .select(
      sql`select ${v.key}, ${v.fingerprint}, ${v.id},
        t.last_place + 1, max(t.last_created_at + 1, ${v.now}),
        ${v.answer}, max(t.last_created_at + 1, ${v.now}) + ${retention}
        from tally t where t.collection_id = ${v.collectionId}`,
    )
    .onConflictDoUpdate({
      target: replay.key,
      set: {
        fingerprint: sql`excluded.fingerprint`,
        itemId: sql`excluded.item_id`,
        place: sql`excluded.place`,
        createdAt: sql`excluded.created_at`,
        answer: sql`excluded.answer`,
        expiresAt: sql`excluded.expires_at`,
      },
      setWhere: sql`replay.expires_at <= ${v.now}`,
    }),
);

const collectionExists = (id: SQL) => sql`exists (select 1 from collection where id = ${id})`;

const selectReplay = collectionStatement<{ key: string | null }>((db, v) =>
  db
    .select()
    .from(replay)
    .where(and(eq(replay.key, v.key), collectionExists(v.collectionId))),
);

const selectExists = collectionStatement<object>((db, v) =>
  db.select({ exists: collectionExists(v.collectionId).as("exists") }).from(sql`(select 1)`),
);

/** Whether the collection still exists. A cached response does not show this. */
export async function isStillThere(db: CollectionDatabase): Promise<boolean> {
  const row = await retryTransient(db, () => selectExists(db, {}).first<{ exists: number }>());
  return row?.exists === 1;
}

/** Selects the replay of a claim, and whether an active webhook listens to the collection. */
export const selectClaimedReplay = collectionStatement<{ key: string | null }>((db, values) =>
  db
    .select({
      ...getTableColumns(replay),
      listened: sql<number>`(select listened from collection where id = ${values.collectionId})`.as(
        "listened",
      ),
    })
    .from(replay)
    .where(eq(replay.key, values.key)),
);

/** Finds the stored response for a key, unless it has expired or the collection is deleted. */
export async function findReplay(
  db: CollectionDatabase,
  key: string,
  now: number,
): Promise<Replay | undefined> {
  const row = await retryTransient(db, () => selectReplay(db, { key }).first<ReplayRow>());
  return row && row.expires_at > now ? replayFromRow(row) : undefined;
}

export function replayFromRow(row: ReplayRow): Replay {
  return {
    fingerprint: row.fingerprint,
    itemId: row.item_id,
    place: row.place,
    createdAt: row.created_at,
    answer: row.answer,
    expiresAt: row.expires_at,
  };
}

/**
 * KV caches responses to creates for 24 hours, so that most retries need not reach D1. KV lags and cannot compare and
 * set, so the claim in D1 decides which request was first. A restore undoes claims in D1, so a timeline never returns
 * the cached responses of another.
 */
export async function fetchReplay(
  kv: KVNamespace,
  timeline: Timeline,
  key: string,
  now: number,
): Promise<Replay | undefined> {
  const cached = await kv.get<Replay>(timeline.epoch + key, "json");
  return cached && cached.expiresAt > now ? cached : undefined;
}

export async function putReplay(
  kv: KVNamespace,
  timeline: Timeline,
  key: string,
  entry: Replay,
): Promise<void> {
  const expiration = Math.floor(entry.expiresAt / 1000);
  await kv.put(timeline.epoch + key, JSON.stringify(entry), { expiration });
}

/** The stored response of an erased item. The key stays claimed, so that no retry creates the item again. */
export const erasedAnswer = "null";

interface ErasureValues {
  /** Numbers of items, JSON. */
  numbers: string;
  at: number;
}

/** Items, or deleted items that can still be restored. */
type ErasedTable = "item" | "deleted_item";

const keysIn = (table: ErasedTable, numbers: SQL) => sql`select r.key from json_each(${numbers}) e
  join ${sql.raw(table)} i on i.number = e.value
  join replay r on r.expires_at = i.created_at + ${retention} and r.item_id = i.id`;

const eraseIn = (table: ErasedTable) => ({
  queue: dataStatement<ErasureValues>((db, v) =>
    db
      .insert(erasedReplay)
      .select(sql`select k.key, ${v.at} from (${keysIn(table, v.numbers)}) k where true`)
      .onConflictDoNothing(),
  ),
  empty: dataStatement<ErasureValues>((db, v) =>
    db
      .update(replay)
      .set({ answer: erasedAnswer, fingerprint: "" })
      .where(sql`key in (${keysIn(table, v.numbers)})`),
  ),
});
const erasuresIn = { item: eraseIn("item"), deleted_item: eraseIn("deleted_item") };

/**
 * Empties the stored responses of items in the batch that erases these items. Keeps the responses of items that are not
 * in the table because a member restored them concurrently.
 */
export const eraseReplays = (
  db: CollectionDatabase,
  table: ErasedTable,
  values: ErasureValues,
): PreparedStatement<"data">[] => [
  erasuresIn[table].queue(db, values),
  erasuresIn[table].empty(db, values),
];

const expiredPerStep = 1000;

/** Deletes one step of the expired responses. Returns whether more may remain. */
export async function sweepReplays(db: DataDatabase, now: number): Promise<boolean> {
  const expired = orm(db)
    .select({ key: replay.key })
    .from(replay)
    .where(lte(replay.expiresAt, now))
    .limit(expiredPerStep);
  const { meta } = await retryTransient(db, () =>
    orm(db).delete(replay).where(inArray(replay.key, expired)),
  );
  return meta.changes === expiredPerStep;
}

const erasedPerStep = 100;
/** A create's background work can store a response in KV until 30 seconds after the response. */
const kvSettledMs = 60_000;

/**
 * Deletes the copies of erased responses in KV. Repeats the deletion of a key until no late copy can arrive.
 * Returns whether more may remain.
 */
export async function sweepErasedReplays(
  db: DataDatabase,
  kv: Pick<KVNamespace, "delete">,
  now: number,
): Promise<boolean> {
  const rows = await retryTransient(db, () =>
    orm(db).select().from(erasedReplay).orderBy(asc(erasedReplay.at)).limit(erasedPerStep),
  );
  await Promise.all(rows.map(({ key }) => kv.delete(db.timeline.epoch + key)));
  const settledKeys = rows.filter(({ at }) => at <= now - kvSettledMs).map(({ key }) => key);
  if (settledKeys.length === 0) return false;
  const listed = sql`(select value from json_each(${JSON.stringify(settledKeys)}))`;
  await retryTransient(db, () =>
    orm(db)
      .delete(erasedReplay)
      .where(and(inArray(erasedReplay.key, listed), lte(erasedReplay.at, now - kvSettledMs))),
  );
  return rows.length === erasedPerStep;
}
