import { sql } from "drizzle-orm";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { orm, type Databases, type DataDatabase, type HomeDatabase } from "#store/db/database.ts";
import { placementFromRow, type Placement } from "#store/db/directory.ts";
import { retryTransient } from "#store/db/retry.ts";
import { dataDatabase, placement } from "#store/db/schema.ts";
import { homeStatement, sharedStatement } from "#store/db/statement.ts";
import { isActive } from "./move-sql.ts";

/**
 * An id that no collection of any database has or had. Items, cursors and webhooks contain such ids. The home database
 * assigns the ids of all databases.
 */
export const nextIdSql = sql`(select 1 + max(coalesce((select max(collection_id) from placement), 0),
  coalesce((select max(id) from collection), 0), coalesce((select max(collection_id) from deletion), 0)))`;

interface PlacedValues {
  kind: CollectionKind;
  key: string;
  database: string;
}

/** Does not place a key that a collection of the home database uses or has reserved. */
const insertPlacement = homeStatement<PlacedValues>((db, v) =>
  db
    .insert(placement)
    .select(
      sql`select ${nextIdSql}, ${v.kind}, ${v.key}, ${v.database}, 1, 'creating', 0
        where not exists (select 1 from placement where kind = ${v.kind} and key = ${v.key})
          and not exists (select 1 from collection where kind = ${v.kind} and key = ${v.key})
          and not exists (select 1 from deletion where kind = ${v.kind} and key = ${v.key} and state <> 'erased')`,
    )
    .onConflictDoNothing(),
);

const selectPlacement = homeStatement<Omit<PlacedValues, "database">>((db, v) =>
  db
    .select()
    .from(placement)
    .where(sql`kind = ${v.kind} and key = ${v.key}`),
);

type PlacementRow = Parameters<typeof placementFromRow>[0];

/** Reserves an id and a database for a new collection. Returns an existing reservation or placement if there is one. */
export async function reservePlacement(
  home: HomeDatabase,
  values: PlacedValues,
): Promise<Placement | undefined> {
  const [, found] = await retryTransient(home, () =>
    home.batch<PlacementRow>([insertPlacement(home, values), selectPlacement(home, values)]),
  );
  const [row] = found?.results ?? [];
  return row && placementFromRow(row);
}

const replaceStatement = homeStatement<PlacedValues & { collectionId: number }>((db, v) =>
  db
    .update(placement)
    .set({
      collectionId: nextIdSql,
      database: sql`${v.database}`,
      epoch: 1,
      state: "creating",
    })
    .where(
      sql`kind = ${v.kind} and key = ${v.key} and collection_id = ${v.collectionId}
        and not exists (select 1 from collection where kind = ${v.kind} and key = ${v.key})`,
    ),
);

/** Gives the key of a collection that no longer exists to a new one. */
export async function replacePlacement(
  home: HomeDatabase,
  values: PlacedValues & { collectionId: number },
): Promise<void> {
  await retryTransient(home, () => replaceStatement(home, values).run());
}

const finishStatement = homeStatement<{ collectionId: number }>((db, v) =>
  db
    .update(placement)
    .set({ state: "placed" })
    .where(sql`collection_id = ${v.collectionId} and state = 'creating'`),
);

/** Records that a reserved collection is stored. */
export async function finishPlacement(home: HomeDatabase, collectionId: number): Promise<void> {
  await retryTransient(home, () => finishStatement(home, { collectionId }).run());
}

/** A reserved placement and the handle of its database. */
export interface PlacedSite {
  placement: Placement;
  db: DataDatabase;
}

/** A data database for new collections. */
export interface Site {
  db: DataDatabase;
  /** A jurisdiction or a location hint. Null if the operator set none. */
  location: string | null;
}

/** Lists the data databases that accept new collections. Excludes a database that is still being added. */
export async function listSites(databases: Databases, now: number): Promise<Site[]> {
  const { home } = databases;
  const rows = await retryTransient(home, () => orm(home).select().from(dataDatabase));
  const byName = new Map(rows.map((row) => [row.name, row]));
  return databases.dataDatabases().flatMap((db): Site[] => {
    if (db.name === home.name) return [];
    const row = byName.get(db.name);
    return row && row.usedFrom > now ? [] : [{ db, location: row?.location ?? null }];
  });
}

const ping = sharedStatement<object>((db) =>
  db.select({ one: sql`1`.as("one") }).from(sql`(select 1)`),
);

/** Returns the site that stores the fewest bytes. */
export async function findSmallest(sites: readonly Site[]): Promise<Site | undefined> {
  if (sites.length < 2) return sites[0];
  const sizes = await Promise.all(
    sites.map(async ({ db }) => {
      const { meta } = await retryTransient(db, () => ping(db, {}).all());
      return meta.size_after;
    }),
  );
  const smallest = sizes.indexOf(Math.min(...sizes));
  return sites[smallest];
}

/** The parts of the installation that this deployment can access. */
interface Reach {
  /** The databases that have collections, or may get some, but are not bound. */
  missing: string[];
  /** The number of the last move, 0 before the first one, and whether a move is in progress. */
  lastMove: number;
  isMoving: boolean;
}

const reachSql = `select
  (select json_group_array(name) from (select database as name from placement union select name from data_database)
    where name not in (select value from json_each(?1))) as missing,
  (select coalesce(max(id), 0) from collection_move) as last_move,
  exists (select 1 from collection_move where ${isActive}) as is_moving`;

/**
 * Reads the directory at the primary. Code that deletes something because no database has a row must call this first.
 */
export async function loadReach({ home, dataDatabases }: Databases): Promise<Reach> {
  const bound = JSON.stringify([home.name, ...dataDatabases().map(({ name }) => name)]);
  const row = await retryTransient(home, () =>
    home
      .prepare<"home">(reachSql, [bound])
      .first<{ missing: string; last_move: number; is_moving: number }>(),
  );
  const { missing = "[]", last_move: lastMove = 0, is_moving: isMoving = 0 } = row ?? {};
  return { missing: JSON.parse(missing) as string[], lastMove, isMoving: isMoving === 1 };
}
