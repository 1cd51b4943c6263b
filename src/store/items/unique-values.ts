import { eq, sql } from "drizzle-orm";
import type { UniqueValue } from "../../domain/data/unique-values";
import type { Gained } from "../../domain/definition/collection";
import { numbersOf } from "../../domain/item/item";
import { attempt } from "../db/attempt";
import { item, uniqueValue } from "../db/schema";
import { statement } from "../db/statement";

const findTaken = statement<{ item: number | null; unique: string }>((db, v) =>
  db
    .select({ field: uniqueValue.field, id: item.id })
    .from(uniqueValue)
    .innerJoin(item, eq(item.number, uniqueValue.item))
    .where(
      sql`(${uniqueValue.field}, ${uniqueValue.value}) in (select e.value ->> 0, e.value ->> 1 from json_each(${v.unique}) e)
        and ${uniqueValue.item} is not ${v.item}`,
    ),
);

/** A field whose value another item has. */
export interface Taken {
  field: number;
  /** The other item. */
  id: string;
}

/** The fields among `unique` whose value another item than `self` has. */
export async function takenValues(
  db: D1Database,
  unique: readonly UniqueValue[],
  self: number | null,
): Promise<Taken[]> {
  const values = { unique: JSON.stringify(unique), item: self };
  const { results } = await attempt(() => findTaken(db, values).all<Taken>());
  return results;
}

const selectDuplicate = statement<{ above: number; below: number; isDate: number; slot: string }>(
  (db, v) =>
    db
      .select({ items: sql<string>`json_group_array(id)`.as("items") })
      .from(item)
      .where(
        sql`number > ${v.above} and number < ${v.below}
        and data ->> ${v.slot} is not null and status is not 'draft'`,
      )
      .groupBy(sql`case when ${v.isDate} then substr(data ->> ${v.slot}, 1, 10)
      else data ->> ${v.slot} end`)
      .having(sql`count(*) > 1`)
      .limit(1),
);

/** The items, at most 10, that share one of the values that keep a field from becoming unique. */
export async function findDuplicate(
  db: D1Database,
  collectionId: number,
  gained: readonly Gained[],
): Promise<{ key: string; items: string[] } | undefined> {
  for (const { id, key, type } of gained) {
    const values = {
      ...numbersOf(collectionId),
      slot: String(id),
      isDate: type === "date" ? 1 : 0,
    };
    const row = await attempt(() => selectDuplicate(db, values).first<{ items: string }>());
    if (row) return { key, items: (JSON.parse(row.items) as string[]).slice(0, 10) };
  }
  return undefined;
}
