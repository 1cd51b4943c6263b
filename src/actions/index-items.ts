import { counted } from "#store/db/session.ts";
import type { Turn } from "#store/data/index-check.ts";
import { computedIds, fieldEntries, formerEntries, systemEntries, type SearchEntry, withoutLost } from "#domain/data/index-entries.ts";
import type { Compiled } from "#domain/data/compile.ts";
import type { Data } from "#domain/data/values.ts";
import { computeData, withoutComputed } from "#domain/formula/compute.ts";
import { differenceOf, type Difference } from "#domain/item/change.ts";
import { type Item, fitsStorage } from "#domain/item/item.ts";
import { nextIndexing, storeStep, type Indexing, type IndexingStep } from "#store/data/indexing.ts";
import { itemsInRange } from "#store/data/item-ranges.ts";
import { collectionNow } from "./collection-cache.ts";

/**
 * What one run may take: D1 takes 1,000 queries of one invocation, of which there are three such runs in some, and a row
 * holds the database for some 5 µs.
 */
const most = { queries: 250, rowsWritten: 30_000, formulaSteps: 3_000_000 };

/** What a step took beyond its queries. */
export interface Step {
  formulaSteps: number;
}

/**
 * Work that stands in a table, a step for each collection in turn, so that none waits for another's end. A collection
 * whose step fails stands aside until the next run; `failures` gets why.
 */
export async function inTurns<Work extends { collectionId: number }>(
  database: D1Database,
  next: (db: D1Database, turn: Turn) => Promise<Work | undefined>,
  take: (db: D1Database, work: Work) => Promise<Step | void>,
  failures: unknown[],
): Promise<void> {
  const { db, spent } = counted(database);
  const aside: number[] = [];
  let after = 0;
  let formulaSteps = 0;
  while (
    spent.queries < most.queries &&
    spent.rowsWritten < most.rowsWritten &&
    formulaSteps < most.formulaSteps
  ) {
    const work = await next(db, { after, aside });
    if (!work) return;
    after = work.collectionId;
    try {
      formulaSteps += (await take(db, work))?.formulaSteps ?? 0;
    } catch (error) {
      aside.push(work.collectionId);
      failures.push(error);
    }
  }
}

const itemsPerStep = 200;
/** Stored data that a step reads. */
const bytesPerStep = 2_000_000;
/** Values that the database takes out of items. */
const slotsPerStep = 20_000;
/** What a step writes; of a single item whatever it has. */
const entryBytesPerStep = 500_000;
/** Some 100 ms of formulas: nothing else runs meanwhile. */
const formulaStepsPerStep = 1_000_000;

/** Is told of each collection that some webhook listens to and whose items were recalculated. */
export type NoteChange = (collectionId: number) => void;

/** Brings search entries and computed values up to date, in bounded steps; what is left, the next run does. */
export async function indexItems(
  db: D1Database,
  failures: unknown[] = [],
  noteChange: NoteChange = () => undefined,
): Promise<void> {
  const step = (counting: D1Database, work: Indexing) => indexStep(counting, work, noteChange);
  await inTurns(db, nextIndexing, step, failures);
}

async function indexStep(db: D1Database, work: Indexing, noteChange: NoteChange): Promise<Step> {
  const compiled = await collectionNow(db, work.collectionId);
  const fields = new Set(JSON.parse(work.fields) as number[]);
  const slots = slotsOf(compiled, fields);
  const most = Math.floor(slotsPerStep / Math.max(1, slots?.length ?? 0));
  const limit = Math.max(1, Math.min(itemsPerStep, most));
  const items = await itemsInRange(db, work, { limit, bytes: bytesPerStep, slots });
  const step: IndexingStep = {
    definitionVersion: compiled.collection.version,
    revision: compiled.collection.revision,
    entries: [],
    removed: [],
    recalculated: [],
    action: compiled.collection.kind === "app" ? "record.recalculate" : "submission.recalculate",
    requestId: crypto.randomUUID(),
    to: work.last + 1,
    count: 0,
  };
  let bytes = 0;
  let formulaSteps = 0;
  for (const item of items) {
    const renewed = renewal(compiled, item, fields);
    bytes += renewed.bytes;
    formulaSteps += renewed.steps;
    if (step.count > 0 && bytes > entryBytesPerStep) break;
    const { number, version } = item;
    for (const entry of renewed.entries) step.entries.push([...entry, number, version]);
    for (const entry of renewed.removed) step.removed.push([...entry, number, version]);
    if (renewed.data !== null) {
      const { updatedAt, data, difference } = renewed;
      const { fields: changed, former } = difference;
      const values = JSON.stringify(former);
      // What would outgrow D1's parameters is told without its former values.
      const kept = fitsStorage(data + values) ? values : null;
      const told = { changedFields: JSON.stringify(changed), former: kept };
      const previous = item.lastChange;
      step.recalculated.push({ item: number, version, updatedAt, data, previous, ...told });
    }
    step.count += 1;
    step.to = number + 1;
    if (formulaSteps > formulaStepsPerStep) break;
  }
  if (await storeStep(db, work, step)) noteChange(work.collectionId);
  return { formulaSteps };
}

/** The slots that hold these fields, those of rows under their list; null where formulas need all that there is. */
function slotsOf({ collection }: Compiled, wanted: ReadonlySet<number>): string[] | null {
  const { fields } = collection.definition;
  const computed = computedIds(fields);
  if ([...wanted].some((id) => computed.has(id))) return null;
  return fields.fields
    .filter((field) => {
      const rows = field.type === "line_items" ? field.fields : [];
      return [field, ...rows].some(({ id }) => wanted.has(id));
    })
    .map(({ id }) => String(id));
}

interface Renewal {
  entries: SearchEntry[];
  removed: SearchEntry[];
  /** New data as JSON, where it is another, and the stamp of that change. */
  data: string | null;
  updatedAt: number;
  difference: Difference;
  bytes: number;
  /** What its formulas took. */
  steps: number;
}

/** What an item lacks: entries of these fields, and the values of those that are computed. */
function renewal(compiled: Compiled, item: Item, fields: ReadonlySet<number>): Renewal {
  const { collection } = compiled;
  const { data: before } = item;
  const computed = computedIds(collection.definition.fields);
  const stale = new Set([...computed].filter((id) => fields.has(id)));
  const { after, steps } =
    stale.size > 0 ? recalculated(compiled, before) : { after: before, steps: 0 };
  const written = JSON.stringify(after);
  const changed = written !== JSON.stringify(before);
  const updatedAt = changed ? Math.max(Date.now(), item.updatedAt) : item.updatedAt;
  const stamped = (at: number) => (changed ? systemEntries(collection.id, { updatedAt: at }) : []);
  const entries = [...fieldEntries(collection, after, fields), ...stamped(updatedAt)];
  const removed = changed
    ? [...formerEntries(collection, before, stale), ...stamped(item.updatedAt)]
    : [];
  const { status } = item;
  const seen = withoutLost(collection.definition.fields, before);
  const difference = differenceOf({ data: seen, status }, { data: after, status });
  const rewritten = changed ? written.length + JSON.stringify(difference.former).length : 0;
  const bytes = JSON.stringify([entries, removed]).length + rewritten;
  return { entries, removed, data: changed ? written : null, updatedAt, difference, bytes, steps };
}

/** Computed values that are too large to be stored are none. */
function recalculated(compiled: Compiled, data: Data): { after: Data; steps: number } {
  const { data: computed, steps } = computeData(compiled, data, Date.now());
  const fits = fitsStorage(JSON.stringify(computed));
  return { after: fits ? computed : withoutComputed(compiled, data), steps };
}
