import { homeName } from "#domain/bookmarks.ts";
import { sequencesPerCollection } from "#domain/item/item.ts";
import { heldTables, isOfCollection } from "#store/db/moved-tables.ts";
import { quote } from "./query.ts";
import { eraseCopySql, erasesCopy, stopMoveSql, type MoveRow } from "./restored-moves.ts";

/**
 * After a restore, the directory of the home database and the databases may disagree about where a collection is. This
 * decides for each collection, from what the databases themselves say: the highest epoch wins, because only a finished
 * move raises it. It runs while the service is paused.
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

/** What a database knows about a collection that it owns, owned or stores. */
export interface HeldRow {
  collection_id: number;
  /** Null if it neither stores the collection nor remembers that it was deleted. */
  kind: string | null;
  key: string | null;
  /** Null without a row in `owner`. */
  epoch: number | null;
  state: "owned" | "frozen" | "moved" | null;
  /** 2 for a collection, 1 for one that is deleted and can be restored, else 0. */
  stored: number;
  /** Whether its row is there, even if nothing shows it. */
  copied: number;
  /** Whether items, changes, former definitions or the tally of it are there. */
  filled: number;
  /** Whether it remembers a move into it that is not over. */
  receives: number;
}

/** Selects what a database holds. */
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
  /** What the operator should know. */
  notes: string[];
  /** The collections of the directory that no database has. */
  lost: LostCollection[];
}

export interface LostCollection {
  /** `form:purchase`. */
  name: string;
  /** The database that the directory names. */
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

/** Whether a database serves the collection. The home database serves what was never placed, without a row in `owner`. */
const isServed = ({ state, database, stored }: Held) =>
  state === "owned" ||
  state === "frozen" ||
  (state === null && database === homeName && stored > 0);

/** What the databases say after a restore. */
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
  /** The epoch under which the owner serves from now on. */
  epoch: number;
  others: Held[];
  placed: PlacementRow | undefined;
}

/** Stored collections come before erased ones of the same name, then those of the directory, then the newest. */
function byPrecedence(a: Decision, b: Decision): number {
  return (
    b.owner.stored - a.owner.stored ||
    Number(b.placed !== undefined) - Number(a.placed !== undefined) ||
    b.id - a.id
  );
}

/** Null if no database can serve the collection. */
function decide(
  id: number,
  rows: readonly Held[],
  placed: PlacementRow | undefined,
): Decision | null {
  const known = rows.filter(isKnown).map((row) => ({ ...row, epoch: row.epoch ?? 0 }));
  const served = known.filter(isServed).toSorted(byEpoch);
  // The database to which it had moved went back to before the move, so the former copy is all that is left.
  const kept = known.filter(({ state, copied }) => state === "moved" && copied > 0);
  const owner = served[0] ?? kept.toSorted(byEpoch)[0];
  if (!owner) return null;
  const highest = Math.max(placed?.epoch ?? 0, ...rows.map((row) => row.epoch ?? 0));
  // An outdated isolate may know a higher epoch of another database, or of this one from the undone time.
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

/** Lets the owner serve, and nothing else. */
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
  // Never placed, and nothing says otherwise.
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

/** Makes rows of a collection that another database owns a copy like that of a finished move. */
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

/** Lets the schedule erase a collection whose name another one has. Its new name keeps the rights on the other one as they are. */
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

/** Gives the name of a collection that no database has to the next one that is created with it. Its items are 404 until then. */
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
