import { stoppablePhases } from "#domain/move.ts";
import { UnequalCopyError } from "#store/data/move-log.ts";
import { classifyError } from "#store/db/retry.ts";
import { claimMove, releaseMove } from "#store/home/moves.ts";
import { loadReach } from "#store/home/placements.ts";
import { beginMove, cleanUp } from "./begin-move.ts";
import { compareAll, copyAll, eraseCopies } from "./copy-collections.ts";
import { resumeFlip, retire, tryToFlip } from "./flip-move.ts";
import { MoveRefusedError, MoveRun, RunOverError, type MoveContext } from "./move-run.ts";

const maxRunMs = 25_000;

/**
 * Continues the unfinished move, or erases a copy that is due. If a run is killed at any point, the next run continues.
 * Without a directory there are no moves, and this reads nothing. Returns whether there was something to do.
 */
export async function runMoves(ctx: MoveContext, maxQueries = 700): Promise<boolean> {
  const { databases, now } = ctx;
  if (!databases.directory) return false;
  const startedAt = now();
  const move = await claimMove(databases.home, startedAt);
  if (!move) return false;
  const run = new MoveRun(ctx, move);
  try {
    await run.begin();
    await work(run, () => now() - startedAt < maxRunMs && run.queries < maxQueries);
  } catch (error) {
    if (!(await handle(run, error))) throw error;
  }
  await releaseMove(databases.home, run.move);
  return true;
}

/** Repeats steps until the time is up, or until the move ends or has to wait. */
async function work(run: MoveRun, hasTime: () => boolean): Promise<void> {
  for (;;) {
    stopIfRestored(run);
    if (!hasTime() || !(await step(run, hasTime))) return;
  }
}

/**
 * A restored database may have lost the effects of a move. Checked before each step, because a flip that goes back is
 * such a move.
 */
function stopIfRestored({ move, databases }: MoveRun): void {
  const isRestored = move.source !== null && move.restores !== databases.timeline.restores;
  if (isRestored && stoppablePhases.includes(move.phase)) throw new MoveRefusedError("restored");
}

/** Runs one step. Returns whether more can be done now. */
async function step(run: MoveRun, hasTime: () => boolean): Promise<boolean> {
  switch (run.move.phase) {
    case "requested":
      return beginMove(run, hasTime);
    case "copying":
      if (!(await copyAll(run, hasTime))) return false;
      await run.save({ phase: "checking", done: 0 });
      return true;
    case "checking":
      if (!(await compareAll(run, hasTime))) return false;
      await run.save({ phase: "following" });
      return true;
    case "following":
      return (await tryToFlip(run, hasTime)) !== "wait";
    case "flipping":
      await resumeFlip(run);
      return true;
    case "retiring":
      return retire(run, hasTime);
    case "kept":
      if ((run.move.eraseAt ?? Infinity) > run.now()) return false;
      // The deployment may not be able to access any other database, so the copy may be the only accessible data.
      if ((await loadReach(run.databases)).missing.length > 0) return false;
      if (await eraseCopies(run, run.source, "unused", hasTime)) await run.save({ phase: "done" });
      return false;
    case "stopping":
      return cleanUp(run, hasTime);
    case "done":
    case "stopped":
      return false;
  }
}

/**
 * Handles an error. Returns whether the error only ended this run or ended the move properly. Other errors are thrown.
 */
async function handle(run: MoveRun, error: unknown): Promise<boolean> {
  if (error instanceof RunOverError) return true;
  const failure = classifyError(error);
  if (failure.kind === "guard" && failure.constraint === "other_run") return true;
  const isRefused = error instanceof MoveRefusedError || error instanceof UnequalCopyError;
  if (!isRefused || !stoppablePhases.includes(run.move.phase)) return false;
  await run.save({ phase: "stopping", problem: error.message, position: null });
  return true;
}
