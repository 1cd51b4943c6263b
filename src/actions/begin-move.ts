import { retryTransient } from "#store/db/retry.ts";
import { dropTriggers } from "#store/data/move-log.ts";
import {
  forgetMove,
  hasUnfinishedRepairs,
  receive,
  startNoting,
  unfreeze,
  type MovingCollection,
} from "#store/data/move-sides.ts";
import { announceMove, withdraw } from "#store/home/moves.ts";
import { findTargetRefusal } from "#store/home/move-requests.ts";
import { eraseCopies } from "./copy-collections.ts";
import { databaseNames, findMoveGroup, type MoveGroup } from "./move-group.ts";
import { MoveRefusedError, type MoveRun } from "./move-run.ts";

/** Begins moves, and cleans up stopped ones. */

/** Loads the group again, because links, locations and databases may have changed since the request. */
async function loadGroup(run: MoveRun): Promise<MoveGroup> {
  const { databases, move } = run;
  const group = await findMoveGroup(databases, move.name);
  if (typeof group === "string") throw new MoveRefusedError(group);
  const refusal = await findTargetRefusal(databases.home, {
    source: group.source.name,
    target: move.target,
    location: group.location,
    databases: databaseNames(databases),
    at: run.now(),
  });
  if (refusal) throw new MoveRefusedError(refusal);
  return group;
}

/** Prepares both databases. Returns whether copying can start. */
export async function beginMove(run: MoveRun, hasTime: () => boolean): Promise<boolean> {
  const { source, collections: group } = await loadGroup(run);
  const collections: MovingCollection[] = [];
  for (const { id, kind, key } of group) {
    const placement = await retryTransient(run.databases, async () =>
      run.databases.directory?.findCurrent({ id }),
    );
    collections.push({ id, name: `${kind}:${key}`, epoch: placement?.epoch ?? 0 });
  }
  const total = group.reduce((sum, { itemCount }) => sum + itemCount, 0);
  const { restores } = run.databases.timeline;
  const isSame = JSON.stringify(collections) === JSON.stringify(run.move.collections);
  // Collections that are no longer linked stay, so their part of the move is undone.
  if (!isSame && !(await undoBeginning(run, hasTime))) return false;
  const { position } = run.move;
  await run.save({ source: source.name, collections, total, done: 0, position, restores });
  for (const db of run.both)
    if (await hasUnfinishedRepairs(db)) {
      await run.save({ problem: `waits_for_repairs ${db.name}` });
      return false;
    }
  if (!(await receive(run.target, collections, run.order)))
    throw new MoveRefusedError("owned_by_target");
  if (!(await eraseCopies(run, run.target, run.move, hasTime))) return false;
  await announceMove(run.databases.home, run.move);
  await startNoting(run.source, collections, run.order);
  await run.save({ phase: "copying", announcedAt: run.now(), problem: null });
  return true;
}

/**
 * Removes everything that the move has left in the databases and the directory. Returns false if time runs out first.
 */
async function undoBeginning(run: MoveRun, hasTime: () => boolean): Promise<boolean> {
  const { source, collections } = run.move;
  if (source === null) return true;
  await unfreeze(run.source, collections, run.order);
  await forgetMove(run.source, "source", run.order);
  await dropTriggers(run.source, run.order);
  await withdraw(run.databases.home, run.move);
  if (!(await eraseCopies(run, run.target, run.move, hasTime))) return false;
  await forgetMove(run.target, "target", run.order);
  return true;
}

/** Cleans up a stopped move. Returns whether it is done. */
export async function cleanUp(run: MoveRun, hasTime: () => boolean): Promise<boolean> {
  if (!(await undoBeginning(run, hasTime))) return false;
  await run.save({ phase: "stopped" });
  return true;
}
