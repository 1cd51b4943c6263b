import { isSameDefinition, loadCurrentCollection } from "./collection-cache.ts";
import { itemAction } from "#domain/item/change.ts";
import type { CompiledCollection } from "#domain/data/compile.ts";
import { viewOf, wholeCollection, type CollectionAccess } from "#domain/data/narrow.ts";
import { maxBatchErrors, type BatchOperation, readBatch } from "#domain/item/body.ts";
import { newIdIn, parseReceiptSequences } from "#domain/item/item.ts";
import type { ItemLookup } from "#store/data/batch-read.ts";
import { exceedsReadLimit, lookUpVisible, maxReadBytes } from "./batch-lookup.ts";
import type { SimulatedOperation, TouchedItem } from "./batch-changes.ts";
import { BatchSimulation } from "./batch-simulation.ts";
import { createUpsertKeyReader, type UpsertKeyReader } from "./upsert-key.ts";
import { closedReason } from "#domain/definition/collection.ts";
import { batchBudget, batchBudgetUsed } from "#domain/formula/compute.ts";
import { Problem, problem, type FieldError } from "#domain/problem/problem.ts";
import { storeBatch, type BatchWrite } from "#store/data/batch-write.ts";
import type { Claim } from "#store/data/replays.ts";
import { itemAuditRecord, type ActionContext } from "./context.ts";
import { outsideView } from "./narrow-write.ts";
import { accessCollection } from "./caller-access.ts";
import { findBatchDuplicates, findStoredDuplicates } from "./batch-duplicates.ts";
import { reloadAfterWrite } from "./create-item.ts";
import { guardedReferences } from "./references.ts";
import {
  batchReferences,
  findUnknownReferences,
  resolveOperations,
  type BatchReference,
} from "./batch-references.ts";
import {
  noIdempotencyKey,
  runIdempotent,
  type IdempotentResult,
  type PreparedWrite,
  type IdempotencyKey,
} from "./idempotent.ts";
import {
  buildBatchProblem,
  shapeProblems,
  withClosedForm,
  type OperationProblem,
} from "./batch-problem.ts";
import {
  assertReturnable,
  toOperationResults,
  buildBatchResponse,
  type OperationResult,
  type BatchResponse,
  buildBatchWrite,
} from "./batch-results.ts";

/** Collects the names by which operations refer to items. */
function collectReferences(
  access: CollectionAccess,
  operations: readonly (BatchOperation | null)[],
  readUpsertKey: UpsertKeyReader,
): ItemLookup {
  const names = operations.flatMap((operation) => {
    if (!operation || operation.op === "upsert") return [];
    const name = operation.op === "create" ? operation.unless : operation.id;
    return name ? [name] : [];
  });
  const isApp = access.collection.kind === "app";
  const isReceipt = (name: string) => isApp && !name.startsWith("rec_");
  return {
    ids: names.filter((name) => !isReceipt(name)),
    receipts: names
      .filter(isReceipt)
      .map((receipt) => ({ receipt, sequences: parseReceiptSequences(receipt) })),
    uniqueValues: operations.flatMap((operation) => {
      if (operation?.op !== "upsert") return [];
      try {
        return [readUpsertKey(operation)];
      } catch {
        // Applying the operation reports this error.
        return [];
      }
    }),
    rowIds: operations.flatMap((operation) =>
      operation?.op === "create" && operation.rowId !== undefined ? [operation.rowId] : [],
    ),
  };
}

interface PreparedBatch extends PreparedWrite<BatchResponse> {
  write: BatchWrite;
  references: readonly BatchReference[];
  operations: BatchRequest["operations"];
  results: readonly (SimulatedOperation | null)[];
}

/** Applies all operations of a batch in order or none of them, once per key. */
export function applyBatch(
  ctx: ActionContext,
  cached: CollectionAccess,
  body: unknown,
  key: IdempotencyKey,
  returnsItems: boolean,
): Promise<IdempotentResult<OperationResult[]>> {
  const parsed = readBatch(cached.collection.kind, body);
  // The batch reports errors of the query once, not with each operation.
  const { queryErrors = [], ...batchContext } = ctx;
  const request = { ...parsed, body, queryErrors, returnsItems, maxErrors: maxBatchErrors };
  return applyIdempotently(batchContext, cached, request, key);
}

/** Applies operations like `applyBatch`, but without an Idempotency-Key. */
export async function applyOperations(
  ctx: ActionContext,
  cached: CompiledCollection,
  operations: readonly BatchOperation[],
): Promise<OperationResult[]> {
  const { response: results } = await applyIdempotently(
    ctx,
    cached,
    {
      operations,
      errors: [],
      queryErrors: [],
      body: null,
      returnsItems: false,
      maxErrors: Infinity,
    },
    noIdempotencyKey,
  );
  return results;
}

interface BatchRequest {
  operations: readonly (BatchOperation | null)[];
  errors: readonly FieldError[];
  queryErrors: readonly FieldError[];
  body: unknown;
  /** Whether the response contains the items. */
  returnsItems: boolean;
  /** Imports need the problem of every row. */
  maxErrors: number;
}

function applyIdempotently(
  ctx: ActionContext,
  cached: CollectionAccess,
  request: BatchRequest,
  key: IdempotencyKey,
) {
  let access = cached;
  const { body } = request;
  return runIdempotent<PreparedBatch, OperationResult[]>(ctx, access.collection, key, body, {
    prepare: () => prepareBatch(ctx, access, request, key),
    async reject(cause) {
      const current = await loadCurrentCollection(ctx, access);
      const { acceptance } = current.compiled.collection.definition;
      const reason = closedReason(acceptance, current.itemCount, ctx.now());
      if (reason && cause.status !== 400) throw withClosedForm(cause, request.operations, reason);
      if (isSameDefinition(current.compiled, wholeCollection(access))) throw cause;
      access = accessCollection(ctx, current.compiled);
    },
    async store(prepared, claim) {
      const stored = await storePreparedBatch(ctx, access, prepared, claim);
      if (!stored) access = await reloadAfterWrite(ctx, access, prepared.write.createdItems[0]?.id);
      return stored;
    },
    respond: (response, assigned) => toOperationResults(access, response, assigned),
  });
}

async function prepareBatch(
  ctx: ActionContext,
  access: CollectionAccess,
  { operations, errors, queryErrors, returnsItems, maxErrors }: BatchRequest,
  key: IdempotencyKey,
): Promise<PreparedBatch> {
  if (operations.length === 0 || key.errors.length > 0) {
    throw problem.invalidInput([...key.errors, ...queryErrors, ...errors]);
  }
  const simulate = (checksIds: boolean) =>
    simulateBatch(ctx, access, operations, { maxErrors, checksIds });
  let simulated = await simulate(false);
  const isRejected = simulated.problems.length + errors.length > 0;
  if (isRejected && access.fields.hasReferences) simulated = await simulate(true);
  const { results, problems: operationProblems, write, references } = simulated;
  const allProblems = [...operationProblems, ...shapeProblems(errors)];
  if (allProblems.length > 0) throw buildBatchProblem(allProblems, queryErrors);
  if (queryErrors.length > 0) throw problem.invalidInput(queryErrors);
  const appliedOperations = results.filter((result) => result !== null);
  if (returnsItems) assertReturnable(access, appliedOperations);
  const response = buildBatchResponse(write, appliedOperations);
  return {
    // Presenting an item for each of its operations takes long, so a response without items presents none.
    response: returnsItems
      ? { ...response, items: appliedOperations.map(({ item }) => item.current) }
      : response,
    responseJson: JSON.stringify(response),
    write,
    operations,
    results,
    references,
  };
}

interface SimulatedBatch {
  /** The result of each operation. Null for a rejected one. */
  results: (SimulatedOperation | null)[];
  problems: OperationProblem[];
  write: BatchWrite;
  references: BatchReference[];
  /** The used share of the budget of one batch. */
  budgetShare: number;
}

/**
 * Applies operations to the stored items without storing the results. Stops after `maxErrors` errors or, with that
 * limit, when the batch is too large. The remaining operations then have no result and no problem.
 */
export async function simulateBatch(
  ctx: ActionContext,
  access: CollectionAccess,
  sentOperations: readonly (BatchOperation | null)[],
  { maxErrors = Infinity, checksIds = true }: { maxErrors?: number; checksIds?: boolean } = {},
): Promise<SimulatedBatch> {
  const operations = await resolveOperations(ctx, access, sentOperations, checksIds);
  const keyBudget = batchBudget(operations.length);
  const readUpsertKey = createUpsertKeyReader(access, keyBudget);
  const names = collectReferences(access, operations, readUpsertKey);
  const lookup = await lookUpVisible(ctx, access, names);
  if (exceedsReadLimit(lookup.bytes)) throw problem.batchTooLarge(maxReadBytes);
  const budget = batchBudget(operations.length);
  const simulation = new BatchSimulation(ctx, access, lookup, budget, readUpsertKey);
  const operationProblems: OperationProblem[] = [];
  let errorCount = 0;
  const hasErrorLimit = maxErrors < Infinity;
  const results = operations.map((operation, index): SimulatedOperation | null => {
    if (errorCount >= maxErrors) return null;
    try {
      return operation && simulation.apply(operation);
    } catch (error) {
      if (!(error instanceof Problem) || error.status >= 500) throw error;
      operationProblems.push({ index, problem: error });
      errorCount += Array.isArray(error.members["errors"]) ? error.members["errors"].length : 1;
      if (hasErrorLimit && error.code === "too_large") errorCount = maxErrors;
      return null;
    }
  });
  const rejectItem = (item: TouchedItem, cause: Problem) => {
    const index = results.findLastIndex((result) => result?.item === item);
    operationProblems.push({ index, problem: cause });
  };
  // A move of the collection finds the claim of the batch by this ID.
  const batchId = newIdIn(access.collection.id, "bat", ctx.newId());
  const write = buildBatchWrite(access, simulation, ctx.now(), batchId, rejectItem);
  operationProblems.push(...findBatchDuplicates(access, write, operations, results));
  const references = batchReferences(access, simulation, results);
  const shares = [budget, keyBudget].map(batchBudgetUsed);
  const budgetShare = Math.max(...shares, lookup.bytes.shown / maxReadBytes);
  return { results, problems: operationProblems, write, references, budgetShare };
}

/** Stores the batch. Returns undefined, for a retry, when an item or the definition has changed. */
async function storePreparedBatch(
  ctx: ActionContext,
  access: CollectionAccess,
  { write, operations, results, references }: PreparedBatch,
  claim: Claim | null,
) {
  const action = itemAction(access.collection.kind, "update");
  const db = ctx.databases.of(access.collection);
  const entry = itemAuditRecord(ctx, action, write.now);
  const limits = { shownBy: viewOf(access) };
  write.references = await guardedReferences(ctx, access, references);
  const result = await storeBatch(db, write, claim, entry, limits);
  switch (result.outcome) {
    case "created":
      if (result.hasListeners) ctx.notifyChange(access.collection);
      return result;
    case "replayed":
      return result;
    case "closed":
      throw withClosedForm(problem.submissionsClosed(result.reason), operations, result.reason);
    case "outside_view":
      throw outsideView();
    case "stale":
      return undefined;
    case "unknown_reference": {
      const refused = await findUnknownReferences(ctx, access, references);
      if (refused.length > 0) throw buildBatchProblem(refused);
      return undefined;
    }
    case "taken": {
      const refused = await findStoredDuplicates(ctx, access, write, operations, results);
      if (refused && refused.length > 0) throw buildBatchProblem(refused);
      return undefined;
    }
  }
}
