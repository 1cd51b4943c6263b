import { homeName } from "#domain/bookmarks.ts";
import { copyKeptMs } from "#domain/move.ts";
import { moveTriggers } from "#store/db/moved-tables.ts";
import type { Claim, Held, Repair, RestoredState } from "./reconcile.ts";
import { quote } from "./query.ts";

/** Ends moves after a restore, and erases the copies that they have left. */

/** A move in the home database that is unfinished or has left a copy. */
export interface MoveRow {
  phase: string;
  source: string | null;
  target: string;
  collections: string;
}

export const selectMoves = `SELECT phase, source, target, collections FROM collection_move
  WHERE phase NOT IN ('done', 'stopped')`;

/**
 * Removes the state of moves in each database. A move that had not flipped stops, and all others need no state. A
 * target keeps the list of received collections, so that the schedule erases them.
 */
export function forgetMoves({ held, moves }: RestoredState): Repair[] {
  const repairs = Array.from(held.keys()).flatMap((database) => {
    const received = moves.filter((move) => move.target === database && move.phase !== "kept");
    const ids = received.flatMap(idsOf).join(", ");
    return [
      ...moveTriggers().map((name) => `DROP TRIGGER IF EXISTS ${name}`),
      "DELETE FROM move_log",
      // A batch from before the restore may still arrive.
      "UPDATE move_run SET run = run + 1",
      `DELETE FROM moving WHERE role = 'source' OR collection_id NOT IN (${ids})`,
    ].map((sql) => ({ database, sql }));
  });
  return [...repairs, { database: homeName, sql: startOver }];
}

/**
 * Restarts steps from the beginning. A restored database may again contain files that a move had moved, or rows that it
 * had erased.
 */
const startOver =
  "UPDATE collection_move SET position = NULL WHERE phase IN ('retiring', 'kept', 'stopping')";

const idsOf = ({ collections }: MoveRow): number[] =>
  (JSON.parse(collections) as { id: number }[]).map(({ id }) => id);

type Copy = Pick<Held, "database" | "collection_id" | "epoch" | "receives">;

/** Stops a move that had given the collection away. Earlier phases detect a restore themselves. */
export const stopMoveSql = (
  id: number,
) => `UPDATE collection_move SET phase = 'stopping', problem = 'restored', position = NULL
  WHERE phase = 'retiring' AND EXISTS (SELECT 1 FROM json_each(collections) WHERE value ->> 'id' = ${id})`;

/**
 * Whether the move erases this copy when it ends: the rows of its source, or the rows that its target received. If the
 * target has no record of the move, its copy came from another move. After a restore of the home database to a time
 * before the end of the move, the collection can have moved again.
 */
export function erasesCopy(
  move: MoveRow,
  { database, collection_id: id, receives }: Copy,
): boolean {
  const { phase, source, target } = move;
  const hasMoved = phase === "flipping" || phase === "retiring" || phase === "kept";
  const isErased = hasMoved && source === database;
  const isReceived = phase !== "kept" && target === database && receives > 0;
  return (isErased || isReceived) && idsOf(move).includes(id);
}

/**
 * Lets the schedule erase a copy that belongs to no move in the home database, after the same time as the copies of
 * moves. The objects of files belong to the owner.
 */
export function eraseCopySql(
  { database, collection_id: id, epoch }: Copy,
  owner: Claim,
  now: number,
): string {
  const name = `${owner.kind}:${owner.key}`;
  const collections = JSON.stringify([{ id, name, epoch: epoch ?? 0 }]);
  const texts = [name, database, owner.database, collections].map(quote).join(", ");
  const eraseAt = owner.stored ? now + copyKeptMs : now;
  return `INSERT INTO collection_move (name, source, target, collections, phase, actor, requested_at, changed_at, moved_at, erase_at)
    VALUES (${texts}, 'kept', 'system', ${now}, ${now}, ${now}, ${eraseAt})`;
}
