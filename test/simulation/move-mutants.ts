import type { Mutant } from "./mutants.ts";

const moveMutant = (name: string, file: string, from: string, to: string): Mutant => ({
  name,
  patches: [{ file: `src/${file}`, from, to }],
  hasMoves: true,
});

const routing = "store/db/routing.ts";
const sides = "store/data/move-sides.ts";

/** Bugs in moves between databases, and in what keeps them apart. */
export const moveMutants: readonly Mutant[] = [
  moveMutant(
    "a database does not compare the epoch of a collection",
    routing,
    "fence: { collectionId, missing, lowest: epoch, highest: epoch },",
    "fence: { collectionId, missing, lowest: 0, highest: anyEpoch },",
  ),
  moveMutant(
    "a database answers for a collection that it gave up",
    routing,
    `ownerCondition("state <> 'moved'")`,
    `ownerCondition("1")`,
  ),
  moveMutant(
    "a collection is given up before its last changes are copied",
    sides,
    'refuseIf(source, "exists (select 1 from move_log)"),',
    "",
  ),
  moveMutant(
    "a move does not note deleted rows",
    "store/data/move-log.ts",
    'delete: [note("old")],',
    "delete: [`select 1`],",
  ),
  moveMutant(
    "a move does not compare the number of its run",
    "store/data/move-guards.ts",
    "or exists (select 1 from moving where role = '${role}' and run <> ?1)`,",
    "and ?1 < 0`,",
  ),
  moveMutant(
    "a move does not wait until all isolates know of it",
    "actions/flip-move.ts",
    "const announcedMs = maxAgeMs + 5000;",
    "const announcedMs = 0 * maxAgeMs;",
  ),
  moveMutant(
    "a late erasure takes what a later run of a move copied",
    "store/data/move-rows.ts",
    "and role = 'target' and run = ${copy.run})`",
    "and ${copy.run} > 0)`",
  ),
  moveMutant(
    "expired submissions are looked for in the copy that a move leaves",
    "store/data/retention.ts",
    "and not ${isMovedAway}",
    "and not (false and ${isMovedAway})",
  ),
];
