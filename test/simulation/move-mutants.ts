import type { Mutant } from "./mutants.ts";

const moveMutant = (name: string, file: string, from: string, to: string): Mutant => ({
  name,
  patches: [{ file: `src/${file}`, from, to }],
  hasMoves: true,
});

/** Bugs in moves between databases. */
export const moveMutants: readonly Mutant[] = [
  moveMutant(
    "a move does not note deleted rows",
    "store/data/move-log.ts",
    'delete: [note("old")],',
    "delete: [`select 1`],",
  ),
  {
    ...moveMutant(
      "expired submissions are looked for in the copy that a move leaves",
      "store/data/retention.ts",
      "and not ${isMovedAway}",
      "and not (false and ${isMovedAway})",
    ),
    theme: "moves before erasures",
  },
  moveMutant(
    "a stale isolate writes to the database that gave a collection up",
    "store/db/routing.ts",
    "where not ${ownerCondition(\"state = 'owned' or",
    "where false and not ${ownerCondition(\"state = 'owned' or",
  ),
  moveMutant(
    "the erasure of a copy does not check that the collection has moved back",
    "store/data/move-rows.ts",
    "const isErasable = `${isCopy(collectionId)} and ${isOfRun}`;",
    "const isErasable = isOfRun;",
  ),
  moveMutant(
    "a step forgets notes that came while it copied",
    "store/data/move-log.ts",
    '"delete from move_log where number <= ?1", [last.number]',
    '"delete from move_log where number <= ?1 + 1000", [last.number]',
  ),
  moveMutant(
    "a stopped move leaves what it copied",
    "actions/begin-move.ts",
    "if (!(await eraseCopies(run, run.target, run.move, hasTime))) return false;\n  await forgetMove",
    "await forgetMove",
  ),
  moveMutant(
    "a move goes on after a restore",
    "actions/run-moves.ts",
    "if (isRestored && stoppablePhases",
    "if (false && isRestored && stoppablePhases",
  ),
  {
    ...moveMutant(
      "a read of one database confirms the writes to all",
      "http/authenticate.ts",
      "isOnly: c.env.databases.directory === null",
      "isOnly: true",
    ),
    theme: "unreported writes",
  },
];
