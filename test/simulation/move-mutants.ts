import type { Mutant } from "./mutants.ts";

const moveMutant = (
  seed: number,
  name: string,
  file: string,
  from: string,
  to: string,
): Mutant => ({
  name,
  patches: [{ file: `src/${file}`, from, to }],
  hasMoves: true,
  seed,
});

/** Bugs in moves between databases, each with a seed that finds it. */
export const moveMutants: readonly Mutant[] = [
  moveMutant(
    5,
    "a move does not note deleted rows",
    "store/data/move-log.ts",
    'delete: [note("old")],',
    "delete: [`select 1`],",
  ),
  {
    ...moveMutant(
      111,
      "expired submissions are looked for in the copy that a move leaves",
      "store/data/retention.ts",
      "and not ${isMovedAway}",
      "and not (false and ${isMovedAway})",
    ),
    isElusive: true,
  },
  moveMutant(
    88,
    "a stale isolate writes to the database that gave a collection up",
    "store/db/routing.ts",
    "where not ${ownerCondition(\"state = 'owned' or",
    "where false and not ${ownerCondition(\"state = 'owned' or",
  ),
  moveMutant(
    11,
    "the erasure of a copy does not check that the collection has moved back",
    "store/data/move-rows.ts",
    "const isErasable = `${isCopy(collectionId)} and ${isOfRun}`;",
    "const isErasable = isOfRun;",
  ),
  moveMutant(
    8,
    "a step forgets notes that came while it copied",
    "store/data/move-log.ts",
    '"delete from move_log where number <= ?1", [last.number]',
    '"delete from move_log where number <= ?1 + 1000", [last.number]',
  ),
  moveMutant(
    25,
    "a stopped move leaves what it copied",
    "actions/begin-move.ts",
    "if (!(await eraseCopies(run, run.target, run.move, hasTime))) return false;\n  await forgetMove",
    "await forgetMove",
  ),
  moveMutant(
    50,
    "a move goes on after a restore",
    "actions/run-moves.ts",
    "if (isRestored && stoppablePhases",
    "if (false && isRestored && stoppablePhases",
  ),
  {
    ...moveMutant(
      1795501779,
      "a read of one database confirms the writes to all",
      "http/authenticate.ts",
      "isOnly: c.env.databases.directory === null",
      "isOnly: true",
    ),
    isElusive: true,
  },
];
