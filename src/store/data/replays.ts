import { type CollectionDatabase } from "#store/db/database.ts";
import { eq, getTableColumns, sql } from "drizzle-orm";
import type { Timeline } from "#domain/timeline.ts";
import { retryTransient } from "#store/db/retry.ts";
import { replay } from "#store/db/schema.ts";
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

/** The values of a claim. Those of the key are null without one. */
export interface ClaimValues {
  key: string | null;
  fingerprint: string | null;
  answer: string | null;
  expiresAt: number | null;
  /** The id of the claiming item or batch. */
  id: string;
  now: number;
}

/** Claims the key, or takes over an expired one. Stores the sequence that the tally assigns next. */
export const claimKey = collectionStatement<ClaimValues>((db, v) =>
  db
    .insert(replay)
    .select(
      sql`select ${v.key}, ${v.fingerprint}, ${v.id},
        t.last_place + 1, max(t.last_created_at + 1, ${v.now}),
        ${v.answer}, ${v.expiresAt}
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

const selectReplay = dataStatement<{ key: string | null }>((db, v) =>
  db.select().from(replay).where(eq(replay.key, v.key)),
);

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

/** Finds the stored response for a key, unless it has expired. */
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
