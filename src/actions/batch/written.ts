import type { Compiled } from "../../domain/data/compile";
import { rowsBeside, writtenData } from "../../domain/item/changed-item";
import { Problem, problem } from "../../domain/problem/problem";
import type { BatchWrite } from "../../store/batch/write";
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
  if (before) write.expected.push([before.number, before.version]);
  if (before === now) return;
  const number = (before ?? now)?.number ?? 0;
  const { entries, unique } = rowsBeside(compiled, before, now);
  for (const value of unique.released) write.released.push([number, ...value]);
  for (const value of unique.taken) write.taken.push([number, ...value]);
  for (const [field, value] of entries.removed) write.removed.push([number, field, value]);
  for (const entry of entries.added) write.added.push([number, ...entry]);
  if (!now) {
    write.deleted.push(number);
    return;
  }
  const { number: ref, id, status, version, updatedAt } = now;
  const data = writtenData(compiled, before, now);
  (before ? write.changed : write.made).push({ ref, id, status, version, updatedAt, data });
}
