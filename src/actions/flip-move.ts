import { copyKeptMs, type MoveProblem } from "#domain/move.ts";
import { applyLoggedChanges, dropTriggers, requireTriggers } from "#store/data/move-log.ts";
import {
  areMoved,
  freeze,
  hasPendingDefinition,
  hideCopy,
  loadLinksMark,
  surrender,
  takeOver,
  unfreeze,
} from "#store/data/move-sides.ts";
import { loadGroup } from "#store/data/linked-collections.ts";
import { maxAgeMs } from "#store/db/directory.ts";
import { redirect } from "#store/home/moves.ts";
import { carryFiles } from "./carry-files.ts";
import { copyLoggedChanges } from "./copy-collections.ts";
import type { MoveRun } from "./move-run.ts";

/** The end of a move: the collections are frozen, given up by one database, and taken over by the other. */

/** The notes that may be left when the freeze begins. Copying them takes a few round trips. */
const maxFrozenNotes = 500;
/** Writes wait up to 2 seconds. The freeze ends before, whatever happens. */
const frozenMs = 1500;
const freezeEndsMs = 1800;
/** All isolates have noticed the announcement after this time. */
const announcedMs = maxAgeMs + 5000;

/** Why the move cannot end now. Undefined if it can. */
async function findObstacle(run: MoveRun): Promise<MoveProblem | undefined> {
  const { collections, announcedAt } = run.move;
  const [first] = collections;
  if (run.now() - (announcedAt ?? run.now()) < announcedMs) return "waits_for_isolates";
  if (await hasPendingDefinition(run.source, collections)) return "waits_for_definition";
  const group = first ? await loadGroup(run.source, first.id) : [];
  const known = new Set(collections.map(({ id }) => id));
  return group.every(({ id }) => known.has(id)) ? undefined : "linked_meanwhile";
}

/**
 * Follows the changes, and ends the move if nothing speaks against it. Returns whether it did, or the reason why it
 * waits.
 */
export async function tryToFlip(
  run: MoveRun,
  hasTime: () => boolean,
): Promise<"flipped" | "wait" | "again"> {
  // Also while it waits, so that the notes do not pile up.
  if (!(await copyLoggedChanges(run, hasTime, maxFrozenNotes))) return "wait";
  const obstacle = await findObstacle(run);
  if (obstacle !== undefined) {
    const restarts = obstacle === "linked_meanwhile";
    await run.save({ problem: obstacle, ...(restarts ? { phase: "requested" as const } : {}) });
    return restarts ? "again" : "wait";
  }
  await requireTriggers(run.source);
  const links = await loadLinksMark(run.source);
  if (!(await copyLoggedChanges(run, hasTime, maxFrozenNotes))) return "wait";
  await run.save({ phase: "flipping", problem: null });
  if (await freezeAndSurrender(run, links)) return "flipped";
  await unfreeze(run.source, run.move.collections, run.order);
  await run.save({ phase: "following", problem: "too_many_changes" });
  return "wait";
}

async function freezeAndSurrender(run: MoveRun, links: string): Promise<boolean> {
  const { order } = run;
  const { collections } = run.move;
  const startedAt = run.now();
  await freeze(run.source, collections, order, startedAt + freezeEndsMs);
  while ((await applyLoggedChanges(run.both, order)) > 0)
    if (run.now() - startedAt > frozenMs) return false;
  if (!(await surrender(run.source, collections, order, links))) return false;
  await finishFlip(run);
  await run.save({ frozenMs: run.now() - startedAt });
  return true;
}

/** From here on, the source has given the collections up: there is only one way. Can be repeated. */
async function finishFlip(run: MoveRun): Promise<void> {
  const { collections, target } = run.move;
  await takeOver(run.both, collections, run.order);
  await redirect(run.databases.home, collections, target);
  await run.save({ phase: "retiring", movedAt: run.now() });
}

/** Continues a flip that was interrupted: to its end if the source has given up, otherwise back. */
export async function resumeFlip(run: MoveRun): Promise<void> {
  if (await areMoved(run.source, run.move.collections)) return finishFlip(run);
  await unfreeze(run.source, run.move.collections, run.order);
  await run.save({ phase: "following" });
}

/** Requests that list the collections of all databases have ended after this time. */
const listedMs = 10_000;

/** Hides the copy of the former database, and carries the files. Returns whether that is done. */
export async function retire(run: MoveRun, hasTime: () => boolean): Promise<boolean> {
  const { source, move, order, now } = run;
  await hideCopy(source, move.collections, "work", order);
  await dropTriggers(source, order);
  const movedAt = move.movedAt ?? now();
  if (now() - movedAt < listedMs) return false;
  await hideCopy(source, move.collections, "all", order);
  if (!(await carryFiles(run, hasTime))) return false;
  await run.save({ phase: "kept", eraseAt: movedAt + copyKeptMs, problem: null });
  return true;
}
