import { eq, sql, type SQL } from "drizzle-orm";
import type { Progress } from "#domain/definition/collection.ts";
import {
  headColumns,
  headFromRow,
  type DefinitionHead,
  type HeadRow,
} from "#store/data/definition-head.ts";
import type { CollectionDatabase, Prepared } from "#store/db/database.ts";
import { collection, indexing } from "#store/db/schema.ts";
import { collectionStatement, dataStatement, type Builder } from "#store/db/statement.ts";

/** A collection that a search reads, as the search's own round trip found it. */
export interface SearchedHead {
  head: DefinitionHead;
  /** Newly searchable fields whose items do not all have search entries yet. */
  unindexed: UnindexedFields;
}

interface UnindexedFields extends Progress {
  ids: number[];
}

type SearchHeadRow = HeadRow & { waiting: string | null } & Record<keyof Progress, number | null>;

const selectHeads = (builder: Builder, stamps: SQL, condition: SQL) =>
  builder
    .select({
      ...headColumns(stamps),
      waiting: sql`coalesce(${indexing.newlySearchable}, ${indexing.fields})`.as("waiting"),
      done: sql`${indexing.done}`.as("done"),
      total: sql`${indexing.total}`.as("total"),
    })
    .from(collection)
    .leftJoin(indexing, eq(indexing.collectionId, collection.id))
    .where(condition);

/** Selects the collection's head. */
export const selectHead = collectionStatement<{ stamps: string }>(
  (builder, { collectionId, stamps }) =>
    selectHeads(builder, stamps, eq(collection.id, collectionId)),
);

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
): Prepared<"data"> | null {
  if (!targets || targets.ids.length === 0) return null;
  return selectTargetHeads(db, { ids: JSON.stringify(targets.ids), stamps: targets.stamps });
}

export function headsFromResult(result: D1Result | undefined): SearchedHead[] {
  const rows = (result?.results ?? []) as SearchHeadRow[];
  return rows.map(({ waiting, done, total, ...row }) => ({
    head: headFromRow(row),
    unindexed: { ids: JSON.parse(waiting ?? "[]") as number[], done: done ?? 0, total: total ?? 0 },
  }));
}
