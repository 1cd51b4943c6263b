import { lazySql } from "#store/db/lazy.ts";
import { type CollectionDatabase } from "#store/db/database.ts";
import { sql } from "drizzle-orm";
import type { UniqueValue } from "#domain/data/index-entries.ts";
import { itemNumberRange, type Item } from "#domain/item/item.ts";
import { retryTransient } from "#store/db/retry.ts";
import { item } from "#store/db/schema.ts";
import { collectionStatement, dataStatement, placeholders } from "#store/db/statement.ts";
import { outdatedColumn, parseFieldIds, type OutdatedRow } from "./definition-head.ts";
import { itemColumns, itemFromRow, type ItemRow } from "./items.ts";

/** The items that the operations of a batch name. */
export interface ItemLookup {
  ids: readonly string[];
  /** Receipt numbers, each with the sequences that it can match. */
  receipts: readonly { receipt: string; sequences: readonly number[] }[];
  uniqueValues: readonly UniqueValue[];
}

interface ItemLookupValues {
  above: number;
  ids: string;
  receipts: string;
  uniqueValues: string;
  maxBytes: number;
  isNarrow: 0 | 1;
}

const v = placeholders<ItemLookupValues & { collectionId: number }>();

/** The numbers of all named items. Uses only point lookups. */
const matchingNumbers = lazySql(
  () => sql`(
    select i.number from json_each(${v.ids}) e join item i on i.id = e.value
    union select i.number from json_each(${v.receipts}) e
      join item i on i.number = ${v.above} + (e.value ->> 0) and i.receipt_number = e.value ->> 1
    union select u.item from json_each(${v.uniqueValues}) e
      join unique_value u on u.field = e.value ->> 0 and u.value = e.value ->> 1)`,
);

const matchingItems = lazySql(
  () => sql`number in ${matchingNumbers} and collection_id = ${v.collectionId}`,
);

const selectSize = collectionStatement<ItemLookupValues>((db) =>
  db
    .select({
      bytes: sql<number>`coalesce(sum(octet_length(data)), 0)`.as("bytes"),
      ...outdatedColumn(v.isNarrow, v.collectionId),
    })
    .from(item)
    .where(sql`${matchingItems}`),
);

/** Selects no items when all of them together exceed `maxBytes`. Checking the sizes does not read the data. */
const selectItems = collectionStatement<ItemLookupValues>((db) =>
  db
    .select(itemColumns())
    .from(item)
    .where(
      sql`${matchingItems} and (select coalesce(sum(octet_length(data)), 0) from item where ${matchingItems}) <= ${v.maxBytes}`,
    ),
);

const selectOwners = dataStatement<Pick<ItemLookupValues, "uniqueValues">>((db) =>
  db
    .select({
      field: sql<number>`u.field`.as("field"),
      value: sql<string | number>`u.value`.as("value"),
      item: sql<number>`u.item`.as("item"),
    })
    .from(
      sql`json_each(${v.uniqueValues}) e join unique_value u on u.field = e.value ->> 0 and u.value = e.value ->> 1`,
    ),
);

/** The item that has a unique value. */
interface UniqueValueOwner {
  field: number;
  value: string | number;
  item: number;
}

export interface ItemLookupResult {
  items: Item[];
  /** The items that have the named unique values. */
  owners: UniqueValueOwner[];
  /** The total size of all named items. Above the limit, `items` is empty. */
  totalBytes: number;
  /** The fields whose results are being recalculated. The items may have outdated results in them. */
  outdated: number[];
}

/**
 * Loads the items of a collection that operations name, in one round trip. Loads the fields with outdated results only
 * for callers that see a view.
 */
export async function lookUpItems(
  db: CollectionDatabase,
  { ids, receipts, uniqueValues }: ItemLookup,
  { maxBytes, isNarrow }: Pick<ItemLookupValues, "maxBytes" | "isNarrow">,
): Promise<ItemLookupResult> {
  const receiptRows = receipts.flatMap(({ receipt, sequences }) =>
    sequences.map((sequence) => [sequence, receipt]),
  );
  const values: ItemLookupValues = {
    above: itemNumberRange(db.collectionId).above,
    ids: JSON.stringify(ids),
    receipts: JSON.stringify(receiptRows),
    uniqueValues: JSON.stringify(uniqueValues),
    maxBytes,
    isNarrow,
  };
  const [size, rows, owners] = await retryTransient(db, () =>
    db.batch([selectSize(db, values), selectItems(db, values), selectOwners(db, values)]),
  );
  const [sizeRow] = (size?.results ?? []) as ({ bytes: number } & OutdatedRow)[];
  return {
    items: ((rows?.results ?? []) as ItemRow[]).map(itemFromRow),
    owners: (owners?.results ?? []) as UniqueValueOwner[],
    totalBytes: sizeRow?.bytes ?? 0,
    outdated: parseFieldIds(sizeRow?.outdated),
  };
}
