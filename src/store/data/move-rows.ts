import type { DataDatabase, PreparedStatement } from "#store/db/database.ts";
import { guardRun } from "./move-guards.ts";
import { isCopy, isOfCollection, type MovedTable } from "#store/db/moved-tables.ts";
import { retryTransient } from "#store/db/retry.ts";
import { byteLength, jsonChunks } from "#store/db/statement.ts";

/** Rows of moved tables, in bounded chunks. */

export type Row = Readonly<Record<string, unknown>>;
export type Key = readonly unknown[];

type Statement = PreparedStatement<"data">;

const rowsPerChunk = 4000;
const bytesPerChunk = 1_000_000;

export const list = (names: readonly string[]) => names.map((name) => `"${name}"`).join(", ");
/** A key of several columns as a row value. */
const tuple = (names: readonly string[]) => (names.length === 1 ? list(names) : `(${list(names)})`);
const parameters = (key: Key) =>
  key.length === 1 ? "?1" : `(${key.map((_, index) => `?${index + 1}`).join(", ")})`;
const elements = (names: readonly string[]) =>
  names.map((_, index) => `value ->> ${index}`).join(", ");

export const keyOf = ({ key }: MovedTable, row: Row): Key => key.map((column) => row[column]);

/** The condition of rows after a key. A range that begins the key needs no lower bound then. */
function isAfter(table: MovedTable, collectionId: number, after: Key | null): string {
  const isOfIt = isOfCollection(table, collectionId, "included");
  return after === null ? isOfIt : `${isOfIt} and ${tuple(table.key)} > ${parameters(after)}`;
}

/** Selects the next rows of a collection, in the order of their keys. */
function selectChunk(
  db: DataDatabase,
  table: MovedTable,
  collectionId: number,
  after: Key | null,
): Statement {
  const { name, key, columns, bytes } = table;
  const sql = `select ${list(columns)} from ${name} where ${tuple(key)} in (
    select ${list(key)} from (
      select ${list(key)}, sum(bytes) over (order by ${list(key)} rows unbounded preceding) - bytes as spent from (
        select ${list(key)}, ${bytes} as bytes from ${name} where ${isAfter(table, collectionId, after)}
          order by ${list(key)} limit ${rowsPerChunk}))
    where spent < ${bytesPerChunk}) order by ${list(key)}`;
  return db.prepare<"data">(sql, after ?? []);
}

/** Loads the next rows of a collection. Empty at the end. */
export async function loadChunk(
  db: DataDatabase,
  table: MovedTable,
  collectionId: number,
  after: Key | null,
): Promise<Row[]> {
  const { results } = await retryTransient(db, () =>
    selectChunk(db, table, collectionId, after).all<Row>(),
  );
  return results;
}

/** A row as JSON takes up to twice its bytes, so large ones are bound column by column. */
const maxJsonBytes = 900_000;

/** Statements that store rows, whatever the database had with their keys. */
export function storeRows(db: DataDatabase, table: MovedTable, rows: readonly Row[]): Statement[] {
  const { name, columns } = table;
  const insert = `insert or replace into ${name} (${list(columns)})`;
  const values = rows.map((row) => columns.map((column) => row[column] ?? null));
  const large = values.filter((row) => byteLength(JSON.stringify(row)) > maxJsonBytes);
  const small = values.filter((row) => !large.includes(row));
  return [
    ...jsonChunks(small, bytesPerChunk).map((chunk) =>
      db.prepare<"data">(`${insert} select ${elements(columns)} from json_each(?1)`, [chunk]),
    ),
    ...large.map((row) =>
      db.prepare<"data">(`${insert} values (${columns.map(() => "?").join(", ")})`, row),
    ),
  ];
}

const isListed = ({ key }: MovedTable) =>
  `${tuple(key)} in (select ${elements(key)} from json_each(?1))`;

export const deleteKeys = (
  db: DataDatabase,
  table: MovedTable,
  keys: readonly Key[],
): Statement[] =>
  jsonChunks(keys).map((chunk) =>
    db.prepare<"data">(`delete from ${table.name} where ${isListed(table)}`, [chunk]),
  );

export const selectKeys = (
  db: DataDatabase,
  table: MovedTable,
  keys: readonly Key[],
): Statement[] =>
  jsonChunks(keys).map((chunk) =>
    db.prepare<"data">(
      `select ${list(table.columns)} from ${table.name} where ${isListed(table)}`,
      [chunk],
    ),
  );

const isOfAny = (table: MovedTable, collectionIds: readonly number[]) =>
  collectionIds.map((id) => `(${isOfCollection(table, id, "left out")})`).join(" or ");

/** Selects all rows of a small table. */
export const selectAll = (db: DataDatabase, table: MovedTable, ids: readonly number[]): Statement =>
  db.prepare<"data">(
    `select ${list(table.columns)} from ${table.name} where ${isOfAny(table, ids)}`,
  );

export const deleteAll = (db: DataDatabase, table: MovedTable, ids: readonly number[]): Statement =>
  db.prepare<"data">(`delete from ${table.name} where ${isOfAny(table, ids)}`);

const keyText = (key: Key) => JSON.stringify(key);
const rowText = ({ columns }: MovedTable, row: Row) =>
  JSON.stringify(columns.map((column) => row[column] ?? null));

/** Whether two sets of rows are the same, apart from the rows with these keys. */
export function areEqual(
  table: MovedTable,
  first: readonly Row[],
  second: readonly Row[],
  except: ReadonlySet<string> = new Set(),
): boolean {
  const textsOf = (rows: readonly Row[]) =>
    new Set(
      rows
        .filter((row) => !except.has(keyText(keyOf(table, row))))
        .map((row) => rowText(table, row)),
    );
  const [one, other] = [textsOf(first), textsOf(second)];
  return one.size === other.size && [...one].every((text) => other.has(text));
}

/**
 * Compares the next rows of a collection in both databases. Rows that wait in the log are left out: they are compared
 * when they are copied. Returns the last key, null at the end, and whether all are equal.
 */
export async function compareChunk(
  [source, target]: readonly [DataDatabase, DataDatabase],
  table: MovedTable,
  collectionId: number,
  after: Key | null,
): Promise<{ rows: Row[]; isEqual: boolean }> {
  const [waiting, chunk] = await retryTransient(source, () =>
    source.batch<Row>([
      source.prepare<"data">("select k1, k2, k3 from move_log where source = ?1", [table.name]),
      selectChunk(source, table, collectionId, after),
    ]),
  );
  const rows = chunk?.results ?? [];
  const { key, name, columns } = table;
  const last = rows.at(-1);
  const isUntil = last === undefined ? "" : `and ${tuple(key)} <= ${parameters(key)}`;
  const values = last === undefined ? [] : keyOf(table, last);
  const isFrom = isAfter(table, collectionId, after).replaceAll(
    /\?(\d)/g,
    (_, number: string) => `?${Number(number) + values.length}`,
  );
  const sql = `select ${list(columns)} from ${name} where ${isFrom} ${isUntil} limit ${2 * rowsPerChunk}`;
  const { results } = await retryTransient(target, () =>
    target.prepare<"data">(sql, [...values, ...(after ?? [])]).all<Row>(),
  );
  const except = new Set(
    (waiting?.results ?? []).map(({ k1, k2, k3 }) => keyText([k1, k2, k3].slice(0, key.length))),
  );
  return { rows, isEqual: areEqual(table, rows, results, except) };
}

const erasedPerStep = 4000;

/** Which copies are erased: those that no move writes to, or what this run of a move will write or has written. */
export type ErasedCopy = "unused" | { run: number };

/** Deletes some rows of a copy, which its database does not own. Returns whether more may remain. */
export async function eraseCopyStep(
  db: DataDatabase,
  table: MovedTable,
  collectionId: number,
  copy: ErasedCopy,
): Promise<boolean> {
  const { name, key } = table;
  const isMoving = `select 1 from moving where collection_id = ${collectionId}`;
  // A deletion that arrives late must not take what a later run has copied.
  const isOfRun =
    copy === "unused"
      ? `not exists (${isMoving})`
      : `exists (${isMoving} and role = 'target' and run = ${copy.run})`;
  const isErasable = `${isCopy(collectionId)} and ${isOfRun}`;
  const isOfIt = isOfCollection(table, collectionId, "left out");
  const sql = `delete from ${name} where ${tuple(key)} in (
    select ${list(key)} from ${name} where ${isOfIt} limit ${erasedPerStep}) and ${isErasable}`;
  const { meta } = await retryTransient(db, () => db.prepare<"data">(sql).run());
  return meta.changes >= erasedPerStep;
}

/** Stores copied rows, unless a later run has begun. */
export async function copyRows(
  target: DataDatabase,
  table: MovedTable,
  rows: readonly Row[],
  run: number,
): Promise<void> {
  await retryTransient(target, () =>
    target.batch([guardRun(target, "target", run), ...storeRows(target, table, rows)]),
  );
}
