import type { UniqueValue } from "../../domain/data/unique-values";
import type { ClosedReason } from "../../domain/definition/collection";
import { placesPerCollection } from "../../domain/item/item";
import { attempt } from "../db/attempt";
import type { ItemAct } from "../changes/change-statements";
import {
  claim,
  giveNumber,
  insertChange,
  insertEntries,
  insertItem,
  insertUnique,
  mayStore,
  readPlace,
  readReplay,
} from "./create-statements";
import { failureOf } from "../db/failure";
import { takenValues, type Taken } from "./unique-values";

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
  /** Search entries as JSON, but for those of the system fields that the database gives. */
  entries: string;
  /** Field numbers and the values that must be theirs alone. */
  unique: UniqueValue[];
  /** Ids of the fields that it has. */
  changedFields: number[];
}

/** The part of an Idempotency-Key in a create. */
export interface Claim {
  key: string;
  fingerprint: string;
  /** What a replay needs besides the place and time that the database gives, JSON. */
  answer: string;
  expiresAt: number;
}

/** An answer that is given again: the first that was given for its key. */
export interface Replay {
  fingerprint: string;
  itemId: string;
  place: number;
  createdAt: number;
  answer: string;
  expiresAt: number;
}

export type Created =
  | { outcome: "created"; place: number; createdAt: number }
  | { outcome: "replayed"; replay: Replay }
  | { outcome: "definition_changed" }
  | { outcome: "closed"; reason: ClosedReason }
  | { outcome: "duplicate"; taken: Taken[] };

interface ReplayRow {
  fingerprint: string;
  item_id: string;
  place: number;
  created_at: number;
  answer: string;
  expires_at: number;
}

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
    claimed ? readReplay : readPlace,
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
  if (!claimed) {
    const { number: stored, created_at } = row as { number: number; created_at: number };
    return { outcome: "created", place: stored % placesPerCollection, createdAt: created_at };
  }
  const found = replayOf(row as unknown as ReplayRow);
  return found.itemId === create.id
    ? { outcome: "created", place: found.place, createdAt: found.createdAt }
    : { outcome: "replayed", replay: found };
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

/** The answer that is remembered for a key, unless it has expired. */
export async function findReplay(
  db: D1Database,
  key: string,
  now: number,
): Promise<Replay | undefined> {
  const row = await attempt(() => readReplay(db, { key }).first<ReplayRow>());
  return row && row.expires_at > now ? replayOf(row) : undefined;
}

function replayOf(row: ReplayRow): Replay {
  return {
    fingerprint: row.fingerprint,
    itemId: row.item_id,
    place: row.place,
    createdAt: row.created_at,
    answer: row.answer,
    expiresAt: row.expires_at,
  };
}
