import { uniqueValues, type UniqueValue } from "#domain/data/index-entries.ts";
import type { CompiledCollection } from "#domain/data/compile.ts";
import { maxOperations, type Operation } from "#domain/item/body.ts";
import { Problem, problem } from "#domain/problem/problem.ts";
import { loadUniqueValueOwners } from "#store/data/batch-read.ts";
import type { BatchWrite } from "#store/data/batch-write.ts";
import type { ActionContext } from "./context.ts";
import { loadCurrentCollection, firstConflict, assertAccepting } from "./create-item.ts";
import { applyOperations, simulateBatch } from "./apply-batch.ts";
import { BatchProblem, type OperationResult } from "./batch-results.ts";

/** The outcome of a row, or the problem that rejects it. */
export type RowOutcome = OperationResult["outcome"] | Problem;

/** The limit for the cost of a check, in budgets of one batch. */
const maxBatchBudgets = 5;

/**
 * Returns the current outcome of each row, batch by batch, and stores nothing.
 * When rows of different batches share a unique value, the later row gets the problem.
 */
export async function checkRows(
  ctx: ActionContext,
  cached: CompiledCollection,
  rows: readonly Operation[],
): Promise<RowOutcome[]> {
  const current = await loadCurrentCollection(ctx, cached);
  const itemIdByValue = new Map<string, string>();
  const outcomes: RowOutcome[] = [];
  let totalBudgetShare = 0;
  for (const batch of splitIntoBatches(rows)) {
    const checkedBatch = await checkBatch(ctx, current.compiled, batch, itemIdByValue);
    totalBudgetShare += checkedBatch.budgetShare;
    if (totalBudgetShare > maxBatchBudgets) throw tooComplexProblem();
    outcomes.push(...checkedBatch.outcomes);
  }
  if (outcomes.includes("created")) assertAccepting(current, ctx.now());
  return outcomes;
}

function tooComplexProblem(): Problem {
  const reason =
    "The rows of this file need too much computation together. Import fewer rows at once.";
  return problem.invalidInput([{ field: "file", code: "too_complex", reason }]);
}

function splitIntoBatches(rows: readonly Operation[]): Operation[][] {
  const count = Math.ceil(rows.length / maxOperations);
  return Array.from({ length: count }, (_, i) =>
    rows.slice(i * maxOperations, (i + 1) * maxOperations),
  );
}

async function checkBatch(
  ctx: ActionContext,
  compiled: CompiledCollection,
  batch: readonly Operation[],
  itemIdByValue: Map<string, string>,
): Promise<{ outcomes: RowOutcome[]; budgetShare: number }> {
  const { results, problems, write, budgetShare } = await simulateBatch(ctx, compiled, batch);
  const problemByIndex = new Map(problems.map(({ index, problem: cause }) => [index, cause]));
  const db = ctx.databases.of(compiled.collection);
  const storedOwners =
    write.uniqueValuesToAdd.length > 0
      ? await loadUniqueValueOwners(db, toUniqueValues(write.uniqueValuesToAdd))
      : [];
  const removedValues = new Set(write.uniqueValuesToRemove.map((value) => JSON.stringify(value)));
  const owners = storedOwners.filter(
    ({ item, field, value }) => !removedValues.has(JSON.stringify([item, field, value])),
  );
  const outcomes = batch.map((_, index): RowOutcome => {
    const cause = problemByIndex.get(index);
    const result = results[index];
    if (cause || !result) return cause ?? problem.tryAgain();
    const { lastState, current } = result.item;
    const itemValues = current
      ? uniqueValues(compiled.collection, current.data, current.status)
      : [];
    const conflict = itemValues.find(([field, value]) => {
      const owner = owners.find((row) => row.field === field && row.value === value);
      const earlierId = itemIdByValue.get(JSON.stringify([field, value]));
      return (
        (owner && owner.item !== lastState.number) ||
        (earlierId !== undefined && earlierId !== lastState.id)
      );
    });
    if (conflict) {
      const duplicate = firstConflict(compiled.collection, [{ field: conflict[0], id: "" }]);
      return duplicate ? problem.duplicate(duplicate.key) : problem.tryAgain();
    }
    for (const value of itemValues) itemIdByValue.set(JSON.stringify(value), lastState.id);
    return result.outcome;
  });
  return { outcomes, budgetShare };
}

const toUniqueValues = (values: BatchWrite["uniqueValuesToAdd"]) =>
  values.map(([, field, value]): UniqueValue => [field, value]);

/** Omitting rejected rows, or a concurrent write, can make other rows invalid, so one attempt may not be enough. */
const maxAttempts = 10;

/** Writes at most one batch of rows. Omits invalid rows and stores all others together. */
export async function writeRows(
  ctx: ActionContext,
  compiled: CompiledCollection,
  rows: readonly Operation[],
): Promise<RowOutcome[]> {
  const outcomes: RowOutcome[] = [];
  let remainingRows = rows.map((operation, index) => ({ operation, index }));
  for (let attempt = 0; remainingRows.length > 0; attempt += 1) {
    const operations = remainingRows.map(({ operation }) => operation);
    const results = await catchRowProblem(() => applyOperations(ctx, compiled, operations));
    if (!(results instanceof Problem)) {
      remainingRows.forEach(
        ({ index }, i) => (outcomes[index] = results[i]?.outcome ?? "unchanged"),
      );
      return outcomes;
    }
    if (!(results instanceof BatchProblem)) {
      const halves = await writeInHalves(ctx, compiled, operations, results);
      remainingRows.forEach(({ index }, i) => (outcomes[index] = halves[i] ?? results));
      return outcomes;
    }
    if (attempt === maxAttempts) {
      for (const { index } of remainingRows) outcomes[index] = rowConflictProblem();
      return outcomes;
    }
    const problems = new Map(
      results.operationProblems.map(({ index, problem: cause }) => [index, cause]),
    );
    for (const [position, cause] of problems) {
      const index = remainingRows[position]?.index;
      if (index !== undefined) outcomes[index] = cause;
    }
    remainingRows = remainingRows.filter((_, position) => !problems.has(position));
  }
  return outcomes;
}

const rowConflictProblem = () =>
  problem.conflict("Too many rows of this file conflict with each other. Import it again.");

/** Returns a problem that concerns rows. Rethrows a closed form, which affects all rows, and all other errors. */
async function catchRowProblem<T>(write: () => Promise<T>): Promise<T | Problem> {
  try {
    return await write();
  } catch (error) {
    const isClientError = error instanceof Problem && error.status < 500;
    if (isClientError && error.code !== "submissions_closed") return error;
    throw error;
  }
}

/** The whole batch exceeds a limit, but each half alone may fit. */
async function writeInHalves(
  ctx: ActionContext,
  compiled: CompiledCollection,
  operations: readonly Operation[],
  cause: Problem,
): Promise<RowOutcome[]> {
  if (operations.length === 1) return [cause];
  const middle = Math.ceil(operations.length / 2);
  const first = await writeRows(ctx, compiled, operations.slice(0, middle));
  return [...first, ...(await writeRows(ctx, compiled, operations.slice(middle)))];
}
