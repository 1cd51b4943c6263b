import { copiedTables, movedTables, type MovedTable } from "#store/db/moved-tables.ts";
import { countNotes, followStep, UnequalCopyError } from "#store/data/move-log.ts";
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

/** The long work of a move on all rows, in bounded steps. */

/** What may happen to one chunk. Returns the rows that it dealt with. */
type DoChunk = (table: MovedTable, collectionId: number, after: unknown[] | null) => Promise<Row[]>;

/** Follows the changes until fewer notes are left. Returns whether that is so. */
export async function catchUp(
  { source, both, move }: MoveRun,
  hasTime: () => boolean,
  maxNotes: number,
): Promise<boolean> {
  while (hasTime()) {
    if ((await countNotes(source, maxNotes)) < maxNotes) return true;
    await followStep(both, move.run);
  }
  return false;
}

/** A comparison reads all notes. */
const maxComparedNotes = 2000;

/** The answers that a killed run may lose: so many chunks are done again. */
const chunksPerSave = 5;

/**
 * Goes on through all rows of all collections. Follows the changes meanwhile, so that they do not pile up. Returns whether
 * all are done.
 */
async function visitRows(run: MoveRun, hasTime: () => boolean, doChunk: DoChunk): Promise<boolean> {
  const tables = copiedTables();
  let position: MovePosition = run.move.position ?? { collection: 0, table: 0, after: null };
  let { done } = run.move;
  for (let chunks = 1; ; chunks += 1) {
    const collection = run.move.collections[position.collection];
    const table = tables[position.table];
    if (!collection) {
      await run.save({ position: null, done });
      return true;
    }
    if (table) {
      const rows = await doChunk(table, collection.id, position.after);
      const last = rows.at(-1);
      if (table.name === "item") done += rows.length;
      position = last
        ? { ...position, after: [...keyOf(table, last)] }
        : { ...position, table: position.table + 1, after: null };
    } else position = { collection: position.collection + 1, table: 0, after: null };
    if (chunks % chunksPerSave > 0 && hasTime()) continue;
    await followStep(run.both, run.move.run);
    await run.save({ position, done });
    if (!hasTime()) return false;
  }
}

/** Copies all rows. Returns whether all are done. */
export function copyAll(run: MoveRun, hasTime: () => boolean): Promise<boolean> {
  return visitRows(run, hasTime, async (table, collectionId, after) => {
    const rows = await loadChunk(run.source, table, collectionId, after);
    if (rows.length > 0) await copyRows(run.target, table, rows, run.move.run);
    return rows;
  });
}

/** Compares all rows. Returns whether all are done. @throws UnequalCopyError */
export function compareAll(run: MoveRun, hasTime: () => boolean): Promise<boolean> {
  return visitRows(run, hasTime, async (table, collectionId, after) => {
    await catchUp(run, hasTime, maxComparedNotes);
    const { rows, isEqual } = await compareChunk(run.both, table, collectionId, after);
    if (!isEqual && !table.expires) throw new UnequalCopyError(table.name);
    return rows;
  });
}

/** Erases what a database has of the collections without owning them. Returns whether nothing is left. */
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
    else if (!(await eraseCopyStep(db, table, collection.id, copy)))
      position = { ...position, table: position.table + 1 };
    if (steps % stepsPerSave > 0 && hasTime()) continue;
    await run.save({ position });
    if (!hasTime()) return false;
  }
  await run.save({ position: null });
  return true;
}

const stepsPerSave = 20;
