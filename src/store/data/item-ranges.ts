import { asc, sql } from "drizzle-orm";
import { type Item, numbersOf } from "#domain/item/item.ts";
import { attempt } from "#store/db/retry.ts";
import { item } from "#store/db/schema.ts";
import { parameters, statement, runsOf } from "#store/db/statement.ts";
import { itemColumns, itemFromRow, type ItemRow } from "./items.ts";
import type { UniqueValue } from "#domain/data/index-entries.ts";
import type { Gained } from "#domain/definition/collection.ts";

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

const findTaken = statement<{ wanted: string }>((db, v) =>
  db
    .select({
      field: sql<number>`u.field`.as("field"),
      id: sql<string>`i.id`.as("id"),
      wanting: sql<number | null>`(e.value ->> 2)`.as("wanting"),
    })
    .from(
      sql`json_each(${v.wanted}) e
        cross join unique_value u on u.field = e.value ->> 0 and u.value = e.value ->> 1
        cross join item i on i.number = u.item
        where u.item is not (e.value ->> 2)`,
    ),
);

/** A unique value, and the number of the item that is to have it; any other where it is not stored yet. */
export type Wanted = [...UniqueValue, item: number | null];

/** A field whose value another item has. */
export interface Taken {
  field: number;
  /** The other item. */
  id: string;
}

/** Which of these values others have than the items that want them, in one round trip. */
export async function takenAmong(
  db: D1Database,
  all: readonly Wanted[],
): Promise<(Taken & { wanting: number | null })[]> {
  const asked = runsOf(all).map((wanted) => findTaken(db, { wanted }));
  if (asked.length === 0) return [];
  const found = await attempt(() => db.batch<Taken & { wanting: number | null }>(asked));
  return found.flatMap(({ results }) => results);
}

/** The fields among `unique` whose value another item than `self` has. */
export function takenValues(
  db: D1Database,
  unique: readonly UniqueValue[],
  self: number | null,
): Promise<Taken[]> {
  return takenAmong(
    db,
    unique.map((value) => [...value, self]),
  );
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
