import { copiedTables, movedTables, type MovedTable } from "#store/db/moved-tables.ts";
import { countLoggedChanges, applyLoggedChanges, UnequalCopyError } from "#store/data/move-log.ts";
import {
  compareChunk,
  copyRows,
  eraseCopyStep,
  type ErasedCopy,
  keyOf,
  loadChunk,
  type Row,
} from "#store/data/move-rows.ts";
import type { DataDatabase } from "#store/db/database.ts";
import type { MovePosition } from "#store/home/moves.ts";
import type { MoveRun } from "./move-run.ts";

// Copies, compares and erases the rows of a move, in bounded steps.

/** Processes one chunk of a table and returns its rows. */
type ProcessChunk = (
  table: MovedTable,
  collectionId: number,
  after: unknown[] | null,
) => Promise<Row[]>;

/** Applies logged changes until fewer than `maxChanges` are left. Returns false if time runs out first. */
export async function copyLoggedChanges(
  { source, both, order }: MoveRun,
  hasTime: () => boolean,
  maxChanges: number,
): Promise<boolean> {
  while (hasTime()) {
    if ((await countLoggedChanges(source, maxChanges)) < maxChanges) return true;
    await applyLoggedChanges(both, order);
  }
  return false;
}

/** The maximum number of logged changes at the start of a comparison, which reads all of them. */
const maxLoggedChanges = 2000;

/** The number of chunks after which the position is saved. A killed run repeats at most these. */
const chunksPerSave = 5;

/**
 * Visits the remaining rows of all collections, and applies logged changes in between, so that the log stays short. Returns
 * false if time runs out first.
 */
async function visitRows(
  run: MoveRun,
  hasTime: () => boolean,
  processChunk: ProcessChunk,
): Promise<boolean> {
  const tables = copiedTables();
  let position: MovePosition = run.move.position ?? { collection: 0, table: 0, after: null };
  let { done: itemsDone } = run.move;
  for (let chunks = 1; ; chunks += 1) {
    const collection = run.move.collections[position.collection];
    const table = tables[position.table];
    if (!collection) {
      await run.save({ position: null, done: itemsDone });
      return true;
    }
    if (table) {
      const rows = await processChunk(table, collection.id, position.after);
      const last = rows.at(-1);
      if (table.name === "item") itemsDone += rows.length;
      position = last
        ? { ...position, after: [...keyOf(table, last)] }
        : { ...position, table: position.table + 1, after: null };
    } else position = { collection: position.collection + 1, table: 0, after: null };
    if (chunks % chunksPerSave > 0 && hasTime()) continue;
    await applyLoggedChanges(run.both, run.order);
    await run.save({ position, done: itemsDone });
    if (!hasTime()) return false;
  }
}

/** Copies all rows. Returns false if time runs out first. */
export function copyAll(run: MoveRun, hasTime: () => boolean): Promise<boolean> {
  return visitRows(run, hasTime, async (table, collectionId, after) => {
    const rows = await loadChunk(run.source, table, collectionId, after);
    if (rows.length > 0) await copyRows(run.target, table, rows, run.order);
    return rows;
  });
}

/** Compares all rows. Returns false if time runs out first. @throws UnequalCopyError */
export function compareAll(run: MoveRun, hasTime: () => boolean): Promise<boolean> {
  return visitRows(run, hasTime, async (table, collectionId, after) => {
    await copyLoggedChanges(run, hasTime, maxLoggedChanges);
    const { rows, isEqual } = await compareChunk(run.both, table, collectionId, after);
    if (!isEqual && !table.expires) throw new UnequalCopyError(table.name);
    return rows;
  });
}

/** Erases the rows of the collections from a database that does not own them. Returns false if time runs out first. */
export async function eraseCopies(
  run: MoveRun,
  db: DataDatabase,
  copy: ErasedCopy,
  hasTime: () => boolean,
): Promise<boolean> {
  const tables = movedTables();
  let position: MovePosition = run.move.position ?? { collection: 0, table: 0, after: null };
  for (let steps = 1; ; steps += 1) {
    const collection = run.move.collections[position.collection];
    const table = tables[position.table];
    if (!collection) break;
    if (!table) position = { collection: position.collection + 1, table: 0, after: null };
    else if (!(await eraseCopyStep(db, table, collection.id, copy, run.order)))
      position = { ...position, table: position.table + 1 };
    if (steps % stepsPerSave > 0 && hasTime()) continue;
    await run.save({ position });
    if (!hasTime()) return false;
  }
  await run.save({ position: null });
  return true;
}

const stepsPerSave = 20;
