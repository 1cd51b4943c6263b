import { getTableConfig, type SQLiteTable } from "drizzle-orm/sqlite-core";
import { lazy } from "#domain/lazy.ts";
import { collectionDigits, sequencesPerCollection } from "#domain/item/item.ts";
import {
  change,
  collection,
  deletedItem,
  deletion,
  erasedItem,
  erasure,
  file,
  formerDefinition,
  formerEntry,
  formerUnique,
  indexCheck,
  indexing,
  item,
  pendingChange,
  replay,
  searchEntry,
  tally,
  uniqueValue,
} from "./schema.ts";

/**
 * The only list of the tables with rows of a collection. A move copies and compares these tables, and the erasure of a
 * copy deletes their rows. A test fails if a table of the data scope is neither here nor in `tablesThatStay`.
 */

/** How a column identifies the collection. */
type Span =
  /** The number of an item, a change or a field, which starts with the collection's id. */
  | "number"
  | "id"
  /** The id of a collection, or the negative id of a deleted one. */
  | "absolute"
  /** The ID of an item. Claims of batches that were stored before moves existed have an ID without a collection. */
  | "item";

interface Declaration {
  table: SQLiteTable;
  column: string;
  span: Span;
  /** The text columns that can be large. */
  large?: readonly string[];
  /**
   * Small tables with rows that make the service work on a collection or list it. They move in the batch that makes the
   * new database the owner.
   */
  isHeld?: boolean;
  /** Whether each database deletes these rows by itself after some time, so that they may differ between both sides. */
  expires?: boolean;
}

// A move stores the index of its next table, and another version of the service may continue the move. So the order stays
// the same, and new tables come last.
const declarations = lazy((): readonly Declaration[] => [
  { table: item, column: "number", span: "number", large: ["data"] },
  { table: change, column: "number", span: "number", large: ["former", "fields"] },
  { table: searchEntry, column: "field", span: "number", large: ["value", "folded"] },
  { table: uniqueValue, column: "field", span: "number", large: ["value"] },
  {
    table: formerDefinition,
    column: "collection_id",
    span: "id",
    large: ["definition"],
  },
  { table: tally, column: "collection_id", span: "id" },
  { table: file, column: "collection_id", span: "id", large: ["name"] },
  { table: replay, column: "item_id", span: "item", large: ["answer"], expires: true },
  { table: erasedItem, column: "id", span: "item", expires: true },
  {
    table: collection,
    column: "id",
    span: "absolute",
    large: ["fields", "views", "description"],
    isHeld: true,
  },
  { table: deletion, column: "collection_id", span: "id", isHeld: true },
  { table: indexing, column: "collection_id", span: "id", isHeld: true },
  { table: pendingChange, column: "collection_id", span: "id", isHeld: true },
  { table: indexCheck, column: "collection_id", span: "id", isHeld: true },
  { table: erasure, column: "change", span: "number", isHeld: true },
  { table: formerUnique, column: "field", span: "number", isHeld: true },
  { table: formerEntry, column: "field", span: "number", isHeld: true },
  { table: deletedItem, column: "number", span: "number", large: ["data", "title"] },
]);

/** The other tables of the data scope, with the reason why they stay. */
export const tablesThatStay = {
  audit_entry: "the audit shows the entries of all databases",
  guard: "it never has rows",
  owner: "it says which database has the collection",
  moving: "the move itself",
  move_log: "the move itself",
  move_run: "the runs of any moves",
  removed_item: "for an hour, although a create is sent again within seconds",
  erased_replay: "for a minute, until KV has lost its copies, which all databases share",
  owed_erasure: "a move begins only when there are none",
  refolding: "a move begins only when there is none",
  file_sweep: "the position of a sweep in this database",
  removed_file: "IDs of objects, which all databases share, for half a day",
};

/** A table whose rows move with their collection. */
export interface MovedTable extends Omit<Declaration, "table" | "large"> {
  name: string;
  columns: readonly string[];
  key: readonly string[];
  /** SQL for the approximate bytes of a row. */
  bytes: string;
}

export const movedTables = lazy(() => declarations().map(describe));
export const copiedTables = lazy(() => movedTables().filter((table) => !table.isHeld));
export const heldTables = lazy(() => movedTables().filter((table) => table.isHeld));

function describe({ table, large = [], ...declaration }: Declaration): MovedTable {
  const { name, columns, primaryKeys } = getTableConfig(table);
  const single = columns.filter((column) => column.primary);
  const key = primaryKeys[0]?.columns ?? single;
  const sizes = large.map((column) => `coalesce(octet_length("${column}"), 0)`);
  return {
    ...declaration,
    name,
    columns: columns.map((column) => column.name),
    key: key.map((column) => column.name),
    bytes: ["100", ...sizes].join(" + "),
  };
}

const digitsOf = (column: string) => `substr(${column}, 15, 6)`;
const namedLength = 30;

/**
 * SQL for whether a row belongs to a collection. A claim without a collection may belong to any: a copy includes it, an
 * erasure does not.
 */
export function isOfCollection(
  { column, span }: MovedTable,
  collectionId: number,
  withoutName: "included" | "left out",
): string {
  switch (span) {
    case "number": {
      const first = collectionId * sequencesPerCollection;
      return `${column} >= ${first} and ${column} < ${first + sequencesPerCollection}`;
    }
    case "id":
      return `${column} = ${collectionId}`;
    case "absolute":
      return `${column} in (${collectionId}, ${-collectionId})`;
    case "item": {
      const isNamed = `${digitsOf(column)} = '${collectionDigits(collectionId)}'`;
      return withoutName === "included"
        ? `(length(${column}) <> ${namedLength} or ${isNamed})`
        : `length(${column}) = ${namedLength} and ${isNamed}`;
    }
  }
}

/** SQL for whether the database has only a copy of a collection, which a move has left or is still making. */
export const isCopy = (collectionId: string | number): string =>
  `exists (select 1 from owner o where o.collection_id = ${collectionId} and o.state = 'moved')`;

export const triggerEvents = ["insert", "update", "delete"] as const;
export const triggerName = (table: MovedTable, event: string) => `move_${table.name}_${event}`;
/** Returns the names of the triggers that exist while a collection moves. */
export const moveTriggers = (): string[] =>
  copiedTables().flatMap((table) => triggerEvents.map((event) => triggerName(table, event)));

/** SQL for whether the row `row` of a trigger belongs to a collection that moves away. */
export function isMovingAway({ column, span }: MovedTable, row: "new" | "old"): string {
  const value = `${row}.${column}`;
  const isNamed = {
    number: `collection_id = ${value} / ${sequencesPerCollection}`,
    id: `collection_id = ${value}`,
    absolute: `collection_id = abs(${value})`,
    item: `(length(${value}) <> ${namedLength} or digits = ${digitsOf(value)})`,
  };
  return `exists (select 1 from moving where role = 'source' and ${isNamed[span]})`;
}
