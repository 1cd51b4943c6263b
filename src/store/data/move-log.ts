import type { MoveProblem } from "#domain/move.ts";
import type { DataDatabase, PreparedStatement } from "#store/db/database.ts";
import {
  copiedTables,
  isMovingAway,
  moveTriggers,
  triggerEvents,
  triggerName,
  type MovedTable,
} from "#store/db/moved-tables.ts";
import { retryTransient } from "#store/db/retry.ts";
import { guardRun, writeNext, type RunOrder } from "./move-guards.ts";
import {
  areEqual,
  deleteKeys,
  keyOf,
  list,
  selectKeys,
  storeRows,
  type Key,
  type Row,
} from "./move-rows.ts";

/**
 * While a collection moves, triggers of its database log the key of each row that a statement inserts, updates or
 * deletes. So the copy follows every statement of every version of the service, including deletions.
 */

function triggerSql(table: MovedTable, event: (typeof triggerEvents)[number]): string {
  const note = (row: "new" | "old") => {
    const key = [0, 1, 2].map((index) =>
      table.key[index] ? `${row}."${table.key[index]}"` : "null",
    );
    return `insert into move_log (source, k1, k2, k3) select '${table.name}', ${key.join(", ")} where ${isMovingAway(table, row)}`;
  };
  const isSameKey = table.key.map((column) => `old."${column}" is new."${column}"`).join(" and ");
  const notes = {
    insert: [note("new")],
    delete: [note("old")],
    update: [note("new"), `${note("old")} and not (${isSameKey})`],
  };
  return `create trigger if not exists ${triggerName(table, event)} after ${event} on ${table.name}
    begin ${notes[event].map((statement) => `${statement};`).join(" ")} end`;
}

export const createTriggers = (db: DataDatabase): PreparedStatement<"data">[] =>
  copiedTables().flatMap((table) =>
    triggerEvents.map((event) => db.prepare<"data">(triggerSql(table, event))),
  );

/**
 * SQL for whether triggers are missing, so that the database does not log all changes. A version of the service that
 * does not number its batches can remove the triggers of a later move if D1 runs its batch late.
 */
export function lacksTriggers(): string {
  const names = moveTriggers().map((name) => `'${name}'`);
  return `(select count(*) from sqlite_schema where type = 'trigger' and name in (${names.join(", ")})) < ${names.length}`;
}

/** @throws UnequalCopyError if changes may have been missed. */
export async function requireTriggers(db: DataDatabase): Promise<void> {
  const statement = db.prepare<"data">(`select ${lacksTriggers()} as lacks`);
  const row = await retryTransient(db, () => statement.first<{ lacks: number }>());
  if (row?.lacks !== 0) throw new UnequalCopyError("move_log");
}

/** Removes the triggers and their notes. */
export async function dropTriggers(db: DataDatabase, order: RunOrder): Promise<void> {
  const drops = moveTriggers().map((name) => db.prepare<"data">(`drop trigger if exists ${name}`));
  await writeNext(db, order, [...drops, db.prepare<"data">("delete from move_log")]);
}

const maxNotes = 1000;
const maxBytes = 1_000_000;

interface Note {
  number: number;
  source: string;
  k1: unknown;
  k2: unknown;
  k3: unknown;
  bytes: number | null;
}

/** Selects the oldest notes, with the bytes of their rows. */
function selectNotes(db: DataDatabase): PreparedStatement<"data"> {
  const bytesOf = copiedTables().map(({ name, key, bytes }) => {
    const isRow = key.map((column, index) => `t."${column}" = l.k${index + 1}`).join(" and ");
    return `when '${name}' then (select ${bytes} from ${name} t where ${isRow})`;
  });
  return db.prepare<"data">(
    `select number, source, k1, k2, k3, case source ${bytesOf.join(" ")} end as bytes
      from move_log l order by number limit ${maxNotes}`,
  );
}

/** Returns the number of notes that wait to be copied, up to `limit`. */
export async function countLoggedChanges(db: DataDatabase, limit: number): Promise<number> {
  const statement = db.prepare<"data">(
    `select count(*) as notes from (select 1 from move_log limit ${limit})`,
  );
  const row = await retryTransient(db, () => statement.first<{ notes: number }>());
  return row?.notes ?? 0;
}

/** Returns the first notes whose rows fit into one step. */
function takeNotes(notes: readonly Note[]): Note[] {
  let spent = 0;
  const tooMany = notes.findIndex(({ bytes }, index) => {
    spent += bytes ?? 0;
    return index > 0 && spent > maxBytes;
  });
  return notes.slice(0, tooMany === -1 ? notes.length : tooMany);
}

/** Returns the logged keys of each table, without duplicates. */
function keysByTable(notes: readonly Note[]): { table: MovedTable; keys: Key[] }[] {
  return copiedTables().flatMap((table) => {
    const keys = new Map<string, Key>();
    for (const { source, k1, k2, k3 } of notes) {
      if (source !== table.name) continue;
      const key = [k1, k2, k3].slice(0, table.key.length);
      keys.set(JSON.stringify(key), key);
    }
    return keys.size === 0 ? [] : [{ table, keys: [...keys.values()] }];
  });
}

const selectNoted = (db: DataDatabase, { name, key, columns }: MovedTable, through: number) =>
  db.prepare<"data">(
    `select ${list(columns)} from ${name} where (${list(key)}) in (
      select ${key.map((_, index) => `k${index + 1}`).join(", ")} from move_log where number <= ?1 and source = ?2)`,
    [through, name],
  );

/** Thrown when a copy differs from its source. The move ends. */
export class UnequalCopyError extends Error {
  constructor(table: string) {
    super(`${"unequal_copy" satisfies MoveProblem} ${table}`);
  }
}

/**
 * Copies the rows of the oldest notes and compares the copies. Deletes rows that no longer exist in the source. Returns
 * the number of copied notes.
 * @throws UnequalCopyError
 */
export async function applyLoggedChanges(
  [source, target]: readonly [DataDatabase, DataDatabase],
  order: RunOrder,
): Promise<number> {
  const { results } = await retryTransient(source, () => selectNotes(source).all<Note>());
  const notes = takeNotes(results);
  const last = notes.at(-1);
  if (!last) return 0;
  const tables = keysByTable(notes);
  const loadedRows = await retryTransient(source, () =>
    source.batch<Row>(tables.map(({ table }) => selectNoted(source, table, last.number))),
  );
  await storeNoted(
    target,
    tables.map((noted, index) => ({ ...noted, rows: loadedRows[index]?.results ?? [] })),
    order,
  );
  await writeNext(source, order, [
    guardRun(source, "source", order.run),
    source.prepare<"data">("delete from move_log where number <= ?1", [last.number]),
  ]);
  return notes.length;
}

interface NotedRows {
  table: MovedTable;
  keys: readonly Key[];
  rows: readonly Row[];
}

/** Stores the rows of all tables in one batch, because writes are frozen while the last notes are copied. */
async function storeNoted(
  target: DataDatabase,
  noted: readonly NotedRows[],
  order: RunOrder,
): Promise<void> {
  const currentRows = noted.map(({ table, keys, rows }) => {
    // Skips rows that were stored between the two reads, because the log contains a later note for them.
    const isNoted = new Set(keys.map((key) => JSON.stringify(key)));
    return rows.filter((row) => isNoted.has(JSON.stringify(keyOf(table, row))));
  });
  const reads = noted.map(({ table, keys }) => selectKeys(target, table, keys));
  const results = await writeNext<Row>(target, order, [
    guardRun(target, "target", order.run),
    ...noted.flatMap(({ table, keys }, index) => [
      ...deleteKeys(target, table, keys),
      ...storeRows(target, table, currentRows[index] ?? []),
    ]),
    ...reads.flat(),
  ]);
  const storedResults = results.slice(results.length - reads.flat().length);
  for (const [index, { table }] of noted.entries()) {
    const rows = storedResults
      .splice(0, reads[index]?.length ?? 0)
      .flatMap((result) => result.results);
    if (!areEqual(table, currentRows[index] ?? [], rows)) throw new UnequalCopyError(table.name);
  }
}
