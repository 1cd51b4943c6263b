import type { UniqueValue } from "../../domain/data/unique-values";
import type { ClosedReason } from "../../domain/definition/acceptance";
import { placesPerCollection } from "../../domain/item/item";
import { attempt } from "../db/attempt";
import type { ItemAct } from "../changes/change-statements";
import {
  giveNumber,
  insertChange,
  insertEntries,
  insertItem,
  insertUnique,
  mayStore,
  readPlace,
} from "./create-statements";
import { failureOf } from "../db/failure";
import {
  claim,
  readClaimed,
  replayFromRow,
  type Claim,
  type Given,
  type Replay,
  type ReplayRow,
} from "./replays";
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
