import type { BatchOperation } from "#domain/item/body.ts";
import { isTooComplex } from "#domain/problem/field-errors.ts";
import { Problem } from "#domain/problem/problem.ts";
import type { OperationProblem } from "./batch-problem.ts";

/** A batch that exceeds a limit, in parts that may fit. A single row that exceeds the limit is one part. */
export interface Division {
  parts: readonly (readonly BatchOperation[])[];
  cause: Problem;
}

export function divide<Row>(rows: readonly Row[], size: number): Row[][] {
  const count = Math.ceil(rows.length / size);
  return Array.from({ length: count }, (_, i) => rows.slice(i * size, (i + 1) * size));
}

/**
 * Divides a batch that exceeds a limit. Returns undefined if its rows fit together, and for a single row. The rows before
 * the first one that exceeds a budget fit together, and as many of the others probably do, too.
 */
export function divideBatch(
  operations: readonly BatchOperation[],
  problems: readonly OperationProblem[],
): Division | undefined {
  if (operations.length === 1) return undefined;
  const tooLarge = problems.find(({ problem: cause }) => cause.code === "too_large");
  if (tooLarge) return divideInHalf(operations, tooLarge.problem);
  const [expensive] = problems
    .filter(({ problem: cause }) => isTooComplex(cause))
    .toSorted((a, b) => a.index - b.index);
  if (!expensive) return undefined;
  const { index, problem: cause } = expensive;
  if (index === 0) return { parts: [operations.slice(0, 1), operations.slice(1)], cause };
  return { parts: divide(operations, index), cause };
}

const divideInHalf = (operations: readonly BatchOperation[], cause: Problem): Division => ({
  parts: divide(operations, Math.ceil(operations.length / 2)),
  cause,
});

/** Divides the batch if the attempt throws that it is too large. Rethrows all other errors. */
export async function divideIfTooLarge<Result>(
  operations: readonly BatchOperation[],
  attempt: () => Promise<Result>,
): Promise<Result | Division> {
  try {
    return await attempt();
  } catch (error) {
    if (error instanceof Problem && error.code === "too_large")
      return divideInHalf(operations, error);
    throw error;
  }
}
