import type { Context } from "hono";
import {
  batchChanges,
  listOwnChanges,
  loadChangedFields,
  type RequestChange,
} from "#actions/request-changes.ts";
import type { ActionContext } from "#actions/context.ts";
import { restoreItems } from "#actions/restore-items.ts";
import { writeRows } from "#actions/import-rows.ts";
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
import { actionOf } from "./confirm-page.tsx";

/** The maximum number of changes that one request reverts. One request of a bulk edit makes at most as many. */
const maxUndone = 500;

/** The bulk actions that can be reverted. */
const undoableActs = ["edit", "close", "reopen", "delete"] as const;
type UndoableAct = (typeof undoableActs)[number];

/** Returns the form that reverts the changes of one request of a bulk action. `count` is the number of changed items. */
export const undoOfRequest = (
  listPath: string,
  act: UndoableAct,
  { requestId, count }: { requestId: string; count: number },
): Undo => ({
  action: actionOf(listPath),
  values: { act: "undo", of: act, request: requestId, count: String(count) },
});

function auditActionOf(act: UndoableAct, kind: CollectionKind): AuditedItemAction {
  if (act === "edit") return itemAction(kind, "update");
  if (act === "delete") return itemAction(kind, "delete");
  return act === "close" ? "submission.close" : "submission.reopen";
}

/**
 * Restores the former values of the items that one request of the member edited, or reopens or closes the items again.
 * Finds the items by the changes of that request. Skips items that have changed since.
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
  const limit = readCount(form);
  const filter = { requestId, action: auditActionOf(act, kind), limit };
  const changes = requestId === "" ? [] : await listOwnChanges(ctx, compiled, filter);
  if (changes.length === 0) throw problem.notFound();
  if (act === "delete") return undoDeletion(c, compiled, changes);
  let done = 0;
  for (const batch of batchChanges(changes)) {
    const operations =
      act === "edit" ? await buildEdits(ctx, compiled, batch) : batch.map(reverseOperation(act));
    const outcomes = await writeRows(ctx, compiled, operations);
    done += outcomes.filter((outcome) => !(outcome instanceof Problem)).length;
  }
  const { bulk, terms } = readTexts(c);
  const omittedCount = changes.length - done;
  const text = bulk.undone(act, terms.collections[kind].itemCount(done), omittedCount);
  const document = { done, refused: omittedCount };
  return { to: itemsPath(c, kind), flash: { text, isPartial: omittedCount > 0 }, document };
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
  const { compiled, results } = await restoreItems(c.var.action, collection, ids);
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
      ? text.bulk.undone("delete", itemCount(done), 0)
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

/** Reopens the items that a request closed, or closes the items that it reopened, at the version that it stored. */
const reverseOperation =
  (act: "close" | "reopen") =>
  ({ itemId: id, version }: RequestChange): BatchOperation => {
    const ifMatch = [etagOf(version)];
    return act === "close"
      ? { op: "reopen", id, ifMatch }
      : { op: "update", id, body: { status: "closed" }, ifMatch };
  };

/** Builds updates that restore the values before each change, for items that still have the version after it. */
async function buildEdits(
  ctx: ActionContext,
  compiled: CompiledCollection,
  changes: readonly RequestChange[],
): Promise<BatchOperation[]> {
  const changedFields = await loadChangedFields(ctx, compiled, changes);
  return changes.flatMap(({ number, itemId, version }): BatchOperation[] => {
    const fieldChanges = changedFields.get(number);
    if (!fieldChanges) return [];
    const data = previousData(fieldChanges, compiled.collection.definition.fields.fields);
    return [{ op: "update", id: itemId, body: { data }, ifMatch: [etagOf(version)] }];
  });
}
