import { Problem, problem } from "#domain/problem/problem.ts";
import { type ActionContext, itemAuditRecord } from "./context.ts";
import { retryOnConflict } from "./idempotent.ts";
import { viewMarks } from "#domain/item/view-marks.ts";
import { assertInView, separateHidden, visibleErrors, visibleWarnings } from "./narrow-write.ts";
import { checkWithReferences, guardedReferences, rejectUnknownReferences } from "./references.ts";
import { reloadItem, type LoadedItem, type StoredItem } from "./visible.ts";
import { checkPatch, checkSubmitted, type CheckResult } from "#domain/data/check.ts";
import { itemBudget } from "#domain/formula/compute.ts";
import type { CompiledCollection } from "#domain/data/compile.ts";
import { wholeCollection, type CollectionAccess } from "#domain/data/narrow.ts";
import { withoutRemovedFields } from "#domain/data/index-entries.ts";
import { closedReason } from "#domain/definition/collection.ts";
import { newReferences, type PlacedReference } from "#domain/data/references.ts";
import { resolveIncrements } from "#domain/data/increments.ts";
import { requireVersion, type Precondition } from "#domain/preconditions.ts";
import {
  type ItemAction,
  nextItemVersion,
  diffItems,
  isSameData,
  isSamePart,
  buildIndexRowChanges,
  serializeData,
} from "#domain/item/change.ts";
import {
  type Item,
  utf8Length,
  nextStatus,
  type Status,
  buildItemView,
  type ItemView,
} from "#domain/item/item.ts";
import { fileChanges } from "#domain/files/file-changes.ts";
import { offerFiles } from "#domain/files/sent-file.ts";
import { readItemBody } from "#domain/item/body.ts";
import { changeItem, type ItemChange } from "#store/data/change-item.ts";
import { computeWithinBudget } from "./compute-within-budget.ts";
import { assertTypeStable } from "./create-item.ts";
import { duplicateProblem } from "./duplicates.ts";

/**
 * Runs `write` on the item and retries on the reloaded item when a concurrent write came first.
 * Returns 404 when the item was deleted. A problem found in a replica's state is checked again on the primary's.
 */
export async function retryOnCurrentItem<T>(
  ctx: ActionContext,
  loaded: LoadedItem,
  write: (current: LoadedItem) => Promise<T | undefined>,
): Promise<T> {
  let current = loaded;
  return retryOnConflict(ctx, async () => {
    const result = await write(current).catch((error: unknown) => {
      if (current.isFromPrimary || !(error instanceof Problem) || error.status >= 500) throw error;
      return undefined;
    });
    if (result === undefined) current = await reloadItem(ctx, current);
    return result;
  });
}

/**
 * Merges the body into the current item. After a concurrent write it merges again, or returns 412 if the caller sent
 * If-Match.
 */
export function updateItem(
  ctx: ActionContext,
  loaded: LoadedItem,
  body: unknown,
  ifMatch: Precondition | null,
): Promise<ItemView> {
  return retryOnCurrentItem(ctx, loaded, async (current) => {
    const next = await checkWithReferences(ctx, current.compiled, body, (resolvedBody) =>
      nextState(ctx, current, resolvedBody, ifMatch),
    );
    const isUnchanged = next.status === current.item.status && hasSameData(next, current);
    // A replica's state may be old, so the retry compares with the primary's.
    if (isUnchanged && !current.isFromPrimary) return undefined;
    const item = isUnchanged ? current.item : await writeItem(ctx, current, next);
    return item && buildItemView(item, current.compiled, next.warnings);
  });
}

export interface NextState extends CheckResult {
  status: Status | null;
}

export function assertChangeable(item: Item, ifMatch: Precondition | null): void {
  requireVersion(item.version, ifMatch);
  if (item.status === "closed") throw problem.submissionClosed();
}

/** Computes the state of the item after an update. Throws a problem when the update is invalid. */
export function nextState(
  ctx: ActionContext,
  { item, compiled: access }: StoredItem,
  request: unknown,
  ifMatch: Precondition | null,
  budget = itemBudget(),
  allowsIncrements = true,
): NextState {
  assertChangeable(item, ifMatch);
  const compiled = wholeCollection(access);
  const sent = separateHidden(access, offerFiles(access.fields, request, item.number));
  const { body, errors } = readItemBody(compiled.collection.kind, "update", sent.body);
  const status = item.status === null ? { status: null } : nextStatus(item.status, body.status);
  const newStatus = "status" in status ? status.status : item.status;
  const isSubmission = item.status === "draft" && newStatus !== "draft";
  if (isSubmission) assertSubmittable(compiled, ctx.now());
  const { input: data, errors: incrementErrors } = allowsIncrements
    ? resolveIncrements(compiled, item.data, body.data ?? {})
    : { input: body.data ?? {}, errors: [] };
  const checkResult = isSubmission
    ? checkSubmitted(access, item.data, data, budget)
    : checkPatch(access, item.data, data, newStatus === "draft", budget);
  const statusErrors = "error" in status ? [status.error] : [];
  const ownErrors = [
    ...(ctx.queryErrors ?? []),
    ...errors,
    ...statusErrors,
    ...incrementErrors,
    ...checkResult.errors,
  ];
  const fieldErrors = [...sent.errors, ...visibleErrors(access, ownErrors)];
  if (fieldErrors.length > 0) throw problem.invalidInput(fieldErrors);
  assertTypeStable(access, checkResult.data, item.data);
  const computedResult = computeWithinBudget(budget, access, checkResult.data, ctx.now());
  if (computedResult.errors.length > 0)
    throw problem.invalidInput(visibleErrors(access, computedResult.errors));
  const warnings = visibleWarnings(access, [...checkResult.warnings, ...computedResult.warnings]);
  return { data: computedResult.data, errors: [], warnings, status: newStatus };
}

/**
 * Rejects a draft that is submitted too late. Passes 0 items, because drafts already count. A draft can therefore be
 * submitted to a full form.
 */
function assertSubmittable({ collection }: CompiledCollection, now: number): void {
  const reason = closedReason(collection.definition.acceptance, 0, now);
  if (reason) throw problem.submissionsClosed(reason);
}

/**
 * Whether a write changes nothing. For a narrow caller, only its part counts. Otherwise, a new version would reveal that the
 * result of a hidden formula depends on the time.
 */
export function hasSameData(
  next: Pick<NextState, "data">,
  { item, compiled: access }: StoredItem,
): boolean {
  if (access.extent === "narrow") return isSamePart(access.fields, item.data, next.data);
  const before = withoutRemovedFields(
    wholeCollection(access).collection.definition.fields,
    item.data,
  );
  return isSameData(before, next.data);
}

/** Writes the item. Returns undefined when a concurrent request changed the item or its definition. */
async function writeItem(
  ctx: ActionContext,
  { item, compiled: access }: StoredItem,
  next: Pick<NextState, "data" | "status">,
  action?: ItemAction,
): Promise<Item | undefined> {
  const { timeline } = ctx.databases;
  const compiled = wholeCollection(access);
  const after = nextItemVersion(compiled, item, next, ctx.actor, ctx.now(), timeline);
  assertInView(access, item, after);
  const references = checkedReferences(compiled, item, after);
  const guards = await guardedReferences(ctx, access, references);
  const change = buildChange(access, item, after, guards);
  const result = await changeItem(
    ctx.databases.of(compiled.collection),
    change,
    itemAuditRecord(ctx, action ?? updateAction(item, after), after.updatedAt),
  );
  switch (result.outcome) {
    case "changed":
      if (result.hasListeners) ctx.notifyChange(compiled.collection);
      return after;
    case "stale":
    case "unusable_file":
      return undefined;
    case "unknown_reference":
      await rejectUnknownReferences(ctx, access, references);
      return undefined;
    case "closed":
      throw problem.submissionsClosed(result.reason);
    case "duplicate":
      if (result.conflicts.length === 0) return undefined;
      throw await duplicateProblem(ctx, access, result.conflicts);
  }
}

export function updateAction(before: Item, { status }: Item): ItemAction {
  if (status === null) return "record.update";
  return status === "closed" && before.status !== "closed"
    ? "submission.close"
    : "submission.update";
}

/** The references that a change must check. Submitting a draft checks all of them. */
export function checkedReferences(
  compiled: CompiledCollection,
  before: Item | null,
  after: Item,
): PlacedReference[] {
  const isSubmission = before?.status === "draft" && after.status !== "draft";
  return newReferences(compiled, isSubmission ? {} : (before?.data ?? {}), after.data);
}

function buildChange(
  access: CollectionAccess,
  before: Item,
  after: Item,
  references: ItemChange["references"],
): ItemChange {
  const compiled = wholeCollection(access);
  const { version, revision } = compiled.collection;
  const indexRows = buildIndexRowChanges(access, before, after);
  const data = serializeData(access, before, after);
  return {
    ...indexRows,
    number: before.number,
    itemVersion: before.version,
    definitionVersion: version,
    revision,
    status: after.status,
    updatedAt: after.updatedAt,
    data,
    hasGrown: utf8Length(data) > utf8Length(JSON.stringify(before.data)),
    references,
    files: [{ item: after.id, ...fileChanges(before.data, [after.data]) }],
    diff: diffItems(compiled, before, after),
    views: viewMarks(access, before, after, itemBudget()).known,
    needsOpenForm: before.status === "draft" && after.status !== "draft",
  };
}

/** The state of a closed submission after it is reopened. */
export function reopenedState(
  { version, status, data }: Item,
  ifMatch: Precondition | null,
): Pick<NextState, "data" | "status"> {
  requireVersion(version, ifMatch);
  if (status !== "closed") throw problem.submissionNotClosed();
  return { data, status: "submitted" };
}

/** Reopens a closed submission. Only the administration area offers this. */
export function reopenSubmission(
  ctx: ActionContext,
  loaded: LoadedItem,
  ifMatch: Precondition | null,
): Promise<ItemView> {
  return retryOnCurrentItem(ctx, loaded, async (current) => {
    const { item, compiled: access } = current;
    const next = reopenedState(item, ifMatch);
    const reopenedItem = await writeItem(ctx, current, next, "submission.reopen");
    return reopenedItem && buildItemView(reopenedItem, access);
  });
}
