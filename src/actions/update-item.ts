import { Problem, problem } from "#domain/problem/problem.ts";
import { type ActionContext, itemAct } from "./context.ts";
import { untilSettled } from "./idempotent.ts";
import { readAgain, type Found, type Stored } from "./visible.ts";
import { checkPatch, checkSubmitted, type Checked } from "#domain/data/check.ts";
import type { Compiled } from "#domain/data/compile.ts";
import { withoutLost } from "#domain/data/index-entries.ts";
import { closedReason } from "#domain/definition/collection.ts";
import { effortOfItem } from "#domain/data/compute-budget.ts";
import { etagOf, matches, type Precondition } from "#domain/preconditions.ts";
import { type ItemAction, changedItem, differenceBetween, rowsBeside, writtenData } from "#domain/item/change.ts";
import { type Item, bytesOf, statusAfter, type Status, viewOf, type ItemView } from "#domain/item/item.ts";
import { parseItemBody } from "#domain/item/body.ts";
import { changeItem, type ItemChange, removeItem } from "#store/data/change-item.ts";
import { computeWithin, duplicateProblem, refuseEmptied } from "./create-item.ts";

/**
 * Runs `write` on the item as it is. Nothing means that somebody else was first: it runs again on what they made of it,
 * and is a 404 where they deleted it. What is refused by what a replica says is tried again by what the primary says.
 */
export async function onCurrentItem<T>(
  ctx: ActionContext,
  found: Found,
  write: (current: Found) => Promise<T | undefined>,
): Promise<T> {
  let current = found;
  return untilSettled(async () => {
    const written = await write(current).catch((refusal: unknown) => {
      if (current.sure || !(refusal instanceof Problem) || refusal.status >= 500) throw refusal;
      return undefined;
    });
    if (written === undefined) current = await readAgain(ctx, current);
    return written;
  });
}

/**
 * Merges what was sent onto the item as it is now. A write that comes in between is merged onto in turn, or is a 412
 * where the caller named the version.
 */
export function updateItem(
  ctx: ActionContext,
  found: Found,
  body: unknown,
  ifMatch: Precondition | null,
): Promise<ItemView> {
  return onCurrentItem(ctx, found, async (current) => {
    const next = nextState(ctx, current, body, ifMatch);
    const unchanged = next.status === current.item.status && sameData(next, current);
    // As a replica has it; the primary may have another.
    if (unchanged && !current.sure) return undefined;
    const item = unchanged ? current.item : await writeItem(ctx, current, next);
    return item && viewOf(item, current.compiled, next.warnings);
  });
}

export interface NextState extends Checked {
  status: Status | null;
}

export function refuseChange(item: Item, ifMatch: Precondition | null): void {
  const etag = etagOf(item.version);
  if (ifMatch && !matches(ifMatch, etag)) throw problem.versionMismatch(etag);
  if (item.status === "closed") throw problem.submissionClosed();
}

/** What an update makes of an item; throws where it is refused. */
export function nextState(
  ctx: ActionContext,
  { item, compiled }: Stored,
  sent: unknown,
  ifMatch: Precondition | null,
  effort = effortOfItem(),
): NextState {
  refuseChange(item, ifMatch);
  const { body, errors } = parseItemBody(compiled.collection.kind, "update", sent);
  const status = item.status === null ? { status: null } : statusAfter(item.status, body.status);
  const after = "status" in status ? status.status : item.status;
  const submitted = item.status === "draft" && after !== "draft";
  if (submitted) refuseLate(compiled, ctx.now());
  const data = body.data ?? {};
  const checked = submitted
    ? checkSubmitted(compiled, item.data, data, effort)
    : checkPatch(compiled, item.data, data, after === "draft", effort);
  const wrong = [...errors, ...("error" in status ? [status.error] : []), ...checked.errors];
  if (wrong.length > 0) throw problem.invalidInput(wrong);
  refuseEmptied(compiled.collection, checked.data, item.data);
  const computed = computeWithin(effort, compiled, checked.data, ctx.now());
  if (computed.errors.length > 0) throw problem.invalidInput(computed.errors);
  const warnings = [...checked.warnings, ...computed.warnings];
  return { data: computed.data, errors: [], warnings, status: after };
}

/** A draft is submitted in time or not at all. It is counted already, so a full form has its place. */
function refuseLate({ collection }: Compiled, now: number): void {
  const reason = closedReason(collection.definition.acceptance, 0, now);
  if (reason) throw problem.submissionsClosed(reason);
}

/** Stored data is keyed by integers, which JavaScript keeps in order, so equal data has equal JSON. */
export function sameData(next: Pick<NextState, "data">, { item, compiled }: Stored): boolean {
  const before = withoutLost(compiled.collection.definition.fields, item.data);
  return JSON.stringify(next.data) === JSON.stringify(before);
}

/** The item as written, or nothing when it or its definition changed in between. */
export async function writeItem(
  ctx: ActionContext,
  { item, compiled }: Stored,
  next: Pick<NextState, "data" | "status">,
  action?: ItemAction,
): Promise<Item | undefined> {
  const after = changedItem(compiled, item, next, ctx.actor, ctx.now());
  const change = changeOf(compiled, item, after);
  const changed = await changeItem(
    ctx.db,
    change,
    itemAct(ctx, action ?? updateAction(item, after), after.updatedAt),
  );
  switch (changed.outcome) {
    case "changed":
      if (changed.listened) ctx.noteChange(item.collectionId);
      return after;
    case "stale":
      return undefined;
    case "closed":
      throw problem.submissionsClosed(changed.reason);
    case "duplicate":
      if (changed.taken.length === 0) return undefined;
      throw duplicateProblem(ctx, compiled, changed.taken);
  }
}

export function updateAction(before: Item, { status }: Item): ItemAction {
  if (status === null) return "record.update";
  return status === "closed" && before.status !== "closed"
    ? "submission.close"
    : "submission.update";
}

function changeOf(compiled: Compiled, before: Item, after: Item): ItemChange {
  const { id, version, revision } = compiled.collection;
  const beside = rowsBeside(compiled, before, after);
  const data = writtenData(compiled, before, after);
  return {
    ...beside,
    number: before.number,
    itemVersion: before.version,
    collectionId: id,
    definitionVersion: version,
    revision,
    status: after.status,
    updatedAt: after.updatedAt,
    data,
    grew: bytesOf(data) > bytesOf(JSON.stringify(before.data)),
    difference: differenceBetween(compiled, before, after),
    whileOpen: before.status === "draft" && after.status !== "draft",
  };
}

/** A closed submission becomes a submitted one again: the administration area alone can do this. */
export function reopenSubmission(
  ctx: ActionContext,
  found: Found,
  ifMatch: Precondition | null,
): Promise<ItemView> {
  return onCurrentItem(ctx, found, async (current) => {
    const { item, compiled } = current;
    const etag = etagOf(item.version);
    if (ifMatch && !matches(ifMatch, etag)) throw problem.versionMismatch(etag);
    if (item.status !== "closed") throw problem.conflict("This submission is not closed.");
    const next = { data: item.data, status: "submitted" as const };
    const written = await writeItem(ctx, current, next, "submission.reopen");
    return written && viewOf(written, compiled);
  });
}

/** Deletes a submission with all that was stored for it. The next one with its unique values is no duplicate. */
export async function deleteSubmission(
  ctx: ActionContext,
  found: Found,
  ifMatch: Precondition | null,
): Promise<void> {
  await onCurrentItem(ctx, found, async ({ item, compiled }) => {
    refuseChange(item, ifMatch);
    const { entries, unique } = rowsBeside(compiled, item, null);
    const removal = {
      number: item.number,
      itemVersion: item.version,
      collectionId: item.collectionId,
      definitionVersion: compiled.collection.version,
      revision: compiled.collection.revision,
      entries: entries.removed,
      unique: unique.released,
    };
    const removed = await removeItem(ctx.db, removal, itemAct(ctx, "submission.delete"));
    if (removed.outcome !== "changed") return undefined;
    if (removed.listened) ctx.noteChange(item.collectionId);
    return true;
  });
}
