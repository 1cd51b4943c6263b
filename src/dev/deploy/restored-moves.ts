import { homeName } from "#domain/bookmarks.ts";
import { copyKeptMs } from "#domain/move.ts";
import { moveTriggers } from "#store/db/moved-tables.ts";
import type { Claim, Held, Repair, RestoredState } from "./reconcile.ts";
import { quote } from "./query.ts";

/** What becomes of moves, and of the copies that they have left, after a restore. */

/** A move in the home database that is not over, or has left a copy. */
export interface MoveRow {
  phase: string;
  source: string | null;
  target: string;
  collections: string;
}

export const selectMoves = `SELECT phase, source, target, collections FROM collection_move
  WHERE phase NOT IN ('done', 'stopped')`;

/**
 * Ends the work of moves in each database: a move that had not flipped stops, and the others need nothing of it. A target
 * still knows what it received, so that the schedule erases that.
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

/** A database may have again what a move had carried, or erased of its copy. */
const startOver =
  "UPDATE collection_move SET position = NULL WHERE phase IN ('retiring', 'kept', 'stopping')";

const idsOf = ({ collections }: MoveRow): number[] =>
  (JSON.parse(collections) as { id: number }[]).map(({ id }) => id);

type Copy = Pick<Held, "database" | "collection_id" | "epoch" | "receives">;

/** Stops a move that gave the collection away. Earlier phases notice a restore themselves. */
export const stopMoveSql = (
  id: number,
) => `UPDATE collection_move SET phase = 'stopping', problem = 'restored', position = NULL
  WHERE phase = 'retiring' AND EXISTS (SELECT 1 FROM json_each(collections) WHERE value ->> 'id' = ${id})`;

/**
 * Whether the move erases this copy when it ends: what its source had, or what its target received. A target that does not
 * remember the move has the copy from another one: if the home database went back to a time before the end of the move,
 * the collection can have moved on since.
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
 * Lets the schedule erase a copy of which the home database knows no move, after the time that moves keep theirs. The
 * objects of files belong to the owner.
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
