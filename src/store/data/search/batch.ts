import { eq, sql } from "drizzle-orm";
import type { Progress } from "#domain/definition/collection.ts";
import { retryTransient } from "#store/db/retry.ts";
import { type CollectionDatabase, type PreparedStatement } from "#store/db/database.ts";
import { collection, indexing } from "#store/db/schema.ts";
import { collectionStatement } from "#store/db/statement.ts";
import {
  definitionHeadColumns,
  definitionHeadFromRow,
  type DefinitionHead,
  type DefinitionHeadRow,
} from "#store/data/definition-head.ts";

/** The parts that the batches of searches and aggregates share. */

/** A statement with at most one parameter, the JSON of its values. */
export type PageStatement = Record<"text" | "values", string>;

/** The collection's head, with the newly searchable fields whose items still lack search entries. */
export const selectHead = collectionStatement<{ stamps: string }>(
  (builder, { collectionId, stamps }) =>
    builder
      .select({
        ...definitionHeadColumns(stamps),
        waiting: sql`coalesce(${indexing.newlySearchable}, ${indexing.fields})`.as("waiting"),
        done: sql`${indexing.done}`.as("done"),
        total: sql`${indexing.total}`.as("total"),
      })
      .from(collection)
      .leftJoin(indexing, eq(indexing.collectionId, collection.id))
      .where(eq(collection.id, collectionId)),
);

export interface UnindexedFields extends Progress {
  ids: number[];
}

/** What every search reads besides its matches. */
export interface SearchHead {
  head: DefinitionHead;
  /** Newly searchable fields whose items do not all have search entries yet. */
  unindexed: UnindexedFields;
}

/** Runs the statements that are not null. Each result has the index of its statement. */
export async function runOptionalBatch(
  db: CollectionDatabase,
  statements: readonly (PreparedStatement<"data"> | null)[],
): Promise<(D1Result | undefined)[]> {
  const presentStatements = statements.filter((statement) => statement !== null);
  const results = await retryTransient(db, () => db.batch(presentStatements));
  return statements.map((statement) =>
    statement === null ? undefined : results[presentStatements.indexOf(statement)],
  );
}

/** D1 rejects a parameter without a placeholder. */
export function preparePageStatement(
  db: CollectionDatabase,
  { text, values }: PageStatement,
): PreparedStatement<"data"> {
  return db.prepare(text, text.includes("?1") ? [values] : []);
}

type SearchHeadRow = DefinitionHeadRow & { waiting: string | null } & Record<
    keyof Progress,
    number | null
  >;

/** Reads the result of `selectHead`. */
export function headFromResult(result: D1Result | undefined): SearchHead {
  const [row] = (result?.results ?? []) as SearchHeadRow[];
  if (!row) throw new Error("A collection is gone, though collections are never deleted.");
  const { waiting, done, total, ...headRow } = row;
  const ids = JSON.parse(waiting ?? "[]") as number[];
  return {
    head: definitionHeadFromRow(headRow),
    unindexed: { ids, done: done ?? 0, total: total ?? 0 },
  };
}
