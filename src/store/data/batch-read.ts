import { sql } from "drizzle-orm";
import type { CollectionKind } from "#domain/definition/collection.ts";
import type { UniqueValue } from "#domain/data/index-entries.ts";
import { numbersOf, type Item } from "#domain/item/item.ts";
import { attempt } from "#store/db/retry.ts";
import { item } from "#store/db/schema.ts";
import { parameters, statement } from "#store/db/statement.ts";
import { itemColumns, itemFromRow, type ItemRow } from "./items.ts";

/** How the operations of a batch name the items that they are about. */
export interface Named {
  ids: readonly string[];
  /** Receipt numbers, with the places that each can stand for. */
  receipts: readonly { receipt: string; places: readonly number[] }[];
  unique: readonly UniqueValue[];
}

interface NamedValues {
  collectionId: number;
  above: number;
  ids: string;
  receipts: string;
  unique: string;
  bytes: number;
}

const v = parameters<NamedValues>();

/** The numbers of all that are named; point look-ups only. */
const named = sql`(
    select i.number from json_each(${v.ids}) e join item i on i.id = e.value
    union select i.number from json_each(${v.receipts}) e
      join item i on i.number = ${v.above} + (e.value ->> 0) and i.receipt_number = e.value ->> 1
    union select u.item from json_each(${v.unique}) e
      join unique_value u on u.field = e.value ->> 0 and u.value = e.value ->> 1)`;

const own = sql`number in ${named} and collection_id = ${v.collectionId}`;

const selectSize = statement<NamedValues>((db) =>
  db
    .select({ bytes: sql<number>`coalesce(sum(octet_length(data)), 0)`.as("bytes") })
    .from(item)
    .where(own),
);

/** Nothing where all of them together are too large: their sizes are told without reading them. */
const selectNamed = statement<NamedValues>((db) =>
  db
    .select(itemColumns)
    .from(item)
    .where(
      sql`${own} and (select coalesce(sum(octet_length(data)), 0) from item where ${own}) <= ${v.bytes}`,
    ),
);

const selectTaken = statement<Pick<NamedValues, "unique">>((db) =>
  db
    .select({
      field: sql<number>`u.field`.as("field"),
      value: sql<string | number>`u.value`.as("value"),
      item: sql<number>`u.item`.as("item"),
    })
    .from(
      sql`json_each(${v.unique}) e join unique_value u on u.field = e.value ->> 0 and u.value = e.value ->> 1`,
    ),
);

/** An item that has a unique value. */
export interface Holder {
  field: number;
  value: string | number;
  item: number;
}

/** Who has which of these values. */
export async function readHolders(
  db: D1Database,
  unique: readonly UniqueValue[],
): Promise<Holder[]> {
  const values = { unique: JSON.stringify(unique) };
  const { results } = await attempt(() => selectTaken(db, values).all<Holder>());
  return results;
}

export interface NamedItems {
  items: Item[];
  /** Who has which of the unique values. */
  holders: Holder[];
  /** The bytes of all that are named; beyond the limit, there are no items. */
  bytes: number;
}

/** The items of a collection that operations name, in one round trip. */
export async function readNamed(
  db: D1Database,
  { id }: { kind: CollectionKind; id: number },
  { ids, receipts, unique }: Named,
  bytes: number,
): Promise<NamedItems> {
  const places = receipts.flatMap(({ receipt, places: all }) => all.map((at) => [at, receipt]));
  const values: NamedValues = {
    collectionId: id,
    above: numbersOf(id).above,
    ids: JSON.stringify(ids),
    receipts: JSON.stringify(places),
    unique: JSON.stringify(unique),
    bytes,
  };
  const [size, rows, holders] = await attempt(() =>
    db.batch([selectSize(db, values), selectNamed(db, values), selectTaken(db, values)]),
  );
  const [found] = (size?.results ?? []) as { bytes: number }[];
  return {
    items: ((rows?.results ?? []) as ItemRow[]).map(itemFromRow),
    holders: (holders?.results ?? []) as Holder[],
    bytes: found?.bytes ?? 0,
  };
}
