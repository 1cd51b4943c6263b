import { and, desc, eq, gt, lt, sql } from "drizzle-orm";
import type { CollectionKind } from "../../domain/definition/collection";
import { placesPerCollection, type Item } from "../../domain/item/item";
import { attempt } from "../db/attempt";
import { collection, item } from "../db/schema";
import { statement } from "../db/statement";
import type { CollectionNow } from "../definitions/collection-now";
import { nowOf, selectByKey, type NowRow } from "../definitions/collections";
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

/** A collection as it is now, and the item that was stored last in it. */
export async function findWithNewestItem(
  db: D1Database,
  kind: CollectionKind,
  key: string,
): Promise<{ now: CollectionNow; newest: Item | undefined } | undefined> {
  const [found, items] = await attempt(() =>
    db.batch([selectByKey(db, { kind, key, id: null }), selectNewest(db, { kind, key })]),
  );
  const now = nowOf(((found?.results ?? []) as NowRow[])[0] ?? null);
  const [row] = (items?.results ?? []) as ItemRow[];
  return now && { now, newest: row && itemFromRow(row) };
}
