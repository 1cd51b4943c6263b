import type { Context } from "hono";
import {
  batchChanges,
  listOwnChanges,
  loadChangedFields,
  type RequestChange,
} from "#actions/request-changes.ts";
import type { ActionContext } from "#actions/context.ts";
import { restoreItems } from "#actions/restore-items.ts";
import { writeAllowance, writeRows } from "#actions/import-rows.ts";
import type { CompiledCollection } from "#domain/data/compile.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import type { BatchOperation } from "#domain/item/body.ts";
import { itemAction, type AuditedItemAction } from "#domain/item/change.ts";
import { etagOf } from "#domain/preconditions.ts";
import { Problem, problem } from "#domain/problem/problem.ts";
import type { AdminEnv } from "#http/env.ts";
import { numberOf, textOf, type FormValues } from "#admin/form-input.ts";
import { previousData } from "#admin/items/history.tsx";
import { itemsPath } from "#admin/items/load-item.ts";
import type { Outcome } from "#admin/page.ts";
import { readTexts, type Undo } from "#admin/preferences.ts";
import { describeRefusal } from "#admin/items/deleted-items.tsx";
import { actionOf } from "./bulk-page.tsx";

/** The maximum number of changes that one request reverts. One request of a bulk edit makes at most as many. */
const maxUndone = 500;

/** The bulk actions that can be reverted. */
const undoableActs = ["edit", "close", "reopen", "delete"] as const;
type UndoableAct = (typeof undoableActs)[number];

interface Undoable {
  requestId: string;
  /** The number of changed items. */
  count: number;
  /** The number of the last change that was reverted. All others have lower numbers. */
  before?: number | undefined;
}

/** Returns the form that reverts the changes of one request of a bulk action. */
export const undoOfRequest = (
  listPath: string,
  act: UndoableAct,
  { requestId, count, before }: Undoable,
): Undo => ({
  action: actionOf(listPath),
  values: {
    act: "undo",
    of: act,
    request: requestId,
    count: String(count),
    ...(before === undefined ? {} : { before: String(before) }),
  },
});

function auditActionOf(act: UndoableAct, kind: CollectionKind): AuditedItemAction {
  if (act === "edit") return itemAction(kind, "update");
  if (act === "delete") return itemAction(kind, "delete");
  return act === "close" ? "submission.close" : "submission.reopen";
}

/**
 * Restores the former values of the items that one request of the member edited, or reopens or closes the items again.
 * Finds the items by the changes of that request. Skips items that have changed since. If the items take too long for one
 * request, the notice offers to continue.
 */
export async function undoBulk(
  c: Context<AdminEnv>,
  compiled: CompiledCollection,
  form: FormValues,
): Promise<Outcome> {
  const ctx = c.var.action;
  const { kind } = compiled.collection;
  const act = undoableActs.find((each) => each === textOf(form["of"])) ?? "edit";
  const requestId = textOf(form["request"]);
  const before = numberOf(form["before"]) || Number.MAX_SAFE_INTEGER;
  const filter = { requestId, action: auditActionOf(act, kind), before, limit: readCount(form) };
  const changes = requestId === "" ? [] : await listOwnChanges(ctx, compiled, filter);
  if (changes.length === 0) throw problem.notFound();
  if (act === "delete") return undoDeletion(c, compiled, changes);
  let done = 0;
  let decidedCount = 0;
  const allowance = writeAllowance();
  for (const batch of batchChanges(changes)) {
    const reversals =
      act === "edit" ? await buildEdits(ctx, compiled, batch) : batch.map(reversalOf(act));
    const operations = reversals.map(({ operation }) => operation);
    const outcomes = await writeRows(ctx, compiled, operations, allowance);
    done += outcomes.filter((outcome) => !(outcome instanceof Problem)).length;
    const open = reversals[outcomes.length];
    decidedCount += open ? batch.indexOf(open.change) : batch.length;
    if (open || allowance.batches <= 0) break;
  }
  const { bulk, terms } = readTexts(c);
  const omittedCount = decidedCount - done;
  const left = changes.length - decidedCount;
  const text = bulk.undone(act, terms.collections[kind].itemCount(done), omittedCount, left);
  const listPath = itemsPath(c, kind);
  const rest = { requestId, count: left, before: changes[decidedCount - 1]?.number };
  const undo = left > 0 ? undoOfRequest(listPath, act, rest) : undefined;
  const flash = { text, isPartial: omittedCount + left > 0, undo };
  const document = { done, refused: omittedCount, ...(left > 0 ? { left } : {}) };
  return { to: listPath, flash, document };
}

/** Reads the number of changes. The search for them then ends with the last one. */
function readCount(form: FormValues): number {
  const count = Math.trunc(numberOf(form["count"]));
  return count > 0 ? Math.min(count, maxUndone) : maxUndone;
}

const maxNamed = 5;

/** Restores the items that a request deleted. Lists the items that it could not restore. */
async function undoDeletion(
  c: Context<AdminEnv>,
  { collection }: CompiledCollection,
  changes: readonly RequestChange[],
): Promise<Outcome> {
  const ids = changes.map(({ itemId }) => itemId);
  const versions = new Map(changes.map(({ itemId, version }) => [itemId, version]));
  const { compiled, results } = await restoreItems(c.var.action, collection, ids, versions);
  const text = readTexts(c);
  const omittedItems = results.flatMap(({ id, refusal }) =>
    refusal
      ? [{ title: `…${id.slice(-8)}`, reason: describeRefusal(compiled, refusal, text) }]
      : [],
  );
  const done = results.length - omittedItems.length;
  const { itemCount } = text.terms.collections[collection.kind];
  const result =
    omittedItems.length === 0
      ? text.bulk.undone("delete", itemCount(done), 0, 0)
      : text.bulk.notRestored(
          done,
          itemCount(results.length),
          omittedItems.slice(0, maxNamed),
          Math.max(0, omittedItems.length - maxNamed),
        );
  const document = { done, refused: omittedItems.length };
  const flash = { text: result, isPartial: omittedItems.length > 0 };
  return { to: itemsPath(c, collection.kind), flash, document };
}

interface Reversal {
  change: RequestChange;
  operation: BatchOperation;
}

/** Reopens the items that a request closed, or closes the items that it reopened, at the version that it stored. */
const reversalOf =
  (act: "close" | "reopen") =>
  (change: RequestChange): Reversal => {
    const { itemId: id, version } = change;
    const ifMatch = [etagOf(version)];
    return {
      change,
      operation:
        act === "close"
          ? { op: "reopen", id, ifMatch }
          : { op: "update", id, body: { status: "closed" }, ifMatch },
    };
  };

/** Builds updates that restore the values before each change, for items that still have the version after it. */
async function buildEdits(
  ctx: ActionContext,
  compiled: CompiledCollection,
  changes: readonly RequestChange[],
): Promise<Reversal[]> {
  const changedFields = await loadChangedFields(ctx, compiled, changes);
  return changes.flatMap((change): Reversal[] => {
    const { number, itemId: id, version } = change;
    const fieldChanges = changedFields.get(number);
    if (!fieldChanges) return [];
    const data = previousData(fieldChanges, compiled.collection.definition.fields.fields);
    const operation: BatchOperation = {
      op: "update",
      id,
      body: { data },
      ifMatch: [etagOf(version)],
    };
    return [{ change, operation }];
  });
}
