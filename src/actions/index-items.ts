import { entriesOf } from "../domain/data/search-entries";
import { findCollectionById } from "../store/collections";
import {
  itemsToIndex,
  nextIndexing,
  storeStep,
  type Indexing,
  type IndexingStep,
} from "../store/indexing";

const itemsPerStep = 200;
/** A step's entries travel in one parameter, of which D1 takes 2 MB. */
const bytesPerStep = 500_000;
const stepsPerRun = 200;

/** Brings search entries up to date, in bounded steps; what is left, the next run does. */
export async function indexItems(db: D1Database): Promise<void> {
  for (let step = 0; step < stepsPerRun; step += 1) {
    const work = await nextIndexing(db);
    if (!work) return;
    await indexStep(db, work);
  }
}

async function indexStep(db: D1Database, work: Indexing): Promise<void> {
  const now = await findCollectionById(db, work.collectionId);
  if (!now) return;
  const { collection } = now;
  const items = await itemsToIndex(db, work, itemsPerStep);
  const fields = new Set(JSON.parse(work.fields) as number[]);
  const step: IndexingStep = {
    definitionVersion: collection.version,
    entries: [],
    to: work.last + 1,
    count: 0,
  };
  let bytes = 0;
  for (const { number, version, data } of items) {
    const entries = entriesOf(collection, data, fields);
    bytes += JSON.stringify(entries).length;
    if (step.count > 0 && bytes > bytesPerStep) break;
    for (const entry of entries) step.entries.push([...entry, number, version]);
    step.count += 1;
    step.to = number + 1;
  }
  if (step.count === items.length && items.length < itemsPerStep) step.to = work.last + 1;
  await storeStep(db, work, step);
}
