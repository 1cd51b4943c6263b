import { problem } from "#domain/problem/problem.ts";
import { eq, sql, type SQL } from "drizzle-orm";
import type { Progress } from "#domain/definition/collection.ts";
import { retryTransient } from "#store/db/retry.ts";
import { type CollectionDatabase, type PreparedStatement } from "#store/db/database.ts";
import { collection, indexing } from "#store/db/schema.ts";
import { collectionStatement, dataStatement, type Builder } from "#store/db/statement.ts";
import {
  definitionHeadColumns,
  definitionHeadFromRow,
  parseFieldIds,
  type DefinitionHead,
  type DefinitionHeadRow,
} from "#store/data/definition-head.ts";

/** Code that the batches of searches and aggregates share. */

/** A statement with at most one parameter, the JSON of its values. */
export type PageStatement = Record<"text" | "values", string>;

const selectHeads = (builder: Builder, stamps: SQL, condition: SQL) =>
  builder
    .select({
      ...definitionHeadColumns(stamps),
      waiting: sql`coalesce(${indexing.newlySearchable}, ${indexing.fields})`.as("waiting"),
      outdated: sql`${indexing.fields}`.as("outdated"),
      done: sql`${indexing.done}`.as("done"),
      total: sql`${indexing.total}`.as("total"),
    })
    .from(collection)
    .leftJoin(indexing, eq(indexing.collectionId, collection.id))
    .where(condition);

/** Selects the collection's head, with the newly searchable fields whose items still lack search entries. */
export const selectHead = collectionStatement<{ stamps: string }>(
  (builder, { collectionId, stamps }) =>
    selectHeads(builder, stamps, eq(collection.id, collectionId)),
);

const indexingSuffix = " indexing";

/**
 * SQL for a text that equals the stamp of a cached definition only if the head is `settledHead`: the definition is
 * current, and no items are waiting to be indexed.
 */
export const settledStampSql = (collectionId: number): string =>
  `(select revision || ' ' || updated_at || iif(exists (select 1 from indexing where collection_id = id), '${indexingSuffix}', '')
    from collection where id = ${collectionId})`;

export const isIndexingStamp = (stamp: string): boolean => stamp.endsWith(indexingSuffix);

/** Returns the head of a collection whose cached definition has that stamp. */
export const settledHead = (collectionId: number): SearchHead => ({
  head: { id: collectionId, freshCollection: null },
  unindexed: { ids: [], outdated: [], done: 0, total: 0 },
});

/** The collections that a search reads through references, with the stamps of their cached definitions. */
export interface PageTargets {
  ids: readonly number[];
  stamps: string;
}

const selectTargetHeads = dataStatement<{ ids: string; stamps: string }>(
  (builder, { ids, stamps }) =>
    selectHeads(builder, stamps, sql`${collection.id} in (select value from json_each(${ids}))`),
);

/** Null if the search reads no other collection. */
export function targetHeadsStatement(
  db: CollectionDatabase,
  targets: PageTargets | undefined,
): PreparedStatement<"data"> | null {
  if (!targets || targets.ids.length === 0) return null;
  return selectTargetHeads(db, { ids: JSON.stringify(targets.ids), stamps: targets.stamps });
}

export interface UnindexedFields extends Progress {
  /** Newly searchable fields whose items do not all have search entries yet. */
  ids: number[];
  /** All fields whose entries are being rebuilt or results recalculated. */
  outdated: number[];
}

/** The data that every search reads besides its matches. */
export interface SearchHead {
  head: DefinitionHead;
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

type SearchHeadRow = DefinitionHeadRow &
  Record<"waiting" | "outdated", string | null> &
  Record<keyof Progress, number | null>;

/** Reads the result of `selectHead`. */
export function headFromResult(result: D1Result | undefined): SearchHead {
  const [head] = headsFromResult(result);
  if (!head) throw problem.notFound();
  return head;
}

/** Reads the result of `targetHeadsStatement`. */
export function headsFromResult(result: D1Result | undefined): SearchHead[] {
  const rows = (result?.results ?? []) as SearchHeadRow[];
  return rows.map(({ waiting, outdated, done, total, ...headRow }) => ({
    head: definitionHeadFromRow(headRow),
    unindexed: {
      ids: parseFieldIds(waiting),
      outdated: parseFieldIds(outdated),
      done: done ?? 0,
      total: total ?? 0,
    },
  }));
}
