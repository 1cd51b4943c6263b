import { sql } from "drizzle-orm";
import type { DataDatabase, Databases } from "./handles.ts";
import { isCopy } from "./moved-tables.ts";
import { retryTransient } from "./retry.ts";

/** A row about a collection. */
export interface PlacedRow {
  /** 1 if its database owns the collection, 0 if it has only the copy that a move leaves. */
  isOwn: number;
}

/** The column `isOwn` of a row about a collection. `collectionId` is SQL for the id of the collection. */
export const isOwnColumn = (collectionId: string) =>
  sql<number>`not ${sql.raw(isCopy(collectionId))}`.as("isOwn");

/**
 * The lists of several databases. For some seconds after a move, the former database still lists the collection, so the
 * rows are only accessible in merged form.
 */
export class Lists<Row extends PlacedRow> {
  readonly #lists: readonly (readonly Row[])[];

  constructor(lists: readonly (readonly Row[])[]) {
    this.#lists = lists;
  }

  /**
   * Merges the rows of all lists. Of several rows with one name, it returns the owner's. Sorts several lists again if
   * `compare` is given. A single list keeps the order of its database.
   */
  merge(
    nameOf: (row: Row) => unknown,
    compare?: (one: Row, other: Row) => number,
  ): Omit<Row, "isOwn">[] {
    const rows = new Map<unknown, Row>();
    for (const row of this.#lists.flat()) {
      const name = nameOf(row);
      const previous = rows.get(name);
      if (previous === undefined || row.isOwn > previous.isOwn) rows.set(name, row);
    }
    const mergedRows = [...rows.values()];
    const sorted = compare && this.#lists.length > 1 ? mergedRows.toSorted(compare) : mergedRows;
    return sorted.map((placed) => {
      const { isOwn: _, ...row } = placed;
      return row;
    });
  }
}

/** Compares names like `collate nocase` does in most cases: ignores the case of Latin letters. */
export function compareNames(one: { name: string }, other: { name: string }): number {
  const [first, second] = [one, other].map(({ name }) => name.toLowerCase()) as [string, string];
  return first < second ? -1 : Number(first > second);
}

/** Reads a list from every database that may have collections. */
export async function listEach<Row extends PlacedRow>(
  databases: Pick<Databases, "dataDatabases">,
  select: (db: DataDatabase) => PromiseLike<readonly Row[]>,
): Promise<Lists<Row>> {
  const lists = databases.dataDatabases().map((db) => retryTransient(db, async () => select(db)));
  return new Lists(await Promise.all(lists));
}
