import type { Expansion } from "#domain/search/expand.ts";
import type { LineItemRow } from "#domain/data/values.ts";
import type { Item } from "#domain/item/item.ts";
import { itemFromRow, type ItemRow } from "#store/data/items.ts";
import type { ShownBy } from "#domain/search/tree.ts";
import { SearchValues } from "./search-values.ts";
import { shownDataSql, shownMeasure } from "./parts.ts";
import { recordCostSql, seesItemSql } from "./shown.ts";
import { allowedColumn, columnNames, columns } from "./scan.ts";
import type { PageStatement } from "./batch.ts";

/**
 * A reference that a page expands: its slot in the items, and the collection of its app as far as the caller sees it.
 */
export interface ExpandedReference extends Expansion {
  collectionId: number;
  /** The view through which the caller sees the app. Null for a caller that sees all records. */
  shownBy: ShownBy | null;
}

/** A page includes at most this many records of other apps, and this many bytes of them (contract, section 18). */
export const maxIncluded = 500;
export const maxIncludedBytes = 4_000_000;

/** If the caller sees only a view of some apps, a page examines at most this many references, with at most this cost. */
export const maxExamined = 1000;
export const maxExaminedCost = 32_000_000;

/** The records that the items of a page refer to. */
export interface Included {
  records: Item[];
  /** The place, from 1, of the first item that refers to too many or too large records. Null if no item does. */
  overflow: number | null;
}

/** Joins the records of a page's first `count` items with the records of the items that follow. */
export const joinIncluded = (first: Included, rest: Included, count: number): Included => ({
  records: [...first.records, ...rest.records],
  overflow: first.overflow ?? (rest.overflow === null ? null : rest.overflow + count),
});

/** Returns the IDs that an item refers to. */
export function referencedIds(
  { data }: Pick<Item, "data">,
  expanded: readonly Pick<Expansion, "slot" | "list">[],
): string[] {
  return expanded.flatMap(({ slot, list }) => {
    const rows = list === null ? [data] : ((data[list] ?? []) as LineItemRow[]);
    return rows.flatMap((row) => (typeof row[slot] === "string" ? [row[slot]] : []));
  });
}

/**
 * Extends the statement of a page by the records that its items refer to, in any order. The caller sees all records of
 * their apps, because SQLite copies the page's statement for each table of a view. These rows have the kind
 * `included`. The statement reads 3 rows for each record. It returns more than `maxIncluded` records, or none, if not
 * all of them fit.
 */
export function withIncluded(
  { text, values }: PageStatement,
  expanded: readonly ExpandedReference[],
  keyCount: number,
): PageStatement {
  const keys = Array.from({ length: keyCount }, (_, index) => `k${index}`);
  const further = [
    ...(text.includes(allowedColumn) ? ["allowed"] : []),
    ...(text.includes("shown_bytes") ? ["shown_bytes", "hidden_bytes"] : []),
  ];
  const pageColumns = ["kind", ...keys, ...columnNames(), ...further].join(", ");
  const searchValues = new SearchValues(values);
  const records = recordsSql(expanded, searchValues);
  const { tables, from } = allRecords(expanded, records);
  const recordColumns = [
    "'included'",
    ...keys.map(() => "null"),
    columns().replace("i.data", records.data),
    ...further.map(() => "null"),
  ].join(", ");
  return searchValues.statement(`with result as materialized (${text}), ${tables}
    select ${pageColumns} from result union all select * from (select ${recordColumns} from ${from})`);
}

/** SQL for the references of all hits. */
function namesSql(expanded: readonly ExpandedReference[]): string {
  const sources = expanded.map(({ slot, list, collectionId }) =>
    list === null
      ? `select data ->> '${slot}' as id, ${collectionId} as app from result`
      : `select e.value ->> '${slot}' as id, ${collectionId} as app
          from result cross join json_each(result.data, '$."${list}"') e`,
  );
  return `select distinct id, app from (${sources.join(" union all ")}) where id is not null`;
}

interface RecordsSql {
  /** Whether the caller sees only a view of some apps. */
  isNarrow: boolean;
  /** Joins a record `i` to its name `n`. */
  join: string;
  /** Whether the caller sees the record, and an upper bound of the cost of evaluating that. */
  isSeen: string;
  cost: string;
  /** The data of a record `i` that the caller sees, and its bytes. */
  data: string;
  bytes: string;
}

/** SQL for the records that the caller sees. Records and fields that a view hides do not count as included. */
export function recordsSql(
  expanded: readonly ExpandedReference[],
  values: SearchValues,
): RecordsSql {
  const views = new Map(expanded.map(({ collectionId, shownBy }) => [collectionId, shownBy]));
  const narrow = [...views].flatMap(([id, shownBy]) => (shownBy ? [{ id, shownBy }] : []));
  const choose = (forView: (shownBy: ShownBy) => string, forAll: string) => {
    const cases = narrow.map(({ id, shownBy }) => `when ${id} then ${forView(shownBy)}`);
    return cases.length === 0 ? forAll : `case n.app ${cases.join(" ")} else ${forAll} end`;
  };
  return {
    isNarrow: narrow.length > 0,
    join: "n cross join item i on i.id = n.id and i.collection_id = n.app",
    isSeen: choose((shownBy) => seesItemSql(shownBy, values), "1"),
    cost: choose(recordCostSql, "0"),
    data: choose((shownBy) => shownDataSql(shownBy, values), "i.data"),
    bytes: choose((shownBy) => shownMeasure(shownBy, values).bytes, "octet_length(i.data)"),
  };
}

/** SQL for all records. Measures them only if they could be too large. */
function allRecords(expanded: readonly ExpandedReference[], { join, bytes }: RecordsSql) {
  const apps = [...new Set(expanded.map(({ collectionId }) => collectionId))].join(", ");
  const limit = maxIncluded + 1;
  return {
    tables: `named as not materialized (${namesSql(expanded)}), bound(count) as materialized (select case
        when (select max(largest) from tally where collection_id in (${apps})) * ${limit} <= ${maxIncludedBytes} then ${limit}
        when (select sum(${bytes}) from named ${join}) <= ${maxIncludedBytes} then ${limit}
        else 0 end)`,
    from: `named ${join} limit (select count from bound)`,
  };
}

export type IncludedRow = Omit<ItemRow, "data"> & {
  data: string | null;
  kind: string;
  k0?: unknown;
};

/** Returns the included records from the rows of a page. */
export function includedFromRows(rows: readonly IncludedRow[]): Included {
  const included = rows.filter(({ kind }) => kind === "included");
  const overflowing = included.filter(({ data }) => data === null).map(({ k0 }) => Number(k0));
  return {
    records: included.flatMap(({ data, ...row }) =>
      data === null ? [] : [itemFromRow({ ...row, data })],
    ),
    overflow: overflowing.length > 0 ? Math.min(...overflowing) : null,
  };
}

/** Whether a page without an order may lack records that its items refer to. */
export function lacksRecords(
  { records }: Included,
  items: readonly Item[],
  expanded: readonly ExpandedReference[],
): boolean {
  if (records.length > 0) return records.length > maxIncluded;
  return items.some((item) => referencedIds(item, expanded).length > 0);
}
