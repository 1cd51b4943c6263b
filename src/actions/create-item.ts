import { duplicateProblem } from "./duplicates.ts";
import { newItemMarks, noMarks } from "#domain/item/view-marks.ts";
import { checkNew, emptyCheckResult } from "#domain/data/check.ts";
import { type Warning, filledFields, type Data, presentData } from "#domain/data/values.ts";
import { viewOf, wholeCollection, type CollectionAccess } from "#domain/data/narrow.ts";
import { newReferences, type PlacedReference } from "#domain/data/references.ts";
import { itemBudget } from "#domain/formula/compute.ts";
import { closedReason } from "#domain/definition/collection.ts";
import { fileChanges } from "#domain/files/file-changes.ts";
import { offerFiles } from "#domain/files/sent-file.ts";
import { readItemBody } from "#domain/item/body.ts";
import { problem, type FieldError } from "#domain/problem/problem.ts";
import {
  initialStatus,
  type Status,
  assertFits,
  assertEntryCount,
  newItemId,
  formatReceiptNumber,
  type ItemView,
} from "#domain/item/item.ts";
import { type ActionContext, itemAuditRecord } from "./context.ts";
import { computeWithinBudget, emptyComputation } from "./compute-within-budget.ts";
import {
  findCurrentCollection,
  isSameDefinition,
  loadCurrentCollection,
  type CountedCollection,
} from "./collection-cache.ts";
import {
  knowsField,
  outsideView,
  separateHidden,
  visibleErrors,
  visibleWarnings,
} from "./narrow-write.ts";
import { accessCollection } from "./caller-access.ts";
import { findVisibleItem } from "./visible.ts";
import type { Actor } from "#domain/audit.ts";
import { assertPartFits } from "#domain/item/part-limits.ts";
import { searchEntries, uniqueValues } from "#domain/data/index-entries.ts";
import { itemAction, listCreatedFields } from "#domain/item/change.ts";
import { lowestVersion } from "#domain/timeline.ts";
import { createItem as insertItem, type NewItem } from "#store/data/create-item.ts";
import { wasItemStored } from "#store/data/removed-items.ts";
import type { Claim, AssignedValues } from "#store/data/replays.ts";
import { checkWithReferences, guardedReferences, rejectUnknownReferences } from "./references.ts";
import {
  runIdempotent,
  type IdempotentResult,
  type PreparedWrite,
  type IdempotencyKey,
} from "./idempotent.ts";
import { reasonFor } from "#domain/problem/reasons.ts";

/** The item that a create would store, with all field errors. */
export interface Draft {
  status: Status | null;
  data: Data;
  warnings: Warning[];
  errors: FieldError[];
}

export function buildDraft(
  access: CollectionAccess,
  request: unknown,
  now: number,
  budget = itemBudget(),
): Draft {
  const { kind } = access.collection;
  const sent = separateHidden(access, offerFiles(access.fields, request, null));
  const { body, errors } = readItemBody(kind, "create", sent.body);
  const parsedStatus = kind === "form" ? initialStatus(body.status) : { status: null };
  const status = "status" in parsedStatus ? parsedStatus.status : null;
  const hasDraftStatus = status === "draft";
  const checkResult = body.data
    ? checkNew(access, body.data, hasDraftStatus, budget)
    : emptyCheckResult;
  const fieldErrors = [
    ...errors,
    ...("error" in parsedStatus ? [parsedStatus.error] : []),
    ...checkResult.errors,
  ];
  const computed =
    fieldErrors.length > 0
      ? emptyComputation
      : computeWithinBudget(budget, access, checkResult.data, now);
  return {
    data: computed.data,
    warnings: visibleWarnings(access, [...checkResult.warnings, ...computed.warnings]),
    status,
    errors: [...sent.errors, ...visibleErrors(access, [...fieldErrors, ...computed.errors])],
  };
}

/**
 * Loads the current collection after a write that reported nothing stored. If the collection was deleted, throws 404, or
 * 503 if a call without a response stored the created item just before.
 */
export async function reloadAfterWrite(
  ctx: ActionContext,
  access: CollectionAccess,
  createdId: string | undefined,
): Promise<CollectionAccess> {
  const current = await findCurrentCollection(ctx, access.collection.kind, access.collection.key);
  if (current) return accessCollection(ctx, current.compiled);
  const db = ctx.databases.of(access.collection);
  const isStored = createdId !== undefined && (await wasItemStored(db, createdId));
  throw isStored ? problem.tryAgain() : problem.notFound();
}

export function assertAccepting({ compiled, itemCount }: CountedCollection, now: number): void {
  const reason = closedReason(compiled.collection.definition.acceptance, itemCount, now);
  if (reason) throw problem.submissionsClosed(reason);
}

/** Rejects values for a field whose type is changing, because a value would block the change. */
export function assertTypeStable(access: CollectionAccess, data: Data, before: Data = {}): void {
  const { pending } = wholeCollection(access).collection;
  const [changingField] = filledFields(pending?.emptied ?? [], data, before);
  if (!changingField) return;
  const topId = changingField.within ?? changingField.id;
  if (!access.fields.list.some(({ field }) => field.id === topId)) throw outsideView();
  const detail = reasonFor("typeIsChanging", { field: changingField.key });
  throw problem.schemaInUse(detail, { field: changingField.key });
}

/** Creates a record or submission, once per key. `body` is JSON that has not been validated. */
export async function createItem(
  ctx: ActionContext,
  cached: CollectionAccess,
  body: unknown,
  key: IdempotencyKey,
): Promise<IdempotentResult<ItemView>> {
  let access = cached;
  const result = await runIdempotent(ctx, access.collection, key, body, {
    prepare: () =>
      checkWithReferences(ctx, access, body, (resolvedBody) => {
        const draft = buildDraft(access, resolvedBody, ctx.now());
        const errors = [...key.errors, ...(ctx.queryErrors ?? []), ...draft.errors];
        if (errors.length > 0) throw problem.invalidInput(errors);
        assertTypeStable(access, draft.data);
        return prepareItem(ctx, access, draft);
      }),
    async reject(cause) {
      const current = await loadCurrentCollection(ctx, access);
      assertAccepting(current, ctx.now());
      if (isSameDefinition(current.compiled, wholeCollection(access))) throw cause;
      access = accessCollection(ctx, current.compiled);
    },
    async store(prepared, claim) {
      const stored = await storeItem(ctx, access, prepared, claim);
      if (stored && stored.outcome !== "not_stored") return stored;
      access = await reloadAfterWrite(ctx, access, prepared.item.id);
      return undefined;
    },
    respond: (response, assigned) => toItemView(access, response, assigned),
  });
  if (!result.isReplay || access.extent === "whole") return result;
  return { ...result, response: await narrowToCurrentView(ctx, result.response) };
}

/** Reduces a replay to the fields that the view shows now. Throws 404 when the view no longer shows the item. */
async function narrowToCurrentView(ctx: ActionContext, response: ItemView): Promise<ItemView> {
  const found = await findVisibleItem(ctx, response);
  if (!found) throw problem.notFound();
  const data = Object.entries(response.data).filter(([key]) => knowsField(found.compiled, key));
  const warnings = visibleWarnings(found.compiled, response.warnings);
  return { ...response, data: Object.fromEntries(data), warnings };
}

/** Stores the item, or only simulates storing it. Returns undefined if the request must be validated again. */
export async function storeItem(
  ctx: ActionContext,
  access: CollectionAccess,
  { item, references }: Pick<PreparedItem, "item" | "references">,
  claim: Claim | null,
  isTrial = false,
) {
  const { collection } = access;
  const action = itemAction(collection.kind, "create");
  const db = ctx.databases.of(collection);
  const auditRecord = itemAuditRecord(ctx, action, item.now);
  const options = { shownBy: viewOf(access), isTrial };
  const guarded = await guardedReferences(ctx, access, references);
  const create = { ...item, references: guarded };
  const result = await insertItem(db, create, claim, auditRecord, options);
  switch (result.outcome) {
    case "created":
      if (result.hasListeners) ctx.notifyChange(collection);
      return result;
    case "replayed":
    case "not_stored":
      return result;
    case "closed":
      throw problem.submissionsClosed(result.reason);
    case "duplicate":
      if (result.conflicts.length === 0) return undefined;
      throw await duplicateProblem(ctx, access, result.conflicts);
    case "outside_view":
      throw outsideView();
    case "unknown_reference":
      await rejectUnknownReferences(ctx, access, references);
      return undefined;
    case "definition_changed":
    case "unusable_file":
      return undefined;
  }
}

type PreparedItem = PreparedWrite<CreateResponse> & {
  item: Omit<NewItem, "references">;
  references: PlacedReference[];
};

/** Builds the stored item and the response. Throws when either is too large. A trial has no marks of views. */
export function prepareItem(
  ctx: ActionContext,
  access: CollectionAccess,
  draft: Draft,
  isTrial = false,
): PreparedItem {
  const { collection } = wholeCollection(access);
  const { kind, id: collectionId, version, revision } = collection;
  const { status, data } = draft;
  const id = newItemId(kind, collectionId, ctx.newId());
  const entries = searchEntries(collection, data, { status });
  if (access.extent === "narrow") assertPartFits(access, null, data);
  else assertEntryCount(entries);
  const response = buildCreateResponse(ctx, access, draft);
  const responseJson = JSON.stringify(response);
  const references = newReferences(wholeCollection(access), {}, data);
  const by = ctx.actor;
  const at = { createdAt: ctx.now(), updatedAt: ctx.now() };
  // The item as views see it, with the Worker's time, before the database assigns its number and time.
  const newItem = { id, status, receiptNumber: null, ...at, createdBy: by, updatedBy: by, data };
  const item = {
    id,
    version,
    revision,
    now: ctx.now(),
    status,
    receiptPrefix: response.prefix,
    data: JSON.stringify(data),
    entries: JSON.stringify(entries),
    uniqueValues: uniqueValues(collection, data, status),
    files: [{ item: id, ...fileChanges({}, [data]) }],
    changedFields: listCreatedFields({ data, status }),
    views: isTrial ? noMarks : newItemMarks(access, null, newItem, itemBudget()),
  };
  assertFits(responseJson, item.data, item.entries);
  return { response, responseJson, item, references };
}

/** The response without the sequence number and the time, which the database assigns. */
interface CreateResponse {
  /** Absent in responses from before timelines. The version is then 1. */
  version?: number;
  prefix: string | null;
  createdBy: Actor;
  status: Status | null;
  data: Record<string, unknown>;
  warnings: Warning[];
}

function buildCreateResponse(
  { actor: createdBy, databases }: ActionContext,
  access: CollectionAccess,
  { status, data, warnings }: Draft,
): CreateResponse {
  const { kind, definition } = access.collection;
  const prefix = kind === "app" ? definition.receipt_prefix : null;
  const version = lowestVersion(databases.timeline);
  return { version, prefix, createdBy, status, data: presentData(access, data), warnings };
}

function toItemView(
  { collection, fields }: CollectionAccess,
  { version = 1, prefix, createdBy, status, data, warnings }: CreateResponse,
  { itemId, place: sequence, createdAt }: AssignedValues,
): ItemView {
  return {
    id: itemId,
    kind: collection.kind,
    key: collection.key,
    receiptNumber: prefix === null ? null : formatReceiptNumber(prefix, sequence),
    status,
    version,
    createdAt,
    createdBy,
    updatedAt: createdAt,
    updatedBy: createdBy,
    data,
    fileKeys: fields.fileKeys,
    isRedefined: false,
    warnings,
  };
}
