import { homeName } from "../../src/domain/bookmarks.ts";
import {
  reconcile,
  selectHeld,
  type HeldRow,
  type PlacementRow,
} from "../../src/dev/deploy/reconcile.ts";
import { forgetMoves, selectMoves, type MoveRow } from "../../src/dev/deploy/restored-moves.ts";
import type { CollectionKey } from "./definitions.ts";
import type { SimulatedDatabase } from "./platform/database.ts";
import type { World } from "./world.ts";

/** The database that owns each collection, by id. While a move gives a collection away, no database owns it. */
export type Owners = ReadonlyMap<number, SimulatedDatabase>;

/**
 * Finds the owners according to the databases themselves. A collection that was never placed is in the home database.
 */
export function findOwners({ databases, home }: World): Owners {
  const owners = new Map<number, SimulatedDatabase>();
  const stored = home.select<{ id: number }>(
    "select abs(id) as id from collection where abs(id) not in (select collection_id from owner)",
  );
  for (const { id } of stored) owners.set(id, home);
  if (databases.size === 1) return owners;
  const sql = "select collection_id as id from owner where state <> 'moved'";
  for (const db of databases.values())
    for (const { id } of db.select<{ id: number }>(sql)) owners.set(id, db);
  return owners;
}

/** The name of the database that owns each collection. */
export type Places = ReadonlyMap<CollectionKey, string>;

export function findPlaces(world: World): Places {
  const owners = findOwners(world);
  const places = new Map<CollectionKey, string>();
  for (const [name, db] of world.databases)
    for (const { id, key } of db.select<{ id: number; key: CollectionKey }>(
      "select abs(id) as id, ltrim(key, '~') as key from collection",
    ))
      if (owners.get(id) === db) places.set(key, name);
  return places;
}

/** Reconciles the directory with the databases after a restore, like `npm run restore`. */
export function repairDirectory({ databases, home, scheduler }: World): void {
  if (databases.size === 1) return;
  const placements = home.select<PlacementRow>(
    "select collection_id, kind, key, database, epoch, state from placement",
  );
  const held = new Map(
    [...databases].map(([name, db]) => [name, db.select<HeldRow>(selectHeld)] as const),
  );
  const state = { placements, held, moves: home.select<MoveRow>(selectMoves) };
  for (const { database, sql } of [
    ...forgetMoves(state),
    ...reconcile(state, scheduler.now).repairs,
  ])
    (database === homeName ? home : databases.get(database))?.commit(sql);
}
