import { eq, getTableColumns, sql } from "drizzle-orm";
import { attempt } from "#store/db/retry.ts";
import { replay } from "#store/db/schema.ts";
import { statement } from "#store/db/statement.ts";

/** The part of an Idempotency-Key in the batch that does what it stands for. */
export interface Claim {
  /** SHA-256 of credential, route and key. */
  key: string;
  /** SHA-256 of the body's canonical form. */
  fingerprint: string;
  /** What a replay needs besides what the database gives, JSON. */
  answer: string;
  expiresAt: number;
}

/** What the database gave to what was stored under a claim. */
export interface Given {
  /** The id that the claim was made with: of the item that was created. */
  itemId: string;
  place: number;
  createdAt: number;
}

/** An answer that is given again: the first that was given for its key. */
export interface Replay extends Given, Omit<Claim, "key"> {}

export interface ReplayRow {
  fingerprint: string;
  item_id: string;
  place: number;
  created_at: number;
  answer: string;
  expires_at: number;
}

/** What a claim takes; null without a key. */
export interface ClaimValues {
  key: string | null;
  fingerprint: string | null;
  answer: string | null;
  expiresAt: number | null;
  /** Whose it is, and where the place is given. */
  id: string;
  collectionId: number;
  now: number;
}

/** Claims the key, or takes it over when it has expired; the place is the one that the tally gives next. */
export const claim = statement<ClaimValues>((db, v) =>
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

const readReplay = statement<{ key: string | null }>((db, v) =>
  db.select().from(replay).where(eq(replay.key, v.key)),
);

/** The same, and whether some webhook listens to the collection. */
export const readClaimed = statement<{ key: string | null; collectionId: number }>((db, values) =>
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

/** The answer that is remembered for a key, unless it has expired. */
export async function findReplay(
  db: D1Database,
  key: string,
  now: number,
): Promise<Replay | undefined> {
  const row = await attempt(() => readReplay(db, { key }).first<ReplayRow>());
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
 * KV remembers answers to creates for 24 hours, so that a repeat need not reach D1. It lags, and cannot compare and
 * set: the claim in D1 decides who was first, KV only remembers the answer.
 */
export async function recall(
  kv: KVNamespace,
  key: string,
  now: number,
): Promise<Replay | undefined> {
  const replay = await kv.get<Replay>(key, "json");
  return replay && replay.expiresAt > now ? replay : undefined;
}

export async function remember(kv: KVNamespace, key: string, replay: Replay): Promise<void> {
  const expiration = Math.floor(replay.expiresAt / 1000);
  await kv.put(key, JSON.stringify(replay), { expiration });
}
