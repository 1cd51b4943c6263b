import { filledAmong } from "../../domain/data/emptied";
import { fieldNumber } from "../../domain/data/field-number";
import { uniqueValue } from "../../domain/data/unique-values";
import type { Item } from "../../domain/item/item";
import { problems } from "../../domain/problem/problem-catalogue";
import type { Problem } from "../../domain/problem/problem";
import type { Act } from "../../store/audit/audit";
import { findCollectionById } from "../../store/definitions/collections";
import type { PendingChange } from "../../store/definitions/collection-now";
import { itemsInRange } from "../../store/items/range";
import {
  nextPending,
  storePendingStep,
  type ItemValue,
  type Pending,
} from "../../store/definitions/pending-change";
import { completePending, refusePending } from "../../store/definitions/save-pending";
import { takenAmong } from "../../store/items/unique-values";
import { inTurns } from "./in-turns";
import { sharedBy, typeInUse } from "./schema-in-use";

const itemsPerStep = 500;
const bytesPerStep = 2_000_000;
/** Values that the database takes out of items. */
const slotsPerStep = 20_000;
/** What is kept of a step travels in one parameter, of which D1 takes 2 MB. */
const valueBytesPerStep = 200_000;

/** Looks at the items that pending changes of definitions wait for, in bounded steps. */
export async function checkPending(db: D1Database, failures: unknown[] = []): Promise<void> {
  await inTurns(db, nextPending, pendingStep, failures);
}

/** A step that meets another change of the definition does nothing: the next one sees it. */
async function pendingStep(db: D1Database, work: Pending): Promise<void> {
  const now = await findCollectionById(db, work.collectionId);
  if (!now?.pending || now.pending.problem !== null) return;
  const { collection } = now;
  const { change } = now.pending;
  const slots = slotsOf(change);
  const limit = Math.max(1, Math.min(itemsPerStep, Math.floor(slotsPerStep / slots.length)));
  const items = await itemsInRange(db, work, { limit, bytes: bytesPerStep, slots });
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
