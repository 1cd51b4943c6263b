import type { Context } from "hono";
import { listAudit } from "#actions/audit.ts";
import { describeChanges } from "#actions/describe-changes.ts";
import { restoreItems } from "#actions/restore-items.ts";
import { writeRows } from "#actions/import-rows.ts";
import type { CompiledCollection } from "#domain/data/compile.ts";
import type { AuditAction } from "#domain/audit.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { maxOperations, type BatchOperation } from "#domain/item/body.ts";
import { itemAction } from "#domain/item/change.ts";
import { etagOf } from "#domain/preconditions.ts";
import { Problem, problem } from "#domain/problem/problem.ts";
import type { AdminEnv } from "#http/env.ts";
import type { AuditEntry } from "#store/home/audit-log.ts";
import { textOf, type FormValues } from "#admin/form-input.ts";
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

/** Returns the form that reverts the changes of one request of a bulk action. */
export const undoOfRequest = (listPath: string, act: UndoableAct, requestId: string): Undo => ({
  action: actionOf(listPath),
  values: { act: "undo", of: act, request: requestId },
});

function auditActionOf(act: UndoableAct, kind: CollectionKind): AuditAction {
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
  const { kind, key } = compiled.collection;
  const act = undoableActs.find((each) => each === textOf(form["of"])) ?? "edit";
  const filter = {
    actor: ctx.actor,
    action: auditActionOf(act, kind),
    collection: `${kind}:${key}`,
  };
  const request = textOf(form["request"]);
  const { groups } = await listAudit(ctx, filter, null, maxUndone, true);
  const entries = groups.map(({ entry }) => entry).filter(({ requestId }) => requestId === request);
  if (request === "" || entries.length === 0) throw problem.notFound();
  if (act === "delete") return undoDeletion(c, compiled, entries);
  const operations =
    act === "edit" ? await buildEdits(c, entries) : entries.flatMap(reverseOperation(act));
  let done = 0;
  for (let start = 0; start < operations.length; start += maxOperations) {
    const batch = operations.slice(start, start + maxOperations);
    const outcomes = await writeRows(ctx, compiled, batch);
    done += outcomes.filter((outcome) => !(outcome instanceof Problem)).length;
  }
  const { bulk, terms } = readTexts(c);
  const omittedCount = entries.length - done;
  const text = bulk.undone(act, terms.collections[kind].itemCount(done), omittedCount);
  const document = { done, refused: omittedCount };
  return { to: itemsPath(c, kind), flash: { text, isPartial: omittedCount > 0 }, document };
}

const maxNamed = 5;

/** Restores the items that a request deleted. Lists the items that it could not restore. */
async function undoDeletion(
  c: Context<AdminEnv>,
  { collection }: CompiledCollection,
  entries: readonly AuditEntry[],
): Promise<Outcome> {
  const ids = entries.map(({ subject }) => subject);
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
  ({ subject: id, version }: AuditEntry): BatchOperation[] => {
    if (version === null) return [];
    const ifMatch = [etagOf(version)];
    return act === "close"
      ? [{ op: "reopen", id, ifMatch }]
      : [{ op: "update", id, body: { status: "closed" }, ifMatch }];
  };

/** Builds updates that restore the values before each change, for items that still have the version after it. */
async function buildEdits(
  c: Context<AdminEnv>,
  entries: readonly AuditEntry[],
): Promise<BatchOperation[]> {
  const descriptions = await describeChanges(c.var.action, entries);
  return entries.flatMap(({ number, subject, version }): BatchOperation[] => {
    const description = descriptions.get(number);
    if (!description?.fields || version === null) return [];
    const { fields } = description.compiled.collection.definition.fields;
    const data = previousData(description.fields, fields);
    return [{ op: "update", id: subject, body: { data }, ifMatch: [etagOf(version)] }];
  });
}
