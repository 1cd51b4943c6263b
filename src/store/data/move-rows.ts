import type { DataDatabase, PreparedStatement } from "#store/db/database.ts";
import { guardRun, writeNext, type RunOrder } from "./move-guards.ts";
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
/** SQL for a key as a row value if it has several columns. */
const tuple = (names: readonly string[]) => (names.length === 1 ? list(names) : `(${list(names)})`);
const parameters = (key: Key) =>
  key.length === 1 ? "?1" : `(${key.map((_, index) => `?${index + 1}`).join(", ")})`;
const elements = (names: readonly string[]) =>
  names.map((_, index) => `value ->> ${index}`).join(", ");

export const keyOf = ({ key }: MovedTable, row: Row): Key => key.map((column) => row[column]);

/** SQL for the rows of a collection after a key. If the key is null, for all rows. */
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

/** Loads the next rows of a collection. Returns an empty list at the end. */
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

/** A row as JSON takes up to twice its bytes, so large rows are bound column by column. */
const maxJsonBytes = 900_000;

/** Statements that store rows and replace existing rows with the same keys. */
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

/** Whether two sets of rows are the same. */
export function areEqual(
  table: MovedTable,
  first: readonly Row[],
  second: readonly Row[],
): boolean {
  const textsOf = (rows: readonly Row[]) => new Set(rows.map((row) => rowText(table, row)));
  const [one, other] = [textsOf(first), textsOf(second)];
  return one.size === other.size && [...one].every((text) => other.has(text));
}

/**
 * Compares the next rows of a collection in both databases. Ignores rows in the log, which are compared when they are
 * copied. Returns the rows of the source, an empty list at the end, and whether all rows are equal.
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
  const keys = rows.map((row) => keyOf(table, row));
  const noted = (waiting?.results ?? []).map(({ k1, k2, k3 }) =>
    [k1, k2, k3].slice(0, table.key.length),
  );
  const isNoted = new Set(noted.map(keyText));
  const expected = rows.filter((_, index) => !isNoted.has(keyText(keys[index] ?? [])));
  // The target may have any number of logged rows of any size, so this selects only one row that neither the source nor
  // the log has.
  const reads = [
    selectKeys(
      target,
      table,
      expected.map((row) => keyOf(table, row)),
    ),
    [selectOther(target, table, collectionId, { after, until: keys.at(-1) }, [...keys, ...noted])],
  ].flat();
  const results = await retryTransient(target, () => target.batch<Row>(reads));
  const storedRows = results.flatMap((result) => result.results);
  return { rows, isEqual: areEqual(table, expected, storedRows) };
}

/** Selects a row between two keys whose key is not among `known`. */
function selectOther(
  db: DataDatabase,
  table: MovedTable,
  collectionId: number,
  { after, until }: { after: Key | null; until: Key | undefined },
  known: readonly Key[],
): Statement {
  const { name, key, columns } = table;
  const values: unknown[] = [...(after ?? [])];
  const bind = (value: unknown) => `?${values.push(value)}`;
  const upTo = until?.map(bind).join(", ");
  const isUntil = upTo === undefined ? "" : `and (${list(key)}) <= (${upTo})`;
  const isOther = jsonChunks(known).map(
    (chunk) => `and ${tuple(key)} not in (select ${elements(key)} from json_each(${bind(chunk)}))`,
  );
  const sql = `select ${list(columns)} from ${name} where ${isAfter(table, collectionId, after)} ${isUntil}
    ${isOther.join(" ")} limit 1`;
  return db.prepare<"data">(sql, values);
}

const erasedPerStep = 4000;

/** The copies to erase: those that no move writes to, or the one that this run writes to. */
export type ErasedCopy = "unused" | { run: number };

/** Deletes some rows of a copy that the database does not own. Returns whether more may remain. */
export async function eraseCopyStep(
  db: DataDatabase,
  table: MovedTable,
  collectionId: number,
  copy: ErasedCopy,
  order: RunOrder,
): Promise<boolean> {
  const { name, key } = table;
  const isMoving = `select 1 from moving where collection_id = ${collectionId}`;
  // A late deletion must not delete rows that a later run has copied.
  const isOfRun =
    copy === "unused"
      ? `not exists (${isMoving})`
      : `exists (${isMoving} and role = 'target' and run = ${copy.run})`;
  const isErasable = `${isCopy(collectionId)} and ${isOfRun}`;
  const isOfIt = isOfCollection(table, collectionId, "left out");
  const sql = `delete from ${name} where ${tuple(key)} in (
    select ${list(key)} from ${name} where ${isOfIt} limit ${erasedPerStep}) and ${isErasable}`;
  const [erased] = await writeNext(db, order, [db.prepare<"data">(sql)]);
  return (erased?.meta.changes ?? 0) >= erasedPerStep;
}

/** Stores copied rows. */
export async function copyRows(
  target: DataDatabase,
  table: MovedTable,
  rows: readonly Row[],
  order: RunOrder,
): Promise<void> {
  await writeNext(target, order, [
    guardRun(target, "target", order.run),
    ...storeRows(target, table, rows),
  ]);
}
