import { checkNew, emptyCheckResult } from "#domain/data/check.ts";
import {
  type Warning,
  filledFields,
  fieldNumber,
  type Data,
  presentData,
} from "#domain/data/values.ts";
import type { CompiledCollection } from "#domain/data/compile.ts";
import { newReferences, type PlacedReference } from "#domain/data/references.ts";
import {
  computeData,
  itemBudget,
  formulaBudgetErrors,
  type ComputeBudget,
} from "#domain/formula/compute.ts";
import { closedReason, type Collection } from "#domain/definition/collection.ts";
import { uniqueIdOf } from "#domain/definition/field.ts";
import { readItemBody } from "#domain/item/body.ts";
import { permissionsAllow, readPermission } from "#domain/credential/permissions.ts";
import { problem, type FieldError, type Problem } from "#domain/problem/problem.ts";
import {
  initialStatus,
  type Status,
  assertFits,
  assertEntryCount,
  newItemId,
  formatReceiptNumber,
  type ItemView,
} from "#domain/item/item.ts";
import type { UniqueConflict } from "#store/data/item-ranges.ts";
import { type ActionContext, type ReadContext, itemAuditRecord } from "./context.ts";
import { findCurrentCollection } from "./collection-cache.ts";
import type { Actor } from "#domain/audit.ts";
import { searchEntries, uniqueValues } from "#domain/data/index-entries.ts";
import { listCreatedFields } from "#domain/item/change.ts";
import { lowestVersion } from "#domain/timeline.ts";
import { createItem as insertItem, type NewItem } from "#store/data/create-item.ts";
import type { Claim, AssignedValues } from "#store/data/replays.ts";
import { checkWithReferences, guardedReferences, rejectUnknownReferences } from "./references.ts";
import {
  runIdempotent,
  type IdempotentResult,
  type PreparedWrite,
  type IdempotencyKey,
} from "./idempotent.ts";

/** The item that a create would store, with all field errors. */
export interface Draft {
  status: Status | null;
  data: Data;
  warnings: Warning[];
  errors: FieldError[];
}

export function buildDraft(
  compiled: CompiledCollection,
  request: unknown,
  now: number,
  budget = itemBudget(),
): Draft {
  const { kind } = compiled.collection;
  const { body, errors } = readItemBody(kind, "create", request);
  const status = kind === "form" ? initialStatus(body.status) : { status: null };
  const isDraft = "status" in status && status.status === "draft";
  const checkResult = body.data ? checkNew(compiled, body.data, isDraft, budget) : emptyCheckResult;
  const fieldErrors = [
    ...errors,
    ...("error" in status ? [status.error] : []),
    ...checkResult.errors,
  ];
  const computed =
    fieldErrors.length > 0
      ? emptyComputation
      : computeWithinBudget(budget, compiled, checkResult.data, now);
  return {
    data: computed.data,
    warnings: [...checkResult.warnings, ...computed.warnings],
    status: "status" in status ? status.status : null,
    errors: [...fieldErrors, ...computed.errors],
  };
}

interface ComputedResult {
  data: Data;
  warnings: Warning[];
  errors: FieldError[];
}

const emptyComputation: ComputedResult = { data: {}, warnings: [], errors: [] };

/** Runs the formulas of an item. Runs none when the budget is already exceeded. */
export function computeWithinBudget(
  budget: ComputeBudget,
  compiled: CompiledCollection,
  data: Data,
  now: number,
): ComputedResult {
  const errors = formulaBudgetErrors(budget);
  if (errors.length > 0) return { ...emptyComputation, errors };
  const { steps, ...computed } = computeData(compiled, data, now);
  budget.formulaBudget.stepsLeft -= steps;
  return { ...computed, errors: formulaBudgetErrors(budget) };
}

/** The current collection and its number of items. */
export interface CountedCollection {
  compiled: CompiledCollection;
  itemCount: number;
}

export async function loadCurrentCollection(
  ctx: ReadContext,
  { collection }: CompiledCollection,
): Promise<CountedCollection> {
  const current = await findCurrentCollection(ctx, collection.kind, collection.key);
  if (!current) throw problem.notFound();
  return current;
}

export function assertAccepting({ compiled, itemCount }: CountedCollection, now: number): void {
  const reason = closedReason(compiled.collection.definition.acceptance, itemCount, now);
  if (reason) throw problem.submissionsClosed(reason);
}

/** Rejects values for a field whose type is changing, because a value would block the change. */
export function assertTypeStable({ pending }: Collection, data: Data, before: Data = {}): void {
  const [changingField] = filledFields(pending?.emptied ?? [], data, before);
  if (!changingField) return;
  const detail = `The type of "${changingField.key}" is changing. It accepts no values until the change is done.`;
  throw problem.schemaInUse(detail, { field: changingField.key });
}

/** Builds the 409 for the first field whose value another item has. Names that item only if the caller may read. */
export function duplicateProblem(
  ctx: ActionContext,
  { collection }: CompiledCollection,
  conflicts: readonly UniqueConflict[],
): Problem {
  const canRead = permissionsAllow(ctx.permissions, readPermission[collection.kind]);
  for (const { key, number } of uniqueFields(collection)) {
    const conflict = conflicts.find(({ field }) => field === number);
    if (conflict) return problem.duplicate(key, canRead ? conflict.id : undefined);
  }
  return problem.tryAgain();
}

/** The unique fields of the definition and of a pending one, with the numbers of their values. */
export function uniqueFields({ id, definition, pending }: Collection) {
  return [...definition.fields.fields, ...(pending?.gained ?? [])].map((field) => {
    const uniqueId = "id" in field && "label" in field ? uniqueIdOf(field) : field.uniqueId;
    return { key: field.key, number: fieldNumber(id, uniqueId ?? 0) };
  });
}

/** Creates a record or submission, once per key. `body` is JSON that has not been validated. */
export function createItem(
  ctx: ActionContext,
  cached: CompiledCollection,
  body: unknown,
  key: IdempotencyKey,
): Promise<IdempotentResult<ItemView>> {
  let compiled = cached;
  return runIdempotent(ctx, compiled.collection, key, body, {
    prepare: () =>
      checkWithReferences(ctx, compiled, body, (resolvedBody) => {
        const draft = buildDraft(compiled, resolvedBody, ctx.now());
        const errors = [...key.errors, ...(ctx.queryErrors ?? []), ...draft.errors];
        if (errors.length > 0) throw problem.invalidInput(errors);
        assertTypeStable(compiled.collection, draft.data);
        return prepareItem(ctx, compiled, draft);
      }),
    async reject(cause) {
      const current = await loadCurrentCollection(ctx, compiled);
      assertAccepting(current, ctx.now());
      if (current.compiled === compiled) throw cause;
      ({ compiled } = current);
    },
    async store(prepared, claim) {
      const stored = await storeItem(ctx, compiled, prepared, claim);
      if (!stored) ({ compiled } = await loadCurrentCollection(ctx, compiled));
      return stored;
    },
    respond: (response, assigned) => toItemView(compiled, response, assigned),
  });
}

/** Stores the item. Returns undefined, for a retry, when the definition changed or the duplicate is gone. */
async function storeItem(
  ctx: ActionContext,
  compiled: CompiledCollection,
  { item, references }: PreparedItem,
  claim: Claim | null,
) {
  const action = compiled.collection.kind === "app" ? "record.create" : "submission.create";
  const db = ctx.databases.of(compiled.collection);
  const result = await insertItem(db, item, claim, itemAuditRecord(ctx, action, item.now));
  switch (result.outcome) {
    case "created":
      if (result.hasListeners) ctx.notifyChange(compiled.collection);
      return result;
    case "replayed":
      return result;
    case "closed":
      throw problem.submissionsClosed(result.reason);
    case "duplicate":
      if (result.conflicts.length === 0) return undefined;
      throw duplicateProblem(ctx, compiled, result.conflicts);
    case "unknown_reference":
      await rejectUnknownReferences(ctx, references);
      return undefined;
    case "definition_changed":
      return undefined;
  }
}

type PreparedItem = PreparedWrite<CreateResponse> & {
  item: NewItem;
  references: PlacedReference[];
};

/** Builds the stored item and the response. Throws a problem when either is too large. */
export function prepareItem(
  ctx: ActionContext,
  compiled: CompiledCollection,
  draft: Draft,
): PreparedItem {
  const { kind, id: collectionId, version, revision } = compiled.collection;
  const { status, data } = draft;
  const id = newItemId(kind, collectionId, ctx.newId());
  const entries = searchEntries(compiled.collection, data, { status });
  assertEntryCount(entries);
  const response = buildCreateResponse(ctx, compiled, draft);
  const responseJson = JSON.stringify(response);
  const references = newReferences(compiled, {}, data);
  const item = {
    id,
    version,
    revision,
    now: ctx.now(),
    status,
    receiptPrefix: response.prefix,
    data: JSON.stringify(data),
    entries: JSON.stringify(entries),
    uniqueValues: uniqueValues(compiled.collection, data, status),
    references: guardedReferences(ctx, references),
    changedFields: listCreatedFields({ data, status }),
  };
  assertFits(responseJson, item.data, item.entries);
  return { response, responseJson, item, references };
}

/** The response without the sequence number and the time, which the database assigns. */
interface CreateResponse {
  /** Absent in responses that were stored before timelines existed. The version is then 1. */
  version?: number;
  prefix: string | null;
  createdBy: Actor;
  status: Status | null;
  data: Record<string, unknown>;
  warnings: Warning[];
}

function buildCreateResponse(
  { actor: createdBy, databases }: ActionContext,
  compiled: CompiledCollection,
  { status, data, warnings }: Draft,
): CreateResponse {
  const { kind, definition } = compiled.collection;
  const prefix = kind === "app" ? definition.receipt_prefix : null;
  const version = lowestVersion(databases.timeline);
  return { version, prefix, createdBy, status, data: presentData(compiled, data), warnings };
}

function toItemView(
  { collection }: CompiledCollection,
  { version = 1, prefix, createdBy, status, data, warnings }: CreateResponse,
  { itemId, place, createdAt }: AssignedValues,
): ItemView {
  return {
    id: itemId,
    kind: collection.kind,
    key: collection.key,
    receiptNumber: prefix === null ? null : formatReceiptNumber(prefix, place),
    status,
    version,
    createdAt,
    createdBy,
    updatedAt: createdAt,
    updatedBy: createdBy,
    data,
    isRedefined: false,
    warnings,
  };
}
