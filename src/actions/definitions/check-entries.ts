import type { Compiled } from "../../domain/data/compile";
import { searchEntries } from "../../domain/data/search-entries";
import type { Item } from "../../domain/item/item";
import {
  entriesToCheck,
  nextIndexCheck,
  storeCheckStep,
  type IndexCheck,
} from "../../store/definitions/index-check";
import { inTurns } from "./in-turns";
import { collectionNow } from "./known-collections";

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
