import { checkPatch, checkSubmitted, type Checked } from "../../domain/data/check/check";
import type { Compiled } from "../../domain/data/compile";
import { withoutLost } from "../../domain/data/lost-values";
import { possibleEntries, searchEntries } from "../../domain/data/search-entries";
import { closedReason, type Collection } from "../../domain/definition/collection";
import { uniqueValues } from "../../domain/data/unique-values";
import { effortOfItem, spendFormulas } from "../../domain/data/effort";
import { computeData } from "../../domain/formula/compute";
import { etagOf, matches, type Precondition } from "../../domain/etag";
import { differenceOf, type Difference, type ItemAction } from "../../domain/item/change";
import type { Item } from "../../domain/item/item";
import {
  bytesOf,
  refuseShownTooLarge,
  refuseTooLarge,
  refuseTooManyEntries,
} from "../../domain/item/item-size";
import { parseItemBody } from "../../domain/item/item-body";
import { problem } from "../../domain/problem/problem";
import { statusAfter, type Status } from "../../domain/item/status";
import { changeItem, type ItemChange } from "../../store/items/change-item";
import { itemAct, type ActionContext } from "../context";
import { duplicateOf, refuseEmptied } from "./draft";
import { viewOf, type ItemView } from "../../domain/item/item-view";
import type { Found } from "../visible";
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
  { item, compiled }: Found,
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
  const computed = computeData(compiled, checked.data, ctx.now());
  const spent = spendFormulas(effort, computed.steps);
  if (spent.length > 0) throw problem.invalidInput(spent);
  const warnings = [...checked.warnings, ...computed.warnings];
  return { data: computed.data, errors: [], warnings, status: after };
}

/** A draft is submitted in time or not at all. It is counted already, so a full form has its place. */
function refuseLate({ collection }: Compiled, now: number): void {
  const reason = closedReason(collection.definition.acceptance, 0, now);
  if (reason) throw problem.submissionsClosed(reason);
}

/** Stored data is keyed by integers, which JavaScript keeps in order, so equal data has equal JSON. */
export function sameData(next: Pick<NextState, "data">, { item, compiled }: Found): boolean {
  const before = withoutLost(compiled.collection.definition.fields, item.data);
  return JSON.stringify(next.data) === JSON.stringify(before);
}

/** The item as written, or nothing when it or its definition changed in between. */
export async function writeItem(
  ctx: ActionContext,
  { item, compiled }: Found,
  next: Pick<NextState, "data" | "status">,
  action?: ItemAction,
): Promise<Item | undefined> {
  const updatedAt = Math.max(ctx.now(), item.updatedAt);
  const after = {
    ...item,
    status: next.status,
    data: next.data,
    definitionVersion: compiled.collection.version,
    updatedAt,
    updatedBy: ctx.actor,
    version: item.version + 1,
  };
  const change = changeOf(compiled, item, after);
  refuseTooManyEntries(
    change.entries.added,
    searchEntries(compiled.collection, item.data, item).length,
  );
  refuseTooLarge(change.data);
  refuseShownTooLarge(viewOf(after, compiled).data, () => viewOf(item, compiled).data);
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
      throw duplicateOf(ctx, compiled, changed.taken);
  }
}

export function updateAction(before: Item, { status }: Item): ItemAction {
  if (status === null) return "record.update";
  return status === "closed" && before.status !== "closed"
    ? "submission.close"
    : "submission.update";
}

function changeOf({ collection }: Compiled, before: Item, after: Item): ItemChange {
  const possible = possibleEntries(collection, before.data, before);
  const has = searchEntries(collection, after.data, after);
  const held = uniqueValues(collection, before.data, before.status);
  const holds = uniqueValues(collection, after.data, after.status);
  const data = JSON.stringify(after.data);
  return {
    number: before.number,
    itemVersion: before.version,
    collectionId: collection.id,
    definitionVersion: collection.version,
    revision: collection.revision,
    status: after.status,
    updatedAt: after.updatedAt,
    data,
    grew: bytesOf(data) > bytesOf(JSON.stringify(before.data)),
    // All that it has now: while a field is being indexed, not even what stays has its entry for certain.
    entries: { removed: without(possible, has), added: has },
    unique: {
      released: without(held, holds),
      taken: collection.pending ? holds : without(holds, held),
    },
    difference: differenceBetween(collection, before, after),
    whileOpen: before.status === "draft" && after.status !== "draft",
  };
}

/** What a change did, values apart that its definition has lost. */
export function differenceBetween(
  { definition }: Collection,
  before: Item,
  after: Item,
): Difference {
  const data = withoutLost(definition.fields, before.data);
  return differenceOf({ data, status: before.status }, after);
}

/** The entries of `some` that are not among `others`. */
export function without<T>(some: readonly T[], others: readonly T[]): T[] {
  const known = new Set(others.map((each) => JSON.stringify(each)));
  return some.filter((each) => !known.has(JSON.stringify(each)));
}
