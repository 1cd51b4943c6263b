import { and, eq, sql } from "drizzle-orm";
import { fieldsPerCollection, systemFieldIds } from "#domain/data/values.ts";
import { placesPerCollection } from "#domain/item/item.ts";
import { guardCode, guardStatement } from "#store/db/guard.ts";
import { changeTime, joinLast, lastChange, lastJoined, listened, type ItemAct } from "./changes.ts";
import { change, item, searchEntry, tally, uniqueValue } from "#store/db/schema.ts";
import { parameters, statement } from "#store/db/statement.ts";
import { type ClaimValues, claim, readClaimed, replayFromRow, type Claim, type Given, type Replay, type ReplayRow } from "./replays.ts";
import type { UniqueValue } from "#domain/data/index-entries.ts";
import type { ClosedReason } from "#domain/definition/collection.ts";
import { attempt, failureOf } from "#store/db/retry.ts";
import { takenValues, type Taken } from "./item-ranges.ts";

/**
 * The statements of a create, in the order of its batch. Each does nothing unless the item is not stored yet and its
 * request owns the Idempotency-Key, so that a batch whose answer was lost can be sent again.
 */

/** What the statements of a create take. */
export interface CreateValues extends ItemAct, ClaimValues {
  version: number;
  revision: number;
  status: string | null;
  receiptPrefix: string | null;
  data: string;
  /** Search entries and unique values, JSON. */
  entries: string;
  unique: string;
  /** Ids of the fields that the item has, JSON. */
  changedFields: string;
}

const v = parameters<CreateValues>();

/** True until the item is stored, for the one request that owns the key. Point look-ups only. */
const fresh = sql`not exists (select 1 from item where id = ${v.id})
  and (${v.key} is null or exists (select 1 from replay where key = ${v.key} and item_id = ${v.id}))`;
const ownTally = sql`t.collection_id = ${v.collectionId}`;
const number = sql.raw(`t.collection_id * ${placesPerCollection} + t.last_place`);

export const mayStore = guardStatement<CreateValues>(
  () =>
    sql`select case
      when c.revision <> ${v.revision} then ${guardCode("definition_changed")}
      when c.state = 'closed' or c.closes_at <= ${v.now} then ${guardCode("closed")}
      when c.opens_at > ${v.now} then ${guardCode("not_open_yet")}
      when t.live >= c.max_submissions then ${guardCode("full")}
    end as code
    from collection c join tally t on t.collection_id = c.id
    where c.id = ${v.collectionId} and ${fresh}`,
);

/** Gives the next place. Stamps of creation strictly grow with it, whatever the clocks of the writers say. */
export const giveNumber = statement<CreateValues>((db) =>
  db
    .update(tally)
    .set({
      lastPlace: sql`last_place + 1`,
      live: sql`live + 1`,
      lastCreatedAt: sql`max(last_created_at + 1, ${v.now})`,
      largest: sql`max(largest, octet_length(${v.data}))`,
    })
    .where(and(eq(tally.collectionId, v.collectionId), fresh)),
);

export const insertUnique = statement<CreateValues>((db) =>
  db.insert(uniqueValue).select(
    sql`select e.value ->> 0, e.value ->> 1, ${number}
        from json_each(${v.unique}) e, tally t where ${ownTally} and ${fresh}`,
  ),
);

const receipt = sql`${v.receiptPrefix} || printf('%06d', t.last_place)`;
const updatedAt = sql.raw(`t.collection_id * ${fieldsPerCollection} + ${systemFieldIds.updatedAt}`);

/** What was sent, and what the database gives: the time. */
export const insertEntries = statement<CreateValues>((db) =>
  db.insert(searchEntry).select(
    sql`select e.value ->> 0, e.value ->> 1, ${number}, e.value ->> 2
        from json_each(${v.entries}) e, tally t where ${ownTally} and ${fresh}
        union all select ${updatedAt}, t.last_created_at, ${number}, null
        from tally t where ${ownTally} and ${fresh}`,
  ),
);

export const insertChange = statement<CreateValues>((db) =>
  db.insert(change).select(
    sql`select ${lastJoined("t.collection_id")} + 1, ${changeTime(sql`t.last_created_at`)}, ${v.actor}, ${v.action},
        ${number}, ${v.id}, 1, null, ${v.changedFields}, null, ${v.session}, ${v.requestId}, ${v.sentRequestId}
        from tally t ${joinLast("t.collection_id")} where ${ownTally} and ${fresh}`,
  ),
);

export const insertItem = statement<CreateValues>((db) =>
  db.insert(item).select(
    sql`select ${number}, ${v.id}, t.collection_id,
        ${receipt}, ${v.status}, 1, ${v.version},
        t.last_created_at, ${v.actor}, t.last_created_at, ${v.actor},
        ${v.data}, ${lastChange("t.collection_id")}
        from tally t where ${ownTally} and ${fresh}`,
  ),
);

export const readPlace = statement<{ id: string }>((db) =>
  db
    .select({
      number: item.number,
      created_at: item.createdAt,
      listened: listened("item.collection_id"),
    })
    .from(item)
    .where(eq(item.id, v.id)),
);

/** All that a create stores. Its statements do nothing when the item is there already, so it may be repeated. */
export interface NewItem {
  id: string;
  collectionId: number;
  /** The version and the revision of the definition that the data was validated with. */
  version: number;
  revision: number;
  now: number;
  status: string | null;
  /** Null for submissions, which have no receipt number. */
  receiptPrefix: string | null;
  /** Stored data, JSON. */
  data: string;
  /** Search entries as JSON, but for that of the time of its update, which the database gives. */
  entries: string;
  /** Field numbers and the values that must be theirs alone. */
  unique: UniqueValue[];
  /** Ids of the fields that it has. */
  changedFields: number[];
}

export type Created =
  | { outcome: "created"; given: Given; listened: boolean }
  | { outcome: "replayed"; replay: Replay }
  | { outcome: "definition_changed" }
  | { outcome: "closed"; reason: ClosedReason }
  | { outcome: "duplicate"; taken: Taken[] };

/** Stores an item, all of it or nothing, in one batch; the answer of an earlier create with its key comes back. */
export async function createItem(
  db: D1Database,
  create: NewItem,
  claimed: Claim | null,
  act: ItemAct,
): Promise<Created> {
  const values = {
    ...act,
    ...create,
    ...(claimed ?? { key: null, fingerprint: null, answer: null, expiresAt: null }),
    unique: JSON.stringify(create.unique),
    changedFields: JSON.stringify(create.changedFields),
  };
  const statements = [
    ...(claimed ? [claim] : []),
    mayStore,
    giveNumber,
    ...(create.unique.length > 0 ? [insertUnique] : []),
    insertEntries,
    insertChange,
    insertItem,
    claimed ? readClaimed : readPlace,
  ].map((bind) => bind(db, values));
  try {
    const results = await attempt(() => db.batch<Record<string, unknown>>(statements));
    return createdOf(create, claimed, results.at(-1)?.results[0]);
  } catch (error) {
    return refusedOf(db, create, error);
  }
}

function createdOf(
  create: NewItem,
  claimed: Claim | null,
  row: Record<string, unknown> | undefined,
): Created {
  if (!row) throw new Error("A create left no trace of itself.");
  const listened = row["listened"] === 1;
  if (!claimed) {
    const { number: stored, created_at } = row as { number: number; created_at: number };
    const place = stored % placesPerCollection;
    return {
      outcome: "created",
      given: { itemId: create.id, place, createdAt: created_at },
      listened,
    };
  }
  const replay = replayFromRow(row as unknown as ReplayRow);
  if (replay.itemId !== create.id) return { outcome: "replayed", replay };
  const { itemId, place, createdAt } = replay;
  return { outcome: "created", given: { itemId, place, createdAt }, listened };
}

async function refusedOf(db: D1Database, create: NewItem, error: unknown): Promise<Created> {
  const failure = failureOf(error);
  if (failure.kind === "unique" && failure.table === "unique_value") {
    return { outcome: "duplicate", taken: await takenValues(db, create.unique, null) };
  }
  if (failure.kind !== "guard") throw error;
  switch (failure.constraint) {
    case "definition_changed":
      return { outcome: "definition_changed" };
    case "closed":
    case "full":
    case "not_open_yet":
      return { outcome: "closed", reason: failure.constraint };
    default:
      throw error;
  }
}
