import type { CompiledCollection } from "#domain/data/compile.ts";
import { searchEntries, uniqueValue, searchableIds } from "#domain/data/index-entries.ts";
import type { Item } from "#domain/item/item.ts";
import {
  loadEntriesToCheck,
  findNextIndexCheck,
  storeCheckStep,
  type IndexCheck,
  beginIndexCheck,
} from "#store/data/index-check.ts";
import type { CollectionDatabase, DataDatabase, Databases } from "#store/db/database.ts";
import { runRoundRobin, backfillIndex, type NotifyChange } from "./index-items.ts";
import { loadCollectionById } from "./collection-cache.ts";
import type { Collection, PendingRules } from "#domain/definition/collection.ts";
import { problem, Problem } from "#domain/problem/problem.ts";
import { filledFields, fieldNumber } from "#domain/data/values.ts";
import { problems } from "#domain/problem/catalogue.ts";
import type { AuditRecord } from "#store/home/audit.ts";
import { findCollectionOf, type PendingChange } from "#store/data/collections.ts";
import { loadItemsInRange, findUniqueConflicts } from "#store/data/item-ranges.ts";
import {
  findNextPending,
  storePendingStep,
  type ItemValue,
  type PendingChangeRow,
  completePending,
  rejectPending,
} from "#store/data/save-definition.ts";
import { findNextIndexing } from "#store/data/indexing.ts";
import { refoldStep } from "#store/data/refolding.ts";
import { memoryPart } from "#domain/memory.ts";
import { checkPendingEffects } from "./view-users.ts";
import {
  type ReadContext,
  auditRecord,
  type ActionContext,
  type BackgroundContext,
  type DataContext,
} from "./context.ts";
import { reasonFor } from "#domain/problem/reasons.ts";

/** The limit for the steps of one run. Each step takes two queries. */
const maxRefoldSteps = 40;

/** Rewrites the folded texts of search entries that were stored before full case folding. */
async function refoldEntries({ db }: DataContext, failures: unknown[]): Promise<void> {
  try {
    for (let steps = 0; steps < maxRefoldSteps; steps += 1) if (!(await refoldStep(db))) return;
  } catch (error) {
    failures.push(error);
  }
}

const entriesPerStep = 500;
const checkBytesPerStep = 2_000_000;

/** Removes entries that do not match their items. The indexing, which started together, creates missing entries. */
async function checkEntries(ctx: DataContext, failures: unknown[]): Promise<void> {
  await runRoundRobin(ctx, findNextIndexCheck, checkStep, failures);
}

async function checkStep({ db, memory }: DataContext, check: IndexCheck): Promise<void> {
  const compiled = await loadCollectionById({ databases: db, memory }, check.collectionId);
  const collectionDb = db.of(compiled.collection);
  const entries = await loadEntriesToCheck(collectionDb, check, entriesPerStep, checkBytesPerStep);
  const expectedByItem = new Map<number, Set<string>>();
  for (const { item } of entries) {
    if (item && !expectedByItem.has(item.number))
      expectedByItem.set(item.number, expectedEntries(compiled, item));
  }
  const invalidEntries = entries.filter(
    ({ number, field, value }) => expectedByItem.get(number)?.has(entryKey(field, value)) !== true,
  );
  await storeCheckStep(collectionDb, check, entries, invalidEntries);
}

const entryKey = (field: number, value: string | number) => JSON.stringify([field, value]);

function expectedEntries({ collection }: CompiledCollection, item: Item): Set<string> {
  if (item.collectionId !== collection.id) return new Set();
  const entries = searchEntries(collection, item.data, item);
  return new Set(entries.map(([field, value]) => entryKey(field, value)));
}

/** Builds the 409 for a type change of fields that have stored values. */
export function typeInUseProblem({ emptied }: Pick<PendingRules, "emptied">): Problem {
  const fields = emptied.map((field) => field.key);
  const detail = reasonFor("typeInUse", { fields: fields.map((key) => `"${key}"`).join(", ") });
  return problem.schemaInUse(detail, { field: fields[0], fields });
}

/** Contains the items but not the value, because the caller may lack the permission to read data. */
export function sharedValueProblem(field: string, items: readonly string[]): Problem {
  const values = { field, items: items.join(" and ") };
  return problem.schemaInUse(reasonFor("valuesNotUnique", values), { field, items });
}

const itemsPerStep = 500;
const pendingBytesPerStep = 2_000_000;
/** The limit for the values that the database extracts from items. */
const slotsPerStep = 20_000;
/** A step stores its values through one parameter, which D1 limits to 2 MB. */
const valueBytesPerStep = 200_000;

/** Checks one range of items. Stores nothing if the definition changed concurrently; the next step reads the change. */
async function runPendingStep(
  { db: dataDb, now }: DataContext,
  databases: Databases,
  work: PendingChangeRow,
): Promise<void> {
  const db = dataDb.of({ id: work.collectionId });
  const current = await findCollectionOf(db);
  if (!current?.pending || current.pending.problem !== null) return;
  const { collection } = current;
  const { change } = current.pending;
  const slots = findAffectedSlots(change);
  const limit = Math.max(1, Math.min(itemsPerStep, Math.floor(slotsPerStep / slots.length)));
  const items = await loadItemsInRange(db, work, {
    limit,
    maxBytes: pendingBytesPerStep,
    slots,
  });
  const last = items.at(-1);
  if (!last) {
    const entry = { ...(JSON.parse(work.act) as AuditRecord), at: now() };
    const cause = await findViewProblem({ databases, now }, collection, change, entry.actor);
    if (cause) await rejectPending(db, collection, change, toStoredProblem(cause));
    else await completePending(db, collection, change, entry);
    return;
  }
  const fieldsInUse = change.emptied.filter((field) =>
    items.some(({ data }) => filledFields([field], data).length > 0),
  );
  if (fieldsInUse.length > 0) {
    await rejectPending(
      db,
      collection,
      change,
      toStoredProblem(typeInUseProblem({ emptied: fieldsInUse })),
    );
    return;
  }
  const { values, checkedItems } = collectValues(items, change);
  const nextStart = (checkedItems.at(-1) ?? last).number + 1;
  const step = { revision: collection.revision, values, nextStart, count: checkedItems.length };
  if ((await storePendingStep(db, work, step)) !== "taken") return;
  const cause = await findSharedValueProblem(db, items, values, change);
  if (cause) await rejectPending(db, collection, change, toStoredProblem(cause));
}

/** Returns a problem if a credential or a webhook has since got a view that the change cannot keep. */
async function findViewProblem(
  ctx: Pick<ActionContext, "databases" | "now">,
  collection: Collection,
  { definition }: PendingChange,
  author: AuditRecord["actor"],
): Promise<Problem | undefined> {
  try {
    await checkPendingEffects(ctx, collection, definition, author);
    return undefined;
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

/** Returns the slots (field ids as text) that the change affects. The values of a column are in the slot of its list. */
function findAffectedSlots({ emptied, gained }: PendingChange): string[] {
  const ids = [...emptied.map(({ id, within }) => within ?? id), ...gained.map(({ id }) => id)];
  return [...new Set(ids)].map(String);
}

/** Collects the values of as many items as fit in one parameter, but of at least one item. */
function collectValues(items: readonly Item[], change: PendingChange) {
  const values: ItemValue[] = [];
  const checkedItems: Item[] = [];
  let bytes = 0;
  for (const item of items) {
    const itemValues = buildUniqueValues(item, change);
    bytes += JSON.stringify(itemValues).length;
    if (checkedItems.length > 0 && bytes > valueBytesPerStep) break;
    values.push(...itemValues);
    checkedItems.push(item);
  }
  return { values, checkedItems };
}

function buildUniqueValues(item: Item, { gained }: PendingChange): ItemValue[] {
  if (item.status === "draft") return [];
  return gained
    .flatMap((field) => uniqueValue(item.collectionId, field, item.data))
    .map((value): ItemValue => [...value, item.number, item.version]);
}

/** Finds two items that share a value. Returns undefined when one of them has changed since. */
async function findSharedValueProblem(
  db: CollectionDatabase,
  items: readonly Item[],
  values: readonly ItemValue[],
  { gained }: PendingChange,
): Promise<Problem | undefined> {
  const conflicts = await findUniqueConflicts(
    db,
    values.map(([field, value, number]) => [field, value, number]),
  );
  for (const { field, wanting, id } of conflicts) {
    const item = items.find(({ number }) => number === wanting);
    if (!item) continue;
    const key = gained.find(({ uniqueId }) => matchesUniqueField(item, uniqueId, field))?.key;
    if (key !== undefined) return sharedValueProblem(key, [id, item.id]);
  }
  return undefined;
}

function matchesUniqueField({ collectionId }: Item, uniqueId: number, field: number): boolean {
  return fieldNumber(collectionId, uniqueId) === field;
}

/** Builds the problem document to store with the rejected change. It has no request ID, because it belongs to no request. */
function toStoredProblem({ code, detail, members }: Problem): object {
  const { status, title } = problems[code];
  return { type: `/problems/${code}`, title, status, code, detail, ...members };
}

/**
 * Runs the work on stored items that definition changes need, in bounded steps. The next run continues.
 * @throws the first failure, after the other work of this run is done.
 */
export async function runBackfill(
  { databases, ...ctx }: BackgroundContext,
  notifyChange?: NotifyChange,
): Promise<void> {
  const failures: unknown[] = [];
  for (const db of databases.dataDatabases()) {
    const dataContext = { ...ctx, db };
    const checkPending = (stepContext: DataContext, work: PendingChangeRow) =>
      runPendingStep(stepContext, databases, work);
    await runRoundRobin(dataContext, findNextPending, checkPending, failures);
    await checkEntries(dataContext, failures);
    await backfillIndex(dataContext, failures, notifyChange);
    await refoldEntries(dataContext, failures);
  }
  if (failures.length > 0) throw failures[0];
}

/** Runs the backfill after the response. */
export function scheduleBackfill(ctx: ReadContext): void {
  ctx.runAfterResponse(() =>
    runBackfill({ ...ctx, databases: ctx.primary }, (collection) => ctx.notifyChange(collection)),
  );
}

/** A step takes less time than this. Work without progress for longer was interrupted. */
const stalledAfterMs = 5_000;
/** The progress of the work when this isolate last checked. */
const progressIn = memoryPart(() => ({ checkedAt: -Infinity, work: "" }));

/** Resumes unfinished work after the response if it has stalled, for example after a restart. */
export function resumeBackfill(ctx: ReadContext): void {
  const now = ctx.now();
  const progress = progressIn(ctx.memory);
  if (now - progress.checkedAt < stalledAfterMs) return;
  const previousWork = progress.work;
  progress.checkedAt = now;
  ctx.runAfterResponse(async () => {
    Object.assign(progress, { checkedAt: now, work: await loadProgress(ctx.primary) });
    if (progress.work === previousWork) scheduleBackfill(ctx);
  });
}

async function loadProgress(databases: Databases): Promise<string> {
  return JSON.stringify(await Promise.all(databases.dataDatabases().map(loadDatabaseProgress)));
}

async function loadDatabaseProgress(db: DataDatabase) {
  const [pending, check, indexing] = await Promise.all([
    findNextPending(db),
    findNextIndexCheck(db),
    findNextIndexing(db),
  ]);
  return [
    [pending?.collectionId, pending?.next],
    [check?.collectionId, check?.seen, check?.field, check?.item],
    [indexing?.collectionId, indexing?.next],
  ];
}

/** Checks and repairs the search index of a collection after the response, in bounded steps. */
export async function checkIndex(
  ctx: ActionContext,
  { collection }: CompiledCollection,
): Promise<void> {
  const fields = [...searchableIds(collection.definition.fields)];
  const entry = auditRecord(ctx, "index.check", `${collection.kind}:${collection.key}`);
  await beginIndexCheck(ctx.databases.of(collection), fields, {
    ...entry,
    collectionId: collection.id,
  });
  scheduleBackfill(ctx);
}
