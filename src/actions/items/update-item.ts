import { checkPatch, checkSubmitted, type Checked } from "../../domain/data/check/check";
import type { Compiled } from "../../domain/data/compile";
import { withoutLost } from "../../domain/data/lost-values";
import { closedReason } from "../../domain/definition/acceptance";
import { effortOfItem } from "../../domain/data/effort";
import { etagOf, matches, type Precondition } from "../../domain/etag";
import type { ItemAction } from "../../domain/item/change";
import {
  changedItem,
  differenceBetween,
  rowsBeside,
  writtenData,
} from "../../domain/item/changed-item";
import type { Item } from "../../domain/item/item";
import { bytesOf } from "../../domain/item/item-size";
import { parseItemBody } from "../../domain/item/item-body";
import { problem } from "../../domain/problem/problem";
import { statusAfter, type Status } from "../../domain/item/status";
import { changeItem, type ItemChange } from "../../store/items/change-item";
import { itemAct, type ActionContext } from "../context";
import { computeWithin, duplicateProblem, refuseEmptied } from "./draft";
import { viewOf, type ItemView } from "../../domain/item/item-view";
import type { Found, Stored } from "../visible";
import { onCurrentItem } from "./on-current-item";

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
