import type { Compiled } from "#domain/data/compile.ts";
import { searchEntries, uniqueValue, searchableIds } from "#domain/data/index-entries.ts";
import type { Item } from "#domain/item/item.ts";
import { entriesToCheck, nextIndexCheck, storeCheckStep, type IndexCheck, beginIndexCheck } from "#store/data/index-check.ts";
import { inTurns, indexItems, type NoteChange } from "./index-items.ts";
import { collectionNow } from "./collection-cache.ts";
import type { PendingRules } from "#domain/definition/collection.ts";
import { problem, type Problem } from "#domain/problem/problem.ts";
import { filledAmong, fieldNumber } from "#domain/data/values.ts";
import { problems } from "#domain/problem/catalogue.ts";
import type { Act } from "#store/home/audit.ts";
import { findCollectionById, type PendingChange } from "#store/data/collections.ts";
import { itemsInRange, takenAmong } from "#store/data/item-ranges.ts";
import { nextPending, storePendingStep, type ItemValue, type PendingWork, completePending, refusePending } from "#store/data/save-definition.ts";
import { nextIndexing } from "#store/data/indexing.ts";
import { type ReadContext, act, type ActionContext } from "./context.ts";

const entriesPerStep = 500;
const bytesPerStep = 2_000_000;

/** Removes entries that their items do not have; those that are missing are made by the indexing that was started. */
export async function checkEntries(db: D1Database, failures: unknown[] = []): Promise<void> {
  await inTurns(db, nextIndexCheck, checkStep, failures);
}

async function checkStep(db: D1Database, check: IndexCheck): Promise<void> {
  const compiled = await collectionNow(db, check.collectionId);
  const looked = await entriesToCheck(db, check, entriesPerStep, bytesPerStep);
  const own = new Map<number, Set<string>>();
  for (const { item } of looked) {
    if (item && !own.has(item.number)) own.set(item.number, entriesOf(compiled, item));
  }
  const wrong = looked.filter(
    ({ number, field, value }) => own.get(number)?.has(nameOf(field, value)) !== true,
  );
  await storeCheckStep(db, check, looked, wrong);
}

const nameOf = (field: number, value: string | number) => JSON.stringify([field, value]);

function entriesOf({ collection }: Compiled, item: Item): Set<string> {
  if (item.collectionId !== collection.id) return new Set();
  const entries = searchEntries(collection, item.data, item);
  return new Set(entries.map(([field, value]) => nameOf(field, value)));
}

/** What stored data stands against, as the 409 that tells it. */

export function typeInUse({ emptied }: Pick<PendingRules, "emptied">): Problem {
  const fields = emptied.map((field) => field.key);
  const named = fields.map((field) => `"${field}"`).join(", ");
  const detail = `The type of ${named} cannot change while items have values there.`;
  return problem.schemaInUse(detail, { field: fields[0], fields });
}

/** The items are named and not the value: changing a definition does not imply reading data. */
export function sharedBy(field: string, items: readonly string[]): Problem {
  const detail = `"${field}" cannot become unique: ${items.join(" and ")} have the same value.`;
  return problem.schemaInUse(detail, { field, items });
}

const itemsPerStep = 500;
const bytesPerStepOfCheckPending = 2_000_000;
/** Values that the database takes out of items. */
const slotsPerStep = 20_000;
/** What is kept of a step travels in one parameter, of which D1 takes 2 MB. */
const valueBytesPerStep = 200_000;

/** Looks at the items that pending changes of definitions wait for, in bounded steps. */
export async function checkPending(db: D1Database, failures: unknown[] = []): Promise<void> {
  await inTurns(db, nextPending, pendingStep, failures);
}

/** A step that meets another change of the definition does nothing: the next one sees it. */
async function pendingStep(db: D1Database, work: PendingWork): Promise<void> {
  const now = await findCollectionById(db, work.collectionId);
  if (!now?.pending || now.pending.problem !== null) return;
  const { collection } = now;
  const { change } = now.pending;
  const slots = slotsOf(change);
  const limit = Math.max(1, Math.min(itemsPerStep, Math.floor(slotsPerStep / slots.length)));
  const items = await itemsInRange(db, work, { limit, bytes: bytesPerStepOfCheckPending, slots });
  const last = items.at(-1);
  if (!last) {
    const act = { ...(JSON.parse(work.act) as Act), at: Date.now() };
    await completePending(db, collection, change, act);
    return;
  }
  const filled = change.emptied.filter((each) =>
    items.some(({ data }) => filledAmong([each], data).length > 0),
  );
  if (filled.length > 0) {
    await refusePending(db, collection, change, told(typeInUse({ emptied: filled })));
    return;
  }
  const { values, seen } = withinBytes(items, change);
  const to = (seen.at(-1) ?? last).number + 1;
  const step = { revision: collection.revision, values, to, count: seen.length };
  if ((await storePendingStep(db, work, step)) !== "taken") return;
  const shared = await sharedAmong(db, items, values, change);
  if (shared) await refusePending(db, collection, change, told(shared));
}

/** The slots that the change asks about; columns of rows stand in those of their lists. */
function slotsOf({ emptied, gained }: PendingChange): string[] {
  const ids = [...emptied.map(({ id, within }) => within ?? id), ...gained.map(({ id }) => id)];
  return [...new Set(ids)].map(String);
}

/** The values of the first items, as many as travel in one parameter; of one at the least. */
function withinBytes(items: readonly Item[], change: PendingChange) {
  const values: ItemValue[] = [];
  const seen: Item[] = [];
  let bytes = 0;
  for (const item of items) {
    const own = valuesOf(item, change);
    bytes += JSON.stringify(own).length;
    if (seen.length > 0 && bytes > valueBytesPerStep) break;
    values.push(...own);
    seen.push(item);
  }
  return { values, seen };
}

function valuesOf(item: Item, { gained }: PendingChange): ItemValue[] {
  if (item.status === "draft") return [];
  return gained
    .flatMap((field) => uniqueValue(item.collectionId, field, item.data))
    .map((value): ItemValue => [...value, item.number, item.version]);
}

/** Two items that share a value; none where one of them has changed since. */
async function sharedAmong(
  db: D1Database,
  items: readonly Item[],
  values: readonly ItemValue[],
  { gained }: PendingChange,
): Promise<Problem | undefined> {
  const taken = await takenAmong(
    db,
    values.map(([field, value, number]) => [field, value, number]),
  );
  for (const { field, wanting, id } of taken) {
    const own = items.find(({ number }) => number === wanting);
    const key = gained.find((each) => own && isOf(own, each.uniqueId, field))?.key;
    if (own && key !== undefined) return sharedBy(key, [id, own.id]);
  }
  return undefined;
}

function isOf({ collectionId }: Item, uniqueId: number, field: number): boolean {
  return fieldNumber(collectionId, uniqueId) === field;
}

/** The problem document that the change would have been answered with; it belongs to no request. */
function told({ code, detail, members }: Problem): object {
  const { status, title } = problems[code];
  return { type: `/problems/${code}`, title, status, code, detail, ...members };
}

/**
 * Work on stored items that definitions have asked for, in bounded steps; what is left, the next run does.
 * @throws what failed, once all has been done that does not fail.
 */
export async function catchUp(db: D1Database, noteChange?: NoteChange): Promise<void> {
  const failures: unknown[] = [];
  await checkPending(db, failures);
  await checkEntries(db, failures);
  await indexItems(db, failures, noteChange);
  if (failures.length > 0) throw failures[0];
}

/** Behind the answer to whoever asked for it. */
export function catchUpLater(ctx: ReadContext): void {
  ctx.later(() => catchUp(ctx.primary, (collectionId) => ctx.noteChange(collectionId)));
}

/** Steps take less; work that stands longer was broken off. */
const standsStill = 5_000;
/** How far the work was when this isolate last looked. */
let seen = { at: -Infinity, work: "" };

/** For whoever meets unfinished work: it goes on, behind the answer, where it was broken off, as by a restart. */
export function resume(ctx: ReadContext): void {
  const now = ctx.now();
  if (now - seen.at < standsStill) return;
  const before = seen.work;
  seen = { at: now, work: before };
  ctx.later(async () => {
    seen = { at: now, work: await unfinished(ctx.primary) };
    if (seen.work === before) catchUpLater(ctx);
  });
}

async function unfinished(db: D1Database): Promise<string> {
  const [pending, check, indexing] = await Promise.all([
    nextPending(db),
    nextIndexCheck(db),
    nextIndexing(db),
  ]);
  return JSON.stringify([
    [pending?.collectionId, pending?.next],
    [check?.collectionId, check?.seen, check?.field, check?.item],
    [indexing?.collectionId, indexing?.next],
  ]);
}

/** Has the search index of a collection looked through and mended, behind the answer and in bounded steps. */
export async function checkIndex(ctx: ActionContext, { collection }: Compiled): Promise<void> {
  const fields = [...searchableIds(collection.definition.fields)];
  const entry = act(ctx, "index.check", `${collection.kind}:${collection.key}`);
  await beginIndexCheck(ctx.db, collection.id, fields, { ...entry, collectionId: collection.id });
  catchUpLater(ctx);
}
