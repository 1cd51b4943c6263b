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
    3,
    "a move does not note deleted rows",
    "store/data/move-log.ts",
    'delete: [note("old")],',
    "delete: [`select 1`],",
  ),
  moveMutant(
    17,
    "expired submissions are looked for in the copy that a move leaves",
    "store/data/retention.ts",
    "and not ${isMovedAway}",
    "and not (false and ${isMovedAway})",
  ),
];
