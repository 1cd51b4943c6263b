import type { RowOutcome } from "../../../actions/batch/import-rows";
import { Problem } from "../../../domain/problem/problem";

/** How many rows became what. */
export interface Counts {
  created: number;
  updated: number;
  unchanged: number;
  refused: number;
}

export const none: Counts = { created: 0, updated: 0, unchanged: 0, refused: 0 };

export function countsOf(outcomes: readonly RowOutcome[], before = none): Counts {
  const counts = { ...before };
  for (const outcome of outcomes) {
    if (outcome instanceof Problem) counts.refused += 1;
    else if (outcome !== "deleted") counts[outcome] += 1;
  }
  return counts;
}
