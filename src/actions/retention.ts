import { compileCollection, type CompiledCollection } from "#domain/data/compile.ts";
import { roleAllows } from "#domain/credential/permissions.ts";
import {
  isStricter,
  startRetention,
  type Definition,
  type Retention,
} from "#domain/definition/collection.ts";
import { mayHaveFiles } from "#domain/files/sent-file.ts";
import { buildIndexRowChanges } from "#domain/item/change.ts";
import type { Item } from "#domain/item/item.ts";
import { viewMarks } from "#domain/item/view-marks.ts";
import { errorAt } from "#domain/problem/field-errors.ts";
import { problem } from "#domain/problem/problem.ts";
import { daysBefore } from "#domain/time.ts";
import { storeBatch, type BatchOutcome, type BatchWrite } from "#store/data/batch-write.ts";
import type { ItemAuditRecord } from "#store/data/changes.ts";
import { findCollectionOf } from "#store/data/collections.ts";
import { loadExpired, nextRetaining } from "#store/data/retention.ts";
import type { CollectionDatabase, DataDatabase } from "#store/db/database.ts";
import { findCredential } from "#store/home/credentials.ts";
import type { ActionContext, BackgroundContext } from "./context.ts";
import type { NotifyChange } from "./index-items.ts";

/**
 * Checks that the caller may change `retain`, and sets when the new rule applies. Only owners and admins may set or
 * shorten it, because that erases submissions. A credential acts with the role of its member.
 */
export async function withRetention(
  ctx: ActionContext,
  before: Definition | undefined,
  after: Definition,
): Promise<Definition> {
  const retain = startRetention(before?.retain, after.retain, ctx.now());
  if (isStricter(before?.retain, retain)) await assertCanErase(ctx);
  return { ...after, retain };
}

async function assertCanErase({ actor, role, databases }: ActionContext): Promise<void> {
  const [kind, id = ""] = actor.split(":");
  if (kind === "member") {
    if (role && roleAllows(role, "erase")) return;
    throw problem.roleRequired("erase");
  }
  const memberRole = (await findCredential(databases.home, id))?.createdBy.role;
  if (memberRole && roleAllows(memberRole, "erase")) return;
  const reason = "Only owners and admins, and their credentials, can set or shorten retain.";
  throw problem.invalidInput([errorAt(["retain"], "invalid_definition", reason)]);
}

/** The limits of one run. A step takes about 15 of the 1,000 queries that D1 allows. */
const maxStepsPerRun = 30;
/** The limits of one step. */
const stepLimits = { items: 100, bytes: 2_000_000 };

/** Erases expired submissions in bounded steps, form by form. The next run continues. */
export async function eraseExpired(
  ctx: BackgroundContext,
  notifyChange: NotifyChange = () => undefined,
): Promise<void> {
  for (const db of ctx.databases.dataDatabases()) {
    let after = 0;
    const idleForms = new Set<number>();
    for (let steps = 0; steps < maxStepsPerRun; steps += 1) {
      const id = await nextRetaining(db, after, ctx.now());
      if (id === undefined || idleForms.has(id)) break;
      // Forms take turns, so that a long one does not block the others.
      after = id;
      if (await eraseStep(ctx, db, id, notifyChange)) idleForms.clear();
      else idleForms.add(id);
    }
  }
}

/** Returns false when it erased nothing. */
async function eraseStep(
  ctx: BackgroundContext,
  dataDb: DataDatabase,
  id: number,
  notifyChange: NotifyChange,
): Promise<boolean> {
  const db = dataDb.of({ id });
  const current = await findCollectionOf(db);
  const { retain = null, time_zone: zone } = current?.collection.definition ?? {};
  if (!current || !retain || zone === undefined || retain.appliesFrom > ctx.now()) return false;
  const items = await loadExpired(db, expiry(retain, zone, ctx.now()), stepLimits);
  if (items.length === 0) return false;
  const compiled = compileCollection(current.collection);
  // An item or a definition that changed meanwhile fails the batch. The next step reads it again.
  const result = await eraseItems(ctx, db, compiled, items);
  if (result.outcome !== "created") return false;
  if (result.hasListeners) notifyChange(current.collection);
  return true;
}

/** Erases these items in one batch, as the service itself. */
export function eraseItems(
  ctx: BackgroundContext,
  db: CollectionDatabase,
  compiled: CompiledCollection,
  items: readonly Item[],
): Promise<BatchOutcome> {
  const entry = systemRecord(ctx);
  return storeBatch(db, buildErasure(compiled, items, entry.at), null, entry, { conditions: [] });
}

/** Submissions that were created at or before this time expire. */
const expiry = ({ days, only }: Retention, zone: string, now: number) => ({
  createdUntil: daysBefore(now, days, zone),
  only,
});

export const systemRecord = ({ now, random }: BackgroundContext): ItemAuditRecord => ({
  at: now(),
  actor: "system",
  action: "submission.erase",
  session: null,
  requestId: random.uuid(),
  sentRequestId: null,
});

function buildErasure(
  compiled: CompiledCollection,
  items: readonly Item[],
  now: number,
): BatchWrite {
  const { kind, version, revision } = compiled.collection;
  const action = kind === "app" ? "record.erase" : "submission.erase";
  const removals = items.map((item) => ({
    item,
    rows: buildIndexRowChanges(compiled, item, null),
  }));
  return {
    revision,
    definitionVersion: version,
    batchId: "",
    now,
    receiptPrefix: null,
    needsOpenForm: false,
    maxAddedItems: 0,
    expectedVersions: items.map((item) => [item.number, item.version]),
    uniqueValuesToRemove: removals.flatMap(({ item, rows }) =>
      rows.uniqueValues.toRemove.map((value): [number, ...typeof value] => [item.number, ...value]),
    ),
    uniqueValuesToAdd: [],
    references: [],
    files: [],
    mayHaveFiles: mayHaveFiles(compiled.collection.definition.fields),
    entriesToRemove: removals.flatMap(({ item, rows }) =>
      rows.entries.toRemove.map(([field, value]): [number, number, string | number] => [
        item.number,
        field,
        value,
      ]),
    ),
    entriesToAdd: [],
    createdItems: [],
    updatedItems: [],
    deletedNumbers: items.map(({ number }) => number),
    changes: items.map((item) => ({
      ref: item.number,
      id: item.id,
      action,
      version: item.version,
      views: viewMarks(compiled.collection, item, null),
      fields: "[]",
      former: null,
    })),
  };
}
