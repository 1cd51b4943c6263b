import { lazySql } from "#store/db/lazy.ts";
import { type CollectionDatabase } from "#store/db/database.ts";
import { asc, sql } from "drizzle-orm";
import { type Item, itemNumberRange } from "#domain/item/item.ts";
import { retryTransient } from "#store/db/retry.ts";
import { item } from "#store/db/schema.ts";
import { placeholders, dataStatement, jsonChunks } from "#store/db/statement.ts";
import { itemColumns, itemFromRow, type ItemRow } from "./items.ts";
import type { UniqueValue } from "#domain/data/index-entries.ts";
import type { NewUniqueField } from "#domain/definition/collection.ts";

/** A range of item numbers. */
export interface ItemNumberRange {
  next: number;
  last: number;
}

interface RangeStep extends ItemNumberRange {
  limit: number;
  maxBytes: number;
}

const stepValues = placeholders<RangeStep>();
const isInRangeSql = lazySql(
  () => sql`number >= ${stepValues.next} and number <= ${stepValues.last}`,
);

/**
 * The number of items that fit into the bytes of a step, but at least one. SQLite computes sizes without reading the
 * data.
 */
const fittingCountSql = lazySql(
  () => sql`(select count(*) from (
    select sum(size) over (order by number) - size as spent from (
      select number, octet_length(data) as size from item where ${isInRangeSql}
        order by number limit ${stepValues.limit}))
    where spent < ${stepValues.maxBytes})`,
);

const selectItems = dataStatement<RangeStep>((db) =>
  db
    .select(itemColumns())
    .from(item)
    .where(sql`${isInRangeSql}`)
    .orderBy(asc(item.number))
    .limit(fittingCountSql as never),
);

/** The items of a range, including those that members deleted and can restore. One statement sees each of them once. */
const allItemsSql = (): string => {
  const columns = Object.keys(itemColumns()).join(", ");
  return `with step as (
    select number, octet_length(data) as size from item where number >= ?1 and number <= ?2
    union all select number, octet_length(data) from deleted_item where number >= ?1 and number <= ?2
    order by number limit ?3),
  fitting as (select number from (select number, sum(size) over (order by number) - size as spent from step) where spent < ?4)
  select ${columns} from item where number in (select number from fitting)
  union all select ${columns} from deleted_item where number in (select number from fitting) order by number`;
};

/** Loads the next items of a range like `loadItemsInRange`, including those that members deleted and can restore. */
export async function loadAllItemsInRange(
  db: CollectionDatabase,
  { next, last }: ItemNumberRange,
  { limit, maxBytes }: { limit: number; maxBytes: number },
): Promise<Item[]> {
  const statement = db.prepare<"data">(allItemsSql(), [next, last, limit, maxBytes]);
  const { results } = await retryTransient(db, () => statement.all<ItemRow>());
  return results.map(itemFromRow);
}

/** Selects only the values of `slots` from the data. */
const selectSlots = dataStatement<RangeStep & { slots: string }>((db, v) =>
  db
    .select({
      ...itemColumns(),
      data: sql<string>`(select json_group_object(s.value, data -> ('$."' || s.value || '"'))
          from json_each(${v.slots}) s
          where data -> ('$."' || s.value || '"') is not null)`.as("data"),
    })
    .from(item)
    .where(sql`${isInRangeSql}`)
    .orderBy(asc(item.number))
    .limit(fittingCountSql as never),
);

/** The database scans an item once for each slot. Above this number, reading all data costs less. */
const maxSlots = 16;

/**
 * Loads the next items of a range, up to `limit` items and `maxBytes` of stored data. With `slots`, the data may
 * contain only their values.
 */
export async function loadItemsInRange(
  db: CollectionDatabase,
  { next, last }: ItemNumberRange,
  { limit, maxBytes, slots }: { limit: number; maxBytes: number; slots: readonly string[] | null },
): Promise<Item[]> {
  const values = { next, last, limit, maxBytes };
  const statement =
    slots && slots.length <= maxSlots
      ? selectSlots(db, { ...values, slots: JSON.stringify(slots) })
      : selectItems(db, values);
  const { results } = await retryTransient(db, () => statement.all<ItemRow>());
  return results.map(itemFromRow);
}

const selectConflicts = dataStatement<{ requested: string }>((db, v) =>
  db
    .select({
      field: sql<number>`u.field`.as("field"),
      id: sql<string>`i.id`.as("id"),
      wanting: sql<number | null>`(e.value ->> 2)`.as("wanting"),
    })
    .from(
      sql`json_each(${v.requested}) e
        cross join unique_value u on u.field = e.value ->> 0 and u.value = e.value ->> 1
        cross join item i on i.number = u.item
        where u.item is not (e.value ->> 2)`,
    ),
);

/**
 * A unique value with the number of the item that requests it. The number is null for an item that is not stored yet.
 */
export type RequestedValue = [...UniqueValue, item: number | null];

/** A field whose value another item has. */
export interface UniqueConflict {
  field: number;
  /** The other item. */
  id: string;
}

/** Finds the requested values that other items already have, in one round trip. */
export async function findUniqueConflicts(
  db: CollectionDatabase,
  values: readonly RequestedValue[],
): Promise<(UniqueConflict & { wanting: number | null })[]> {
  const statements = jsonChunks(values).map((requested) => selectConflicts(db, { requested }));
  if (statements.length === 0) return [];
  const conflictResults = await retryTransient(db, () =>
    db.batch<UniqueConflict & { wanting: number | null }>(statements),
  );
  return conflictResults.flatMap(({ results }) => results);
}

/** Finds the fields whose value an item other than `itemNumber` has. */
export function findItemConflicts(
  db: CollectionDatabase,
  uniqueValues: readonly UniqueValue[],
  itemNumber: number | null,
): Promise<UniqueConflict[]> {
  return findUniqueConflicts(
    db,
    uniqueValues.map((value) => [...value, itemNumber]),
  );
}

const selectDuplicate = dataStatement<{
  above: number;
  below: number;
  isDate: number;
  slot: string;
}>((db, v) =>
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

/** Finds up to 10 items that share a value, so that the field cannot become unique. */
export async function findDuplicate(
  db: CollectionDatabase,
  uniqueFields: readonly NewUniqueField[],
): Promise<{ key: string; items: string[] } | undefined> {
  for (const { id, key, type } of uniqueFields) {
    const values = {
      ...itemNumberRange(db.collectionId),
      slot: String(id),
      isDate: type === "date" ? 1 : 0,
    };
    const row = await retryTransient(db, () =>
      selectDuplicate(db, values).first<{ items: string }>(),
    );
    if (row) return { key, items: (JSON.parse(row.items) as string[]).slice(0, 10) };
  }
  return undefined;
}
