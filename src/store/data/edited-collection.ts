import { and, asc, desc, eq, gt, lt, sql } from "drizzle-orm";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { type Item, sequencesPerCollection } from "#domain/item/item.ts";
import type { Database } from "#store/db/database.ts";
import { retryTransient } from "#store/db/retry.ts";
import { collection, item } from "#store/db/schema.ts";
import { dataStatement } from "#store/db/statement.ts";
import {
  type CurrentCollection,
  currentFromRow,
  selectByKey,
  type CurrentCollectionRow,
} from "./collections.ts";
import { itemColumns, itemFromRow, type ItemRow } from "./items.ts";

const sequencesPerCollectionSql = sql.raw(String(sequencesPerCollection));

const selectNewest = dataStatement<{ kind: CollectionKind; key: string }>((db, values) =>
  db
    .select(itemColumns())
    .from(collection)
    .innerJoin(
      item,
      and(
        gt(item.number, sql`${collection.id} * ${sequencesPerCollectionSql}`),
        lt(item.number, sql`(${collection.id} + 1) * ${sequencesPerCollectionSql}`),
      ),
    )
    .where(and(eq(collection.kind, values.kind), eq(collection.key, values.key)))
    .orderBy(desc(item.number))
    .limit(1),
);

/** An app that a reference can point to. */
export interface AppName {
  key: string;
  name: string;
}

const maxAppNames = 1000;

const selectAppNames = dataStatement<object>((db) =>
  db
    .select({ key: collection.key, name: collection.name })
    .from(collection)
    .where(and(gt(collection.id, 0), eq(collection.kind, "app")))
    .orderBy(asc(collection.name))
    .limit(maxAppNames),
);

/** The data for the editor of a definition. */
export interface EditedCollection {
  current: CurrentCollection;
  newestItem: Item | undefined;
  /** The apps of the same database. References can only point to these. */
  apps: AppName[];
}

/** Loads a current collection, its newest item and the apps of its database. */
export async function findForEditor(
  db: Database<"data">,
  kind: CollectionKind,
  key: string,
): Promise<EditedCollection | undefined> {
  const [collections, items, apps] = await retryTransient(db, () =>
    db.batch([
      selectByKey(db, { kind, key, id: null }),
      selectNewest(db, { kind, key }),
      selectAppNames(db, {}),
    ]),
  );
  const current = currentFromRow(
    ((collections?.results ?? []) as CurrentCollectionRow[])[0] ?? null,
    db.timeline,
  );
  const [row] = (items?.results ?? []) as ItemRow[];
  const newestItem = row && itemFromRow(row);
  return current && { current, newestItem, apps: (apps?.results ?? []) as AppName[] };
}
