import { loadCurrentCollection } from "./collection-cache.ts";
import type { CompiledCollection } from "#domain/data/compile.ts";
import { closedReason } from "#domain/definition/collection.ts";
import { diffStates, type FieldChange, statusFieldId } from "#domain/item/change.ts";
import type { Value } from "#domain/data/values.ts";
import { maxOperations, type BatchOperation } from "#domain/item/body.ts";
import { Problem, problem } from "#domain/problem/problem.ts";
import type { BatchWrite } from "#store/data/batch-write.ts";
import { applyOperations, simulateBatch } from "./apply-batch.ts";
import { findStoredDuplicates } from "./batch-duplicates.ts";
import { BatchProblem } from "./batch-problem.ts";
import type { OperationResult } from "./batch-results.ts";
import type { SimulatedOperation } from "./batch-changes.ts";
import { buildFieldChanges } from "./changes.ts";
import type { ActionContext } from "./context.ts";
import { firstConflict } from "./duplicates.ts";

/** The outcome of a row, or the problem that rejects it. */
export type RowOutcome = OperationResult["outcome"] | Problem;

/** A row of a file: its operation, or the problem found while reading the file. */
export type ImportRow = BatchOperation | Problem;

/** The result of checking a row. */
export interface CheckedRow {
  outcome: RowOutcome;
  /** The existing item that the row would change, with the changed fields. Null for other rows. */
  change: { id: string; receiptNumber: string | null; fields: FieldChange[] } | null;
}

/** The maximum cost of a check, in budgets of one batch. */
const maxBatchBudgets = 5;

/** Returns the outcome of each row and stores nothing. A write comes to the same outcomes. */
export async function checkRows(
  ctx: ActionContext,
  cached: CompiledCollection,
  rows: readonly ImportRow[],
): Promise<CheckedRow[]> {
  const { compiled } = await loadCurrentCollection(ctx, cached);
  const effects: EarlierEffects = { createdCount: 0, freed: [], taken: new Set(), budgetShare: 0 };
  const checkedRows: CheckedRow[] = [];
  for (const batch of splitIntoBatches(rows)) {
    checkedRows.push(...(await processRows(ctx, compiled, batch, effects)));
  }
  return checkedRows;
}

function splitIntoBatches(rows: readonly ImportRow[]): ImportRow[][] {
  const count = Math.ceil(rows.length / maxOperations);
  return Array.from({ length: count }, (_, i) =>
    rows.slice(i * maxOperations, (i + 1) * maxOperations),
  );
}

/** Writes at most one batch of rows. Omits rejected rows and stores all others together. */
export async function writeRows(
  ctx: ActionContext,
  compiled: CompiledCollection,
  rows: readonly ImportRow[],
): Promise<RowOutcome[]> {
  const writtenRows = await processRows(ctx, compiled, rows, null);
  return writtenRows.map(({ outcome }) => outcome);
}

/** The effects of the earlier batches of a check. A write finds these effects in the database instead. */
interface EarlierEffects {
  createdCount: number;
  freed: BatchWrite["uniqueValuesToRemove"];
  taken: Set<string>;
  budgetShare: number;
}

/** Omitting rejected rows, or a concurrent write, can make other rows invalid, so one attempt may not be enough. */
const maxAttempts = 10;

/** Decides on the rows of one batch. Stores them, or checks them with the effects of earlier batches. */
async function processRows(
  ctx: ActionContext,
  compiled: CompiledCollection,
  rows: readonly ImportRow[],
  effects: EarlierEffects | null,
): Promise<CheckedRow[]> {
  const results = rows.map((row) => rejectedRow(row instanceof Problem ? row : rowConflict()));
  let remaining = rows.flatMap((row, index) =>
    row instanceof Problem ? [] : [{ operation: row, index }],
  );
  for (let attempt = 0; remaining.length > 0 && attempt < maxAttempts; attempt += 1) {
    const operations = remaining.map(({ operation }) => operation);
    const attempted = await catchRowProblem(() => attemptRows(ctx, compiled, operations, effects));
    if (attempted instanceof Problem) {
      const halves = await processHalves(ctx, compiled, operations, effects, attempted);
      remaining.forEach(({ index }, i) => (results[index] = halves[i] ?? rejectedRow(attempted)));
      return results;
    }
    const { accepted, problems } = attempted;
    if (accepted) {
      remaining.forEach(
        ({ index }, i) => (results[index] = accepted[i] ?? rejectedRow(rowConflict())),
      );
      return results;
    }
    remaining = remaining.filter(({ index }, position) => {
      const cause = problems.get(position);
      if (cause) results[index] = rejectedRow(cause);
      return !cause;
    });
  }
  return results;
}

const rejectedRow = (outcome: Problem): CheckedRow => ({ outcome, change: null });

const rowConflict = () =>
  problem.conflict(
    "Too many rows of this file conflict with each other. Import it again.",
    "rows_conflict",
  );

/** The rows that can be stored together, or the problems of the rows to omit first. */
interface RowAttempt {
  accepted: CheckedRow[] | null;
  /** By the index of the operation. */
  problems: ReadonlyMap<number, Problem>;
}

async function attemptRows(
  ctx: ActionContext,
  compiled: CompiledCollection,
  operations: readonly BatchOperation[],
  effects: EarlierEffects | null,
): Promise<RowAttempt> {
  const batch = await simulateBatch(ctx, compiled, operations);
  const { results, write } = batch;
  if (effects) countBudget(effects, batch.budgetShare);
  const oversize = batch.problems.find(({ problem: cause }) => cause.code === "too_large");
  // The batch as a whole may be too large, so each half is tried.
  if (oversize && operations.length > 1) throw oversize.problem;
  const problems = new Map(batch.problems.map(({ index, problem: cause }) => [index, cause]));
  if (problems.size === 0) {
    for (const [index, cause] of await storageProblems(ctx, compiled, batch, operations, effects)) {
      problems.set(index, cause);
    }
  }
  if (problems.size > 0) return { accepted: null, problems };
  const accepted = results.map((result) => toCheckedRow(compiled, result));
  if (effects) {
    recordEffects(effects, write);
    return { accepted, problems };
  }
  return storeRows(ctx, compiled, operations, accepted);
}

/** Stores the rows. A concurrent write can still reject some of them. */
async function storeRows(
  ctx: ActionContext,
  compiled: CompiledCollection,
  operations: readonly BatchOperation[],
  accepted: CheckedRow[],
): Promise<RowAttempt> {
  try {
    await applyOperations(ctx, compiled, operations);
    return { accepted, problems: new Map() };
  } catch (error) {
    const isFull = error instanceof Problem && error.members["reason"] === "full";
    if (isFull) return { accepted: null, problems: new Map() };
    if (!(error instanceof BatchProblem)) throw error;
    const problems = error.operationProblems.map(
      ({ index, problem: cause }) => [index, cause] as const,
    );
    return { accepted: null, problems: new Map(problems) };
  }
}

/** The problems that depend on other items: duplicate values, and a form that is closed or full. */
async function storageProblems(
  ctx: ActionContext,
  compiled: CompiledCollection,
  { results, write }: Awaited<ReturnType<typeof simulateBatch>>,
  operations: readonly BatchOperation[],
  effects: EarlierEffects | null,
): Promise<Map<number, Problem>> {
  const problems = new Map<number, Problem>();
  const freed = [...write.uniqueValuesToRemove, ...(effects?.freed ?? [])];
  const afterEarlier = { ...write, uniqueValuesToRemove: freed };
  const duplicates = await findStoredDuplicates(ctx, compiled, afterEarlier, operations, results);
  for (const { index, problem: cause } of duplicates ?? []) problems.set(index, cause);
  for (const [number, ...value] of write.uniqueValuesToAdd) {
    if (!effects?.taken.has(JSON.stringify(value))) continue;
    const index = results.findIndex((result) => result?.item.lastState.number === number);
    const { key = "" } = firstConflict(compiled.collection, [{ field: value[0], id: "" }]) ?? {};
    problems.set(index, problem.duplicate(key));
  }
  if (problems.size > 0) return problems;
  return closedFormProblems(ctx, compiled, results, effects);
}

/** Rejects new items beyond the limit of the form. Throws when the form accepts none at all. */
async function closedFormProblems(
  ctx: ActionContext,
  compiled: CompiledCollection,
  results: readonly (SimulatedOperation | null)[],
  effects: EarlierEffects | null,
): Promise<Map<number, Problem>> {
  const problems = new Map<number, Problem>();
  const created = results.flatMap((result, index) =>
    result?.outcome === "created" ? [index] : [],
  );
  if (compiled.collection.kind === "app" || created.length === 0) return problems;
  const current = await loadCurrentCollection(ctx, compiled);
  const { acceptance } = current.compiled.collection.definition;
  const count = current.itemCount + (effects?.createdCount ?? 0);
  for (const [position, index] of created.entries()) {
    const reason = closedReason(acceptance, count + position, ctx.now());
    if (reason === null) continue;
    const cause = problem.submissionsClosed(reason);
    if (reason !== "full") throw cause;
    problems.set(index, cause);
  }
  return problems;
}

function countBudget(effects: EarlierEffects, budgetShare: number): void {
  effects.budgetShare += budgetShare;
  if (effects.budgetShare <= maxBatchBudgets) return;
  const reason =
    "The rows of this file need too much computation together. Import fewer rows at once.";
  throw problem.invalidInput([{ field: "file", code: "too_complex", reason }]);
}

function recordEffects(effects: EarlierEffects, write: BatchWrite): void {
  effects.createdCount += write.createdItems.length;
  effects.freed.push(...write.uniqueValuesToRemove);
  for (const [, ...value] of write.uniqueValuesToAdd) effects.taken.add(JSON.stringify(value));
}

function toCheckedRow(compiled: CompiledCollection, result: SimulatedOperation | null): CheckedRow {
  if (!result) return rejectedRow(rowConflict());
  const { outcome, item } = result;
  const { before, lastState } = item;
  if (outcome !== "updated" || !before) return { outcome, change: null };
  const { former } = diffStates(before, lastState);
  const after: [string, Value | null][] = Object.entries(lastState.data);
  const valuesAfter = new Map([...after, [String(statusFieldId), lastState.status]]);
  const fields = buildFieldChanges(compiled, former, valuesAfter);
  return { outcome, change: { id: before.id, receiptNumber: before.receiptNumber, fields } };
}

/**
 * Returns the problem if it concerns rows. Rethrows the problems of a closed form and of a file that is too complex,
 * and all other errors.
 */
async function catchRowProblem<T>(attempt: () => Promise<T>): Promise<T | Problem> {
  try {
    return await attempt();
  } catch (error) {
    const concernsRows = error instanceof Problem && error.code === "too_large";
    if (concernsRows) return error;
    throw error;
  }
}

/** Processes both halves. The whole batch exceeds a limit, but each half alone may fit. */
async function processHalves(
  ctx: ActionContext,
  compiled: CompiledCollection,
  operations: readonly BatchOperation[],
  effects: EarlierEffects | null,
  cause: Problem,
): Promise<CheckedRow[]> {
  if (operations.length === 1) return [rejectedRow(cause)];
  const middle = Math.ceil(operations.length / 2);
  const first = await processRows(ctx, compiled, operations.slice(0, middle), effects);
  return [...first, ...(await processRows(ctx, compiled, operations.slice(middle), effects))];
}
