import { viewWork } from "#domain/item/view-marks.ts";
import type { AuditAction } from "#domain/audit.ts";
import { compileCollection, type CompiledCollection } from "#domain/data/compile.ts";
import { roleAllows } from "#domain/credential/permissions.ts";
import {
  isStricter,
  startRetention,
  type Definition,
  type Retention,
} from "#domain/definition/collection.ts";
import { itemAction } from "#domain/item/change.ts";
import type { Item } from "#domain/item/item.ts";
import { errorAt } from "#domain/problem/field-errors.ts";
import { problem } from "#domain/problem/problem.ts";
import { daysBefore } from "#domain/time.ts";
import { storeBatch, type BatchOutcome } from "#store/data/batch-write.ts";
import { findCollectionOf } from "#store/data/collections.ts";
import { loadExpired, nextRetaining } from "#store/data/retention.ts";
import type { CollectionDatabase, DataDatabase } from "#store/db/database.ts";
import { findCredential } from "#store/home/credentials.ts";
import type { ActionContext, BackgroundContext } from "./context.ts";
import type { NotifyChange } from "./index-items.ts";
import { buildRemoval } from "./remove-items.ts";
import { reasonFor } from "#domain/problem/reasons.ts";

/**
 * Checks that the caller may change `retain`, and sets the time from which the new rule applies. Only owners and admins
 * may set or shorten it, because that erases submissions. A credential acts with the role of the member who created it.
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
  const [actorKind, id = ""] = actor.split(":");
  if (actorKind === "member") {
    if (role && roleAllows(role, "erase")) return;
    throw problem.roleRequired("erase");
  }
  const creatorRole = (await findCredential(databases.home, id))?.createdBy.role;
  if (creatorRole && roleAllows(creatorRole, "erase")) return;
  const reason = reasonFor("retentionNotAllowed");
  throw problem.invalidInput([errorAt(["retain"], "invalid_definition", reason)]);
}

/**
 * The maximum number of steps of one run in all databases. A step takes about 15 of the 1,000 queries that D1 allows
 * per run.
 */
export const maxErasingSteps = 30;
/** The limits of one step. */
const stepLimits = { items: 100, bytes: 2_000_000 };
/**
 * The maximum work of one step for the views of its items, which takes about 100 ms. The first item is always erased. More
 * work counts as several steps.
 */
const maxViewWork = 1_000_000;

/** The schedule erases every five minutes. */
const periodMs = 5 * 60 * 1000;

/**
 * Rotates the list. Each run starts with another entry, so that the first entries do not use up the steps of every run.
 */
export function inTurn<T>(list: readonly T[], now: number): T[] {
  const start = Math.floor(now / periodMs) % list.length;
  return [...list.slice(start), ...list.slice(0, start)];
}

/** Erases expired submissions in bounded steps, form by form. The next run continues. */
export async function eraseExpired(
  ctx: BackgroundContext,
  notifyChange: NotifyChange = () => undefined,
): Promise<void> {
  let remainingSteps = maxErasingSteps;
  for (const db of inTurn(ctx.databases.dataDatabases(), ctx.now())) {
    let after = 0;
    const idleForms = new Set<number>();
    while (remainingSteps > 0) {
      remainingSteps -= 1;
      const id = await nextRetaining(db, after, ctx.now());
      if (id === undefined || idleForms.has(id)) break;
      // Forms take turns, so that a form with many expired submissions does not block the others.
      after = id;
      const work = await eraseStep(ctx, db, id, notifyChange);
      if (work === null) idleForms.add(id);
      else idleForms.clear();
      remainingSteps -= (work ?? 0) / maxViewWork;
    }
  }
}

/** Erases the oldest expired submissions of a form. Returns the work for their views. Null when it erased none. */
async function eraseStep(
  ctx: BackgroundContext,
  dataDb: DataDatabase,
  id: number,
  notifyChange: NotifyChange,
): Promise<number | null> {
  const db = dataDb.of({ id });
  const current = await findCollectionOf(db);
  const { retain = null, time_zone: zone } = current?.collection.definition ?? {};
  if (!current || !retain || zone === undefined || retain.appliesFrom > ctx.now()) return null;
  const expired = await loadExpired(db, buildExpiry(retain, zone, ctx.now()), stepLimits);
  if (expired.length === 0) return null;
  const compiled = compileCollection(current.collection);
  const { items, work } = firstWithinWork(compiled, expired);
  // If an item or a definition changes concurrently, the batch fails. The next step reads it again.
  const result = await eraseItems(ctx, db, compiled, items);
  if (result.outcome !== "created") return null;
  if (result.hasListeners) notifyChange(current.collection);
  return work;
}

/** Returns the first of these items, as many as the work of a step covers, but at least one. */
function firstWithinWork(compiled: CompiledCollection, expired: readonly Item[]) {
  const items: Item[] = [];
  let work = 0;
  for (const item of expired) {
    const itemWork = viewWork(compiled, item);
    if (items.length > 0 && work + itemWork > maxViewWork) break;
    items.push(item);
    work += itemWork;
  }
  return { items, work };
}

/** Erases these items in one batch. The audit log names the service as the actor. */
function eraseItems(
  ctx: BackgroundContext,
  db: CollectionDatabase,
  compiled: CompiledCollection,
  items: readonly Item[],
): Promise<BatchOutcome> {
  const action = itemAction(compiled.collection.kind, "erase");
  const auditRecord = systemRecord(ctx, action);
  const erasure = buildRemoval(compiled, items, { ...auditRecord, keptUntil: null });
  return storeBatch(db, erasure, null, auditRecord, { shownBy: null });
}

/**
 * Returns the items that the rule applies to now: submissions created at or before `createdUntil`, all or only closed
 * ones.
 */
const buildExpiry = ({ days, only }: Retention, zone: string, now: number) => ({
  createdUntil: daysBefore(now, days, zone),
  only,
});

/** Builds the audit record of an action that the service itself performs. */
export const systemRecord = <Action extends AuditAction>(
  { now, random }: BackgroundContext,
  action: Action,
) => ({
  at: now(),
  actor: "system" as const,
  action,
  session: null,
  requestId: random.uuid(),
  sentRequestId: null,
  detail: null,
});
