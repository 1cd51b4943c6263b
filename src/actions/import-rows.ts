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
import { divide, divideBatch, divideIfTooLarge, type Division } from "./divide-batch.ts";
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
const maxBatchBudgets = 20;

/** Returns the outcome of each row and stores nothing. A write comes to the same outcomes. */
export async function checkRows(
  ctx: ActionContext,
  cached: CompiledCollection,
  rows: readonly ImportRow[],
): Promise<CheckedRow[]> {
  const { compiled } = await loadCurrentCollection(ctx, cached);
  const effects: EarlierEffects = { createdCount: 0, freed: [], taken: new Set(), budgetShare: 0 };
  const checkedRows: CheckedRow[] = [];
  for (const batch of divide(rows, maxOperations)) {
    checkedRows.push(...(await processRows(ctx, compiled, batch, effects)));
  }
  return checkedRows;
}

/**
 * The number of batches that one request can still write. Expensive or large rows need several batches, and one request
 * can send only 1,000 statements to D1.
 */
export interface WriteAllowance {
  batches: number;
}

export const writeAllowance = (): WriteAllowance => ({ batches: 20 });

/**
 * Writes at most one batch of rows, in several parts if they exceed the limits of a batch together. Omits rejected rows.
 * Returns fewer outcomes than rows if the allowance ends before the last rows, which are then unchanged.
 */
export async function writeRows(
  ctx: ActionContext,
  compiled: CompiledCollection,
  rows: readonly ImportRow[],
  allowance: WriteAllowance = { batches: Infinity },
): Promise<RowOutcome[]> {
  const writtenRows = await processRows(ctx, compiled, rows, null, allowance);
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

/**
 * Decides on the rows of one batch. Stores them, or checks them with the effects of earlier batches. Omits the last rows
 * if the allowance ends.
 */
async function processRows(
  ctx: ActionContext,
  compiled: CompiledCollection,
  rows: readonly ImportRow[],
  effects: EarlierEffects | null,
  allowance: WriteAllowance = { batches: Infinity },
): Promise<CheckedRow[]> {
  const results = rows.map((row) => rejectedRow(row instanceof Problem ? row : rowConflict()));
  let remaining = rows.flatMap((row, index) =>
    row instanceof Problem ? [] : [{ operation: row, index }],
  );
  for (let attempt = 0; remaining.length > 0 && attempt < maxAttempts; attempt += 1) {
    const operations = remaining.map(({ operation }) => operation);
    allowance.batches -= 1;
    const attempted = await divideIfTooLarge(operations, () =>
      attemptRows(ctx, compiled, operations, effects),
    );
    if ("parts" in attempted) {
      const decided = await processParts(ctx, compiled, attempted, effects, allowance);
      remaining
        .slice(0, decided.length)
        .forEach(({ index }, i) => (results[index] = decided[i] ?? rejectedRow(rowConflict())));
      return results.slice(0, remaining[decided.length]?.index);
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
): Promise<RowAttempt | Division> {
  const batch = await simulateBatch(ctx, compiled, operations);
  const { results, write } = batch;
  const division = divideBatch(operations, batch.problems);
  if (division) return division;
  if (effects) countBudget(effects, batch.budgetShare);
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
): Promise<RowAttempt | Division> {
  try {
    await applyOperations(ctx, compiled, operations);
    return { accepted, problems: new Map() };
  } catch (error) {
    const isFull = error instanceof Problem && error.members["reason"] === "full";
    if (isFull) return { accepted: null, problems: new Map() };
    if (!(error instanceof BatchProblem)) throw error;
    const division = divideBatch(operations, error.operationProblems);
    if (division) return division;
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
  // Operations that exceed the budget count but do not run.
  effects.budgetShare += Math.min(1, budgetShare);
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

async function processParts(
  ctx: ActionContext,
  compiled: CompiledCollection,
  { parts, cause }: Division,
  effects: EarlierEffects | null,
  allowance: WriteAllowance,
): Promise<CheckedRow[]> {
  if (parts.length === 1) return [rejectedRow(cause)];
  const decided: CheckedRow[] = [];
  for (const part of parts) {
    if (decided.length > 0 && allowance.batches <= 0) break;
    const rows = await processRows(ctx, compiled, part, effects, allowance);
    decided.push(...rows);
    if (rows.length < part.length) break;
  }
  return decided;
}
