import { type CollectionDatabase } from "#store/db/database.ts";
import { sql } from "drizzle-orm";
import type { UniqueValue } from "#domain/data/index-entries.ts";
import { itemNumberRange, type Item } from "#domain/item/item.ts";
import { retryTransient } from "#store/db/retry.ts";
import { dataStatement } from "#store/db/statement.ts";
import type { ShownBy } from "#domain/search/tree.ts";
import { parseFieldIds } from "./definition-head.ts";
import { itemFromRow, type ItemRow } from "./items.ts";
import { preparePageStatement, type PageStatement } from "./search/batch.ts";
import { matchesRowSql, selectGivenRowIds, type GivenRowId } from "./row-ids.ts";
import { columns } from "./search/scan.ts";
import { SearchValues } from "./search/search-values.ts";
import { seesItemSql } from "./search/shown.ts";

/** The items that the operations of a batch name. */
export interface ItemLookup {
  ids: readonly string[];
  /** Receipt numbers, each with the sequences that it can match. */
  receipts: readonly { receipt: string; sequences: readonly number[] }[];
  uniqueValues: readonly UniqueValue[];
  /** The IDs of imported rows. They also name the later items of these rows. */
  rowIds: readonly string[];
}

const selectOwners = dataStatement<{ uniqueValues: string }>((db, v) =>
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
  givenRowIds: GivenRowId[];
  /** The total size of the items that the lookup finds. Above the limit, `items` is empty. */
  totalBytes: number;
  /** The fields whose results are being recalculated. The items may have outdated results in them. */
  outdated: number[];
}

interface LookupOptions {
  maxBytes: number;
  /** Whether to load the fields with outdated results. */
  isNarrow: boolean;
  /** Finds only the items that a caller sees through this view, so that hidden items are not loaded. */
  shownBy: ShownBy | null;
}

type LookupRow = { total: number; outdated: string | null } & (ItemRow | { number: null });

/** Loads the items of a collection that operations name, in one round trip. Uses only point lookups. */
export async function lookUpItems(
  db: CollectionDatabase,
  names: ItemLookup,
  options: LookupOptions,
): Promise<ItemLookupResult> {
  const uniqueValues = JSON.stringify(names.uniqueValues);
  const rowIds = JSON.stringify(names.rowIds);
  const [rows, owners, givenRowIds] = await retryTransient(db, () =>
    db.batch([
      preparePageStatement(db, lookupStatement(db.collectionId, names, options)),
      selectOwners(db, { uniqueValues }),
      ...(names.rowIds.length > 0 ? [selectGivenRowIds(db, { rowIds })] : []),
    ]),
  );
  const itemRows = (rows?.results ?? []) as LookupRow[];
  const [{ total, outdated } = { total: 0, outdated: null }] = itemRows;
  const fits = total <= options.maxBytes;
  return {
    items: itemRows.flatMap((row) => (fits && row.number !== null ? [itemFromRow(row)] : [])),
    owners: (owners?.results ?? []) as UniqueValueOwner[],
    givenRowIds: (givenRowIds?.results ?? []) as GivenRowId[],
    totalBytes: total,
    outdated: parseFieldIds(outdated),
  };
}

/** Measures the items before it reads them. The first row exists even without items. */
function lookupStatement(
  collectionId: number,
  { ids, receipts, uniqueValues, rowIds }: ItemLookup,
  { maxBytes, isNarrow, shownBy }: LookupOptions,
): PageStatement {
  const values = new SearchValues();
  const { above } = itemNumberRange(collectionId);
  const receiptRows = receipts.flatMap(({ receipt, sequences }) =>
    sequences.map((sequence) => [sequence, receipt]),
  );
  const items = `select i.number, octet_length(i.data) as bytes from named n cross join item i on i.number = n.number
      where i.collection_id = ${collectionId}`;
  // Without a limit, because one that hidden items can reach would show that they exist.
  const seen = shownBy ? ` and ${seesItemSql(shownBy, values)}` : "";
  const outdated = isNarrow
    ? `(select fields from indexing where collection_id = ${collectionId})`
    : "null";
  const data = `iif(s.total <= ${maxBytes}, i.data, null) as data`;
  return values.statement(`with named(number) as materialized (
      select i.number from ${values.table(ids)} e cross join item i on i.id = e.value
      union select i.number from ${values.table(receiptRows)} e
        cross join item i on i.number = ${above} + (e.value ->> 0) and i.receipt_number = e.value ->> 1
      union select u.item from ${values.table(uniqueValues)} e
        cross join unique_value u on u.field = e.value ->> 0 and u.value = e.value ->> 1
      union select i.number from ${values.table(rowIds)} e cross join item i on ${matchesRowSql("i.id", "e.value")}),
    seen as materialized (${items}${seen}),
    size(total, outdated) as materialized (select coalesce(sum(bytes), 0), ${outdated} from seen)
    select s.total, s.outdated, ${columns().replace("i.data", data)}
      from size s left join seen n on true left join item i on i.number = n.number`);
}
