import type { Compiled } from "../../domain/data/compile";
import { possibleEntries, searchEntries } from "../../domain/data/search-entries";
import { uniqueValues } from "../../domain/data/unique-values";
import type { Item } from "../../domain/item/item";
import {
  refuseShownTooLarge,
  refuseTooLarge,
  refuseTooManyEntries,
} from "../../domain/item/item-size";
import { viewOf } from "../../domain/item/item-view";
import { Problem, problem } from "../../domain/problem/problem";
import type { BatchWrite, WrittenItem } from "../../store/batch/write";
import { without } from "../items/update-item";
import type { Simulation, Touched } from "./simulation";

/** What one batch may change in the search index; one item may as much as it does alone. */
const mostEntries = 60_000;

/**
 * What is to be stored of what operations have made of their items; refuses what would be too large: an item, or all of
 * them together.
 */
export function writtenBy(
  compiled: Compiled,
  { touched, steps, opens, more }: Simulation,
  now: number,
  batchId: string,
  refuse: (item: Touched, refusal: Problem) => void,
): BatchWrite {
  const { kind, id, version, revision, definition } = compiled.collection;
  const write: BatchWrite = {
    collectionId: id,
    revision,
    definitionVersion: version,
    batchId,
    now,
    receiptPrefix: kind === "app" ? definition.receipt_prefix : null,
    opens,
    more,
    expected: [],
    released: [],
    taken: [],
    removed: [],
    added: [],
    made: [],
    changed: [],
    deleted: [],
    changes: steps.map(({ item, action, version: made, difference }) => ({
      ref: item.last.number,
      id: item.last.id,
      action,
      version: made,
      fields: JSON.stringify(difference.fields),
      former:
        item.now === null || action.endsWith(".create") ? null : JSON.stringify(difference.former),
    })),
  };
  for (const [index, each] of touched.entries()) {
    try {
      add(write, compiled, each);
    } catch (refusal) {
      if (!(refusal instanceof Problem)) throw refusal;
      refuse(each, refusal);
    }
    if (index > 0 && write.added.length + write.removed.length > mostEntries) {
      throw problem.batchTooManyEntries(mostEntries);
    }
  }
  return write;
}

function add(write: BatchWrite, compiled: Compiled, { before, now }: Touched): void {
  const { collection } = compiled;
  if (before) write.expected.push([before.number, before.version]);
  if (before === now) return;
  const number = (before ?? now)?.number ?? 0;
  const held = before ? uniqueValues(collection, before.data, before.status) : [];
  const holds = now ? uniqueValues(collection, now.data, now.status) : [];
  const possible = before ? possibleEntries(collection, before.data, before) : [];
  const has = now ? entriesOf(compiled, before, now) : [];
  for (const value of without(held, holds)) write.released.push([number, ...value]);
  const taken = collection.pending ? holds : without(holds, held);
  for (const value of taken) write.taken.push([number, ...value]);
  for (const [field, value] of without(possible, has)) write.removed.push([number, field, value]);
  for (const entry of has) write.added.push([number, ...entry]);
  if (!now) write.deleted.push(number);
  else (before ? write.changed : write.made).push(rowOf(compiled, before, now));
}

/** The database gives what is made its times and its receipt number, and their entries. */
function entriesOf({ collection }: Compiled, before: Item | null, now: Item) {
  const { id, status } = now;
  const entries = searchEntries(collection, now.data, before ? now : { id, status });
  refuseTooManyEntries(entries, before ? searchEntries(collection, before.data, before).length : 0);
  return entries;
}

function rowOf(compiled: Compiled, before: Item | null, item: Item): WrittenItem {
  const data = JSON.stringify(item.data);
  refuseTooLarge(data);
  refuseShownTooLarge(viewOf(item, compiled).data, () =>
    before ? viewOf(before, compiled).data : {},
  );
  const { number: ref, id, status, version, updatedAt } = item;
  return { ref, id, status, version, updatedAt, data };
}
