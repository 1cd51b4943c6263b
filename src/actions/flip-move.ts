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

/**
 * The end of a move. The collections are frozen, the old database gives them up, and the new database takes them over.
 */

/** The maximum number of notes in the log when the freeze begins. Copying them takes a few round trips. */
const maxFrozenNotes = 500;
/** Writes wait up to 2 seconds. The freeze always ends earlier. */
const frozenMs = 1500;
const freezeEndsMs = 1800;
/** After this time, all isolates have noticed the announcement. */
const announcedMs = maxAgeMs + 5000;

/** Returns the reason why the move cannot end now. Undefined if it can. */
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
 * Copies the logged changes, and ends the move if there is no obstacle. Returns whether the move has ended, must wait,
 * or must start again.
 */
export async function tryToFlip(
  run: MoveRun,
  hasTime: () => boolean,
): Promise<"flipped" | "wait" | "again"> {
  // Copies changes even if the move has to wait, so that the log stays short.
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

/**
 * Finishes a flip after the source has given up the collections. From here on, the move cannot go back. Can be
 * repeated.
 */
async function finishFlip(run: MoveRun): Promise<void> {
  const { collections, target } = run.move;
  await takeOver(run.both, collections, run.order);
  await redirect(run.databases.home, collections, target);
  await run.save({ phase: "retiring", movedAt: run.now() });
}

/** Resumes an interrupted flip. Finishes it if the source has given up the collections, and otherwise goes back. */
export async function resumeFlip(run: MoveRun): Promise<void> {
  if (await areMoved(run.source, run.move.collections)) return finishFlip(run);
  await unfreeze(run.source, run.move.collections, run.order);
  await run.save({ phase: "following" });
}

/** After this time, requests that list the collections of all databases have ended. */
const listedMs = 10_000;

/** Hides the copy in the old database, and moves the files. Returns whether both are done. */
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
