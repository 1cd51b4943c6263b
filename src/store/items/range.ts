import { asc, sql } from "drizzle-orm";
import type { Item } from "../../domain/item/item";
import { attempt } from "../db/attempt";
import { item } from "../db/schema";
import { parameters, statement } from "../db/statement";
import { itemColumns, itemFromRow, type ItemRow } from "./item-row";

/** A run of items by their numbers. */
export interface Range {
  next: number;
  last: number;
}

interface Step extends Range {
  limit: number;
  bytes: number;
}

const ahead = parameters<Step>();
const range = sql`number >= ${ahead.next} and number <= ${ahead.last}`;

/** As many items as are within the bytes of a step, one at the least; their sizes are told without reading them. */
const fitting = sql`(select count(*) from (
    select sum(size) over (order by number) - size as spent from (
      select number, octet_length(data) as size from item where ${range}
        order by number limit ${ahead.limit}))
    where spent < ${ahead.bytes})`;

const selectItems = statement<Step>((db) =>
  db
    .select(itemColumns)
    .from(item)
    .where(range)
    .orderBy(asc(item.number))
    .limit(fitting as never),
);

/** Of the data only the values of `slots`, taken out by the database. */
const selectParts = statement<Step & { slots: string }>((db, v) =>
  db
    .select({
      ...itemColumns,
      data: sql<string>`(select json_group_object(s.value, data -> ('$."' || s.value || '"'))
          from json_each(${v.slots}) s
          where data -> ('$."' || s.value || '"') is not null)`.as("data"),
    })
    .from(item)
    .where(range)
    .orderBy(asc(item.number))
    .limit(fitting as never),
);

/** The database looks through an item for each slot; more of them than this cost more than reading all there is. */
const mostSlots = 16;

/**
 * The next items of a range, at most `limit` of them and `bytes` of stored data; with all data, or no less than these slots
 * of it.
 */
export async function itemsInRange(
  db: D1Database,
  { next, last }: Range,
  { limit, bytes, slots }: { limit: number; bytes: number; slots: readonly string[] | null },
): Promise<Item[]> {
  const values = { next, last, limit, bytes };
  const bound =
    slots && slots.length <= mostSlots
      ? selectParts(db, { ...values, slots: JSON.stringify(slots) })
      : selectItems(db, values);
  const { results } = await attempt(() => bound.all<ItemRow>());
  return results.map(itemFromRow);
}
