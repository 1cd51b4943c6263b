import { homeName } from "#domain/bookmarks.ts";
import { sequencesPerCollection } from "#domain/item/item.ts";
import { heldTables, isOfCollection } from "#store/db/moved-tables.ts";
import { quote } from "./query.ts";
import { eraseCopySql, erasesCopy, stopMoveSql, type MoveRow } from "./restored-moves.ts";

/**
 * After a restore, the directory of the home database may disagree with the databases about the location of a
 * collection. This decides for each collection from the rows of the databases themselves. The highest epoch wins,
 * because only a finished move raises it. The service must be paused.
 */

/** A row of `placement`. */
export interface PlacementRow {
  collection_id: number;
  kind: string;
  key: string;
  database: string;
  epoch: number;
  state: string;
}

/** The rows of a database about a collection that it owns, once owned or stores. */
export interface HeldRow {
  collection_id: number;
  /** Null if the database neither stores the collection nor has a row about its deletion. */
  kind: string | null;
  key: string | null;
  /** Null without a row in `owner`. */
  epoch: number | null;
  state: "owned" | "frozen" | "moved" | null;
  /** 2 for a collection, 1 for a deleted one that can be restored, 0 otherwise. */
  stored: number;
  /** Whether the database has the row of the collection, even if it is hidden. */
  copied: number;
  /** Whether the database has items, changes, former definitions or a tally of the collection. */
  filled: number;
  /** Whether the database has recorded an unfinished move of the collection into it. */
  receives: number;
}

/** Selects the rows of a database about all its collections. */
export const selectHeld = `WITH ids AS (SELECT collection_id AS id FROM owner UNION SELECT abs(id) FROM collection)
  SELECT ids.id AS collection_id, coalesce(c.kind, d.kind) AS kind, ltrim(coalesce(c.key, d.key), '~') AS key, o.epoch, o.state,
    CASE WHEN c.id > 0 THEN 2 WHEN c.id IS NOT NULL AND d.key NOT LIKE '~%' THEN 1 ELSE 0 END AS stored,
    c.id IS NOT NULL AS copied,
    ${["item", "change"].map((table) => `EXISTS (SELECT 1 FROM ${table} WHERE number >= ids.id * ${sequencesPerCollection} AND number < (ids.id + 1) * ${sequencesPerCollection})`).join(" OR ")}
      OR ${["tally", "former_definition"].map((table) => `EXISTS (SELECT 1 FROM ${table} WHERE collection_id = ids.id)`).join(" OR ")} AS filled,
    EXISTS (SELECT 1 FROM moving WHERE collection_id = ids.id AND role = 'target') AS receives
  FROM ids LEFT JOIN owner o ON o.collection_id = ids.id LEFT JOIN collection c ON c.id IN (ids.id, -ids.id)
    LEFT JOIN deletion d ON d.collection_id = ids.id`;

/** A statement, and the database that runs it. */
export interface Repair {
  database: string;
  sql: string;
}

interface Reconciliation {
  repairs: Repair[];
  /** Messages for the operator. */
  notes: string[];
  /** The collections of the directory that are in no database. */
  lost: LostCollection[];
}

export interface LostCollection {
  /** `form:purchase`. */
  name: string;
  /** The database in the directory. */
  database: string;
  /** The database from which it moved. */
  former: string | undefined;
}

export interface Held extends HeldRow {
  database: string;
}

export interface Claim extends Held {
  kind: string;
  key: string;
  epoch: number;
}

const isKnown = (held: Held): held is Claim => held.kind !== null && held.key !== null;
const byEpoch = (a: Claim, b: Claim) => b.epoch - a.epoch;
const nameOf = ({ kind, key }: Pick<PlacementRow, "kind" | "key">) => `${kind}:${key}`;

/**
 * Whether a database serves the collection. The home database serves collections that were never placed and have no row
 * in `owner`.
 */
const isServed = ({ state, database, stored }: Held) =>
  state === "owned" ||
  state === "frozen" ||
  (state === null && database === homeName && stored > 0);

/** The contents of the databases after a restore. */
export interface RestoredState {
  placements: readonly PlacementRow[];
  held: ReadonlyMap<string, readonly HeldRow[]>;
  moves: readonly MoveRow[];
}

/** Decides which database owns each collection. */
export function reconcile({ placements, held, moves }: RestoredState, now: number): Reconciliation {
  const rowsById = new Map<number, Held[]>();
  for (const [database, rows] of held)
    for (const row of rows)
      rowsById.set(row.collection_id, [
        ...(rowsById.get(row.collection_id) ?? []),
        { ...row, database },
      ]);
  const placedById = new Map(placements.map((row) => [row.collection_id, row]));
  const decisions = Array.from(rowsById, ([id, rows]) => decide(id, rows, placedById.get(id)));
  const result: Reconciliation = { repairs: [], notes: [], lost: [] };
  const takenNames = new Set<string>();
  for (const decision of decisions.filter((each) => each !== null).toSorted(byPrecedence)) {
    const { owner } = decision;
    if (takenNames.has(nameOf(owner))) {
      eraseNamesake(result, owner);
      continue;
    }
    takenNames.add(nameOf(owner));
    settle(result, decision, moves, now);
  }
  for (const placed of placements)
    if (!takenNames.has(nameOf(placed)))
      release(result, placed, rowsById.get(placed.collection_id) ?? []);
  return result;
}

interface Decision {
  id: number;
  owner: Claim;
  /** The epoch under which the owner will serve the collection. */
  epoch: number;
  others: Held[];
  placed: PlacementRow | undefined;
}

/**
 * Orders stored collections before erased ones of the same name, then collections in the directory first, then the
 * newest.
 */
function byPrecedence(a: Decision, b: Decision): number {
  return (
    b.owner.stored - a.owner.stored ||
    Number(b.placed !== undefined) - Number(a.placed !== undefined) ||
    b.id - a.id
  );
}

/** Returns null if no database can serve the collection. */
function decide(
  id: number,
  rows: readonly Held[],
  placed: PlacementRow | undefined,
): Decision | null {
  const knownRows = rows.filter(isKnown).map((row) => ({ ...row, epoch: row.epoch ?? 0 }));
  const served = knownRows.filter(isServed).toSorted(byEpoch);
  // The database to which the collection had moved was restored to a time before the move, so only the former copy
  // remains.
  const formerCopies = knownRows.filter(({ state, copied }) => state === "moved" && copied > 0);
  const owner = served[0] ?? formerCopies.toSorted(byEpoch)[0];
  if (!owner) return null;
  const highest = Math.max(placed?.epoch ?? 0, ...rows.map((row) => row.epoch ?? 0));
  // An outdated isolate may have cached a higher epoch of another database, or of this one from the undone time.
  const isNewest = owner.epoch === highest && owner === served[0];
  const isElsewhere =
    placed !== undefined && placed.epoch === highest && placed.database !== owner.database;
  const epoch = isNewest && !isElsewhere ? owner.epoch : highest + 1;
  return {
    id,
    owner,
    epoch,
    others: rows.filter((row) => row.database !== owner.database),
    placed,
  };
}

/** Lets only the owner serve the collection. */
function settle(
  result: Reconciliation,
  { id, owner, epoch, others, placed }: Decision,
  moves: readonly MoveRow[],
  now: number,
): void {
  const { repairs, notes } = result;
  const { database, kind, key } = owner;
  const reason = owner.stored ? `${database} has it` : `it was erased in ${database}`;
  for (const other of others) {
    if (isServed(other) || other.stored > 0) {
      hideCopy(result, other);
      notes.push(`${other.database} erases its copy of ${nameOf(owner)}: ${reason}.`);
    }
    if (other.filled && !moves.some((move) => erasesCopy(move, other)))
      repairs.push({ database: homeName, sql: eraseCopySql(other, owner, now) });
  }
  // The collection was never placed, and no database has recorded another placement.
  if (epoch === 0 && !placed) return;
  if (owner.state !== "owned" || owner.epoch !== epoch) {
    const sql = `INSERT OR REPLACE INTO owner (collection_id, epoch, state) VALUES (${id}, ${epoch}, 'owned')`;
    repairs.push({ database, sql });
  }
  if (owner.state === "moved") {
    repairs.push({ database, sql: showSql(id) }, { database: homeName, sql: stopMoveSql(id) });
  }
  const isPlaced =
    placed?.database === database &&
    placed.epoch === epoch &&
    nameOf(placed) === nameOf(owner) &&
    placed.state === "placed";
  if (isPlaced) return;
  const values = `${id}, ${quote(kind)}, ${quote(key)}, ${quote(database)}, ${epoch}, 'placed'`;
  repairs.push({
    database: homeName,
    sql: `INSERT OR REPLACE INTO placement (collection_id, kind, key, database, epoch, state) VALUES (${values})`,
  });
  if (placed?.database !== database) notes.push(`${nameOf(owner)} is in ${database} again.`);
}

const showSql = (
  id: number,
) => `UPDATE collection SET id = -id, key = substr(key, 2) WHERE id = -${id}
  AND NOT EXISTS (SELECT 1 FROM deletion WHERE collection_id = ${id})`;

/** Turns rows of a collection that another database owns into a copy like the one that a finished move leaves. */
function hideCopy({ repairs }: Reconciliation, { database, collection_id: id, epoch }: Held): void {
  repairs.push({
    database,
    sql: `INSERT OR REPLACE INTO owner (collection_id, epoch, state) VALUES (${id}, ${epoch ?? 0}, 'moved')`,
  });
  for (const table of heldTables())
    repairs.push({
      database,
      sql: `DELETE FROM ${table.name} WHERE ${isOfCollection(table, id, "left out")}`,
    });
}

/**
 * Lets the schedule erase a collection whose name another one has. A new name keeps the erasure from removing rights on
 * the other one.
 */
function eraseNamesake({ repairs, notes }: Reconciliation, namesake: Claim): void {
  const { database, collection_id: id, kind, key, copied } = namesake;
  repairs.push({ database, sql: `DELETE FROM owner WHERE collection_id = ${id}` });
  if (!copied) return;
  const values = `${id}, ${quote(kind)}, ${quote(`~${key}`)}, 0, 'system', 0, 'erasing'`;
  repairs.push(
    { database, sql: `UPDATE collection SET id = -id, key = '~' || key WHERE id = ${id}` },
    {
      database,
      sql: `INSERT OR REPLACE INTO deletion (collection_id, kind, key, deleted_at, deleted_by, erase_at, state) VALUES (${values})`,
    },
  );
  notes.push(`${database} erases its copy of ${kind}:${key}: another has its name.`);
}

/**
 * Releases the name of a collection that is in no database, for the next collection with this name. Its items return
 * 404 until then.
 */
function release(
  { repairs, notes, lost }: Reconciliation,
  { collection_id: id, kind, key, database, state }: PlacementRow,
  rows: readonly Held[],
): void {
  if (rows.some((row) => row.database === database && row.state !== null))
    repairs.push({ database, sql: `DELETE FROM owner WHERE collection_id = ${id}` });
  if (state === "creating") return;
  repairs.push({
    database: homeName,
    sql: `UPDATE placement SET state = 'creating' WHERE collection_id = ${id}`,
  });
  const formers = rows.filter((row) => row.state === "moved");
  lost.push({ name: `${kind}:${key}`, database, former: formers[0]?.database });
  const former = formers.find((row) => row.database !== database);
  notes.push(
    former
      ? `${kind}:${key} was in ${former.database} at that time. Undo this, or restore both databases.`
      : `${kind}:${key} does not exist at that time.`,
  );
}
