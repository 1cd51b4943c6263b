import { and, eq, sql, type SQL } from "drizzle-orm";
import type { CollectionKind } from "../../domain/definition/collection";
import { attempt } from "../db/attempt";
import { collection, indexing, pendingChange, tally } from "../db/schema";
import { statement, type Parameters } from "../db/statement";
import { headColumns, headFromRow, type CollectionName, type HeadRow } from "./head";
import type { CollectionNow, Pending, PendingChange } from "./collection-now";

export interface NowRow extends HeadRow {
  live: number;
  largest: number;
  indexed_fields: string | null;
  indexed: number | null;
  to_index: number | null;
  change: string | null;
  seen: number | null;
  to_see: number | null;
  problem: string | null;
}

const selectNow = (condition: (values: Parameters<CollectionName>) => SQL | undefined) =>
  statement<CollectionName>((db, values) =>
    db
      .select({
        ...headColumns(sql`'{}'`),
        pending: sql`iif(${pendingChange.problem} is null, ${pendingChange.change}, null)`.as(
          "pending",
        ),
        live: tally.live,
        largest: tally.largest,
        indexed_fields: sql`${indexing.fields}`.as("indexed_fields"),
        indexed: sql`${indexing.done}`.as("indexed"),
        to_index: sql`${indexing.total}`.as("to_index"),
        change: pendingChange.change,
        seen: sql`${pendingChange.done}`.as("seen"),
        to_see: sql`${pendingChange.total}`.as("to_see"),
        problem: pendingChange.problem,
      })
      .from(collection)
      .innerJoin(tally, eq(tally.collectionId, collection.id))
      .leftJoin(indexing, eq(indexing.collectionId, collection.id))
      .leftJoin(pendingChange, eq(pendingChange.collectionId, collection.id))
      .where(condition(values)),
  );

export const selectByKey = selectNow((v) =>
  and(eq(collection.kind, v.kind), eq(collection.key, v.key)),
);
const selectById = selectNow((v) => eq(collection.id, v.id));

export async function findCollection(
  db: D1Database,
  kind: CollectionKind,
  key: string,
): Promise<CollectionNow | undefined> {
  return nowOf(await attempt(() => selectByKey(db, { kind, key, id: null }).first<NowRow>()));
}

export async function findCollectionById(
  db: D1Database,
  id: number,
): Promise<CollectionNow | undefined> {
  return nowOf(await attempt(() => selectById(db, { kind: "app", key: "", id }).first<NowRow>()));
}

export function nowOf(row: NowRow | null): CollectionNow | undefined {
  const fresh = row && headFromRow(row).fresh;
  if (!fresh) return undefined;
  const { indexed_fields: fields, indexed: done, to_index: total } = row;
  return {
    ...fresh,
    pending: pendingOf(row),
    largest: row.largest,
    live: row.live,
    indexing:
      fields === null || done === null || total === null
        ? null
        : { fields: JSON.parse(fields) as number[], done, total },
  };
}

function pendingOf({ change, seen, to_see: total, problem }: NowRow): Pending | null {
  if (change === null || seen === null || total === null) return null;
  return {
    done: seen,
    total,
    problem: problem === null ? null : (JSON.parse(problem) as Record<string, unknown>),
    change: JSON.parse(change) as PendingChange,
  };
}
