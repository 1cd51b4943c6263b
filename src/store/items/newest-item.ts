import { and, desc, eq, gt, lt, sql } from "drizzle-orm";
import type { CollectionKind } from "../../domain/definition/collection";
import { placesPerCollection, type Item } from "../../domain/item/item";
import { attempt } from "../db/attempt";
import { collection, item } from "../db/schema";
import { statement } from "../db/statement";
import { itemColumns, itemFromRow, type ItemRow } from "./item-row";

const selectNewest = statement<{ kind: CollectionKind; key: string }>((db, v) =>
  db
    .select(itemColumns)
    .from(collection)
    .innerJoin(
      item,
      and(
        gt(item.number, sql`${collection.id} * ${sql.raw(String(placesPerCollection))}`),
        lt(item.number, sql`(${collection.id} + 1) * ${sql.raw(String(placesPerCollection))}`),
      ),
    )
    .where(and(eq(collection.kind, v.kind), eq(collection.key, v.key)))
    .orderBy(desc(item.number))
    .limit(1),
);

/** The item of a collection that was stored last. */
export async function findNewestItem(
  db: D1Database,
  kind: CollectionKind,
  key: string,
): Promise<Item | undefined> {
  const row = await attempt(() => selectNewest(db, { kind, key }).first<ItemRow>());
  return row ? itemFromRow(row) : undefined;
}
