import { countingDatabase, type DataDatabase } from "#store/db/database.ts";
import type { QueueCursor } from "#store/data/index-check.ts";
import {
  computedIds,
  fieldEntries,
  formerEntries,
  systemEntries,
  type SearchEntry,
  withoutRemovedFields,
} from "#domain/data/index-entries.ts";
import type { CompiledCollection } from "#domain/data/compile.ts";
import { viewMarks, viewWork } from "#domain/item/view-marks.ts";
import type { Data } from "#domain/data/values.ts";
import { recalculate } from "#domain/formula/recalculate.ts";
import { diffStates, itemAction, type ItemDiff } from "#domain/item/change.ts";
import { type Item, isSmallEnoughToStore } from "#domain/item/item.ts";
import {
  findNextIndexing,
  storeIndexingStep,
  type Indexing,
  type IndexingStep,
} from "#store/data/indexing.ts";
import { loadItemsInRange } from "#store/data/item-ranges.ts";
import { loadCollectionById } from "./collection-cache.ts";
import type { CollectionReference, DataContext } from "./context.ts";

/**
 * Limits of one run. D1 allows 1,000 queries per invocation, and one invocation can make three runs.
 * Writing a row occupies the database for about 5 µs.
 */
const runLimits = { queries: 250, rowsWritten: 30_000, formulaSteps: 3_000_000 };

/** The cost of a step apart from its queries. */
export interface StepCost {
  /** Includes the work of deciding which views the items match. */
  formulaSteps: number;
}

/**
 * Runs queued work one step per collection in turn, so that no collection blocks the others.
 * When a step fails, this run skips its collection from then on and adds the error to `failures`.
 */
export async function runRoundRobin<Work extends { collectionId: number }>(
  ctx: DataContext,
  findNext: (db: DataDatabase, turn: QueueCursor) => Promise<Work | undefined>,
  runStep: (ctx: DataContext, work: Work) => Promise<StepCost | void>,
  failures: unknown[],
): Promise<void> {
  const { db, counts } = countingDatabase(ctx.db);
  const countingContext = { ...ctx, db };
  const excludedIds: number[] = [];
  let afterId = 0;
  let formulaSteps = 0;
  while (
    counts.queries < runLimits.queries &&
    counts.rowsWritten < runLimits.rowsWritten &&
    formulaSteps < runLimits.formulaSteps
  ) {
    const work = await findNext(db, { after: afterId, excluded: excludedIds });
    if (!work) return;
    afterId = work.collectionId;
    try {
      formulaSteps += (await runStep(countingContext, work))?.formulaSteps ?? 0;
    } catch (error) {
      excludedIds.push(work.collectionId);
      failures.push(error);
    }
  }
}

const itemsPerStep = 200;
/** The limit for the stored data that a step reads. */
const bytesPerStep = 2_000_000;
/** The limit for the values that the database extracts from items. */
const slotsPerStep = 20_000;
/** The maximum bytes of entries that a step writes. The first item of a step is always written completely. */
const entryBytesPerStep = 500_000;
/** Takes about 100 ms. The isolate runs nothing else during that time. */
const formulaStepsPerStep = 1_000_000;

/** Receives each collection that has recalculated items and a listening webhook. */
export type NotifyChange = (collection: CollectionReference) => void;

/** Updates search entries and computed values in bounded steps. The next run continues unfinished work. */
export async function backfillIndex(
  ctx: DataContext,
  failures: unknown[] = [],
  notifyChange: NotifyChange = () => undefined,
): Promise<void> {
  const runStep = (stepContext: DataContext, work: Indexing) =>
    backfillStep(stepContext, work, notifyChange);
  await runRoundRobin(ctx, findNextIndexing, runStep, failures);
}

async function backfillStep(
  ctx: DataContext,
  work: Indexing,
  notifyChange: NotifyChange,
): Promise<StepCost> {
  const { db, memory } = ctx;
  const compiled = await loadCollectionById({ databases: db, memory }, work.collectionId);
  const collectionDb = db.of(compiled.collection);
  const fields = new Set(JSON.parse(work.fields) as number[]);
  const slots = slotsToRead(compiled, fields);
  const maxItems = Math.floor(slotsPerStep / Math.max(1, slots?.length ?? 0));
  const limit = Math.max(1, Math.min(itemsPerStep, maxItems));
  const items = await loadItemsInRange(collectionDb, work, {
    limit,
    maxBytes: bytesPerStep,
    slots,
  });
  const step: IndexingStep = {
    definitionVersion: compiled.collection.version,
    revision: compiled.collection.revision,
    entries: [],
    entriesToRemove: [],
    recalculated: [],
    action: itemAction(compiled.collection.kind, "recalculate"),
    requestId: ctx.random.uuid(),
    nextStart: work.last + 1,
    count: 0,
  };
  let bytes = 0;
  let formulaSteps = 0;
  for (const item of items) {
    const refresh = refreshItem(compiled, item, fields, ctx.now);
    bytes += refresh.bytes;
    formulaSteps += refresh.formulaSteps;
    if (refresh.data !== null) formulaSteps += viewWork(compiled, item);
    if (step.count > 0 && bytes > entryBytesPerStep) break;
    const { number, version } = item;
    for (const entry of refresh.entries) step.entries.push([...entry, number, version]);
    for (const entry of refresh.entriesToRemove)
      step.entriesToRemove.push([...entry, number, version]);
    if (refresh.data !== null)
      step.recalculated.push(buildRecalculation(compiled, item, refresh, refresh.data));
    step.count += 1;
    step.nextStart = number + 1;
    if (formulaSteps > formulaStepsPerStep) break;
  }
  if (await storeIndexingStep(collectionDb, work, step)) notifyChange(compiled.collection);
  return { formulaSteps };
}

/** Builds the new state of a recalculated item. `data` is its new data as JSON. */
function buildRecalculation(
  compiled: CompiledCollection,
  item: Item,
  { updatedAt, diff }: ItemRefresh,
  data: string,
): IndexingStep["recalculated"][number] {
  const { number, version, lastChange } = item;
  const former = JSON.stringify(diff.former);
  const after = {
    ...item,
    data: JSON.parse(data) as Data,
    updatedAt,
    updatedBy: "system" as const,
  };
  return {
    item: number,
    views: viewMarks(compiled, item, after).known,
    version,
    updatedAt,
    data,
    previous: lastChange,
    changedFields: JSON.stringify(diff.fields),
    // The change omits former values that would exceed D1's parameter limit.
    former: isSmallEnoughToStore(data + former) ? former : null,
  };
}

/**
 * Returns the slots (field ids as text) of these fields, or null for all slots, which formulas need. The values of a
 * column are in the slot of its list.
 */
function slotsToRead(
  { collection }: CompiledCollection,
  fieldIds: ReadonlySet<number>,
): string[] | null {
  const { fields } = collection.definition;
  const computed = computedIds(fields);
  if ([...fieldIds].some((id) => computed.has(id))) return null;
  return fields.fields
    .filter((field) => {
      const rows = field.type === "line_items" ? field.fields : [];
      return [field, ...rows].some(({ id }) => fieldIds.has(id));
    })
    .map(({ id }) => String(id));
}

interface ItemRefresh {
  entries: SearchEntry[];
  entriesToRemove: SearchEntry[];
  /** The new data as JSON; null when it is unchanged. */
  data: string | null;
  /** The time of the change; the item's own when the data is unchanged. */
  updatedAt: number;
  diff: ItemDiff;
  bytes: number;
  /** The formula steps that ran. */
  formulaSteps: number;
}

/** Builds the entries of these fields and recalculates the computed ones among them. */
function refreshItem(
  compiled: CompiledCollection,
  item: Item,
  fields: ReadonlySet<number>,
  now: () => number,
): ItemRefresh {
  const { collection } = compiled;
  const { data: before } = item;
  const computed = computedIds(collection.definition.fields);
  const isRecalculated = [...computed].some((id) => fields.has(id));
  const { after, formulaSteps } = isRecalculated
    ? recalculate(compiled, before, now())
    : { after: before, formulaSteps: 0 };
  // Formulas share a step budget, and fields share the size of an item. A result can therefore change even if its
  // inputs are unchanged.
  const indexedFields = isRecalculated ? new Set([...fields, ...computed]) : fields;
  const json = JSON.stringify(after);
  const isChanged = json !== JSON.stringify(before);
  const updatedAt = isChanged ? Math.max(now(), item.updatedAt) : item.updatedAt;
  const timeEntries = (at: number) =>
    isChanged ? systemEntries(collection.id, { updatedAt: at }) : [];
  const entries = [...fieldEntries(collection, after, indexedFields), ...timeEntries(updatedAt)];
  const entriesToRemove = isChanged
    ? [...formerEntries(collection, before, computed), ...timeEntries(item.updatedAt)]
    : [];
  const { status } = item;
  const previousData = withoutRemovedFields(collection.definition.fields, before);
  const diff = diffStates({ data: previousData, status }, { data: after, status });
  const dataBytes = isChanged ? json.length + JSON.stringify(diff.former).length : 0;
  const bytes = JSON.stringify([entries, entriesToRemove]).length + dataBytes;
  const newData = isChanged ? json : null;
  return { entries, entriesToRemove, data: newData, updatedAt, diff, bytes, formulaSteps };
}
