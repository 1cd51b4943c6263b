import type { Expansion } from "#domain/search/expand.ts";
import type { Item } from "#domain/item/item.ts";
import { itemColumns, itemFromRow, type ItemRow } from "#store/data/items.ts";
import { allowedColumn, columns } from "./scan.ts";
import type { PageStatement } from "./page.ts";

/** A reference that a page expands: where items have it, and the collection of its app. */
export interface ExpandedReference extends Expansion {
  collectionId: number;
}

/** A page brings at most this many records of other apps, and this many bytes of them (contract, section 18). */
export const maxIncluded = 500;
const maxIncludedBytes = 4_000_000;

const columnNames = Object.keys(itemColumns);

/** The records that the items of a page refer to. */
export interface Included {
  /** Each with the place of the first item that refers to it. */
  records: { item: Item; place: number }[];
  /** The place of the first item that brings too many or too large records; null if none does. */
  overflow: number | null;
}

/**
 * Extends the statement of a page by the records that its first `rows` items refer to. These have the kind `included`,
 * and the place of their first item in `k0`. One more row without data is the first record that exceeds the limits.
 */
export function withIncluded(
  { text, values }: PageStatement,
  expanded: readonly ExpandedReference[],
  keyCount: number,
  rows: number,
): PageStatement {
  const keys = Array.from({ length: keyCount }, (_, index) => `k${index}`);
  const hasAllowed = text.includes(allowedColumn);
  const pageColumns = ["kind", ...keys, ...columnNames, ...(hasAllowed ? ["allowed"] : [])];
  const recordColumns = columns.replace("i.data", "iif(r.fits, i.data, null)");
  const includedColumns = [
    "'included'",
    "r.place",
    ...keys.slice(1).map(() => "null"),
    recordColumns,
    ...(hasAllowed ? ["null"] : []),
  ];
  const references = expanded.map(({ slot, list, collectionId }) =>
    list === null
      ? `select data ->> '${slot}' as id, ${collectionId} as app, place from hit`
      : `select e.value ->> '${slot}', ${collectionId}, place
          from hit cross join json_each(hit.data, '$."${list}"') e`,
  );
  return {
    values,
    text: `with result as materialized (${text}),
      hit as materialized (select data, place from (
        select data, row_number() over () as place from result where kind = 'hit') where place <= ${rows}),
      named(id, app, place) as materialized (select id, app, min(place) from (
        ${references.join(" union all ")}) where id is not null group by id),
      sized as materialized (select i.number, n.place, octet_length(i.data) as size
        from named n cross join item i on i.id = n.id where i.collection_id = n.app),
      counted as materialized (select number, place, size, row_number() over first as n, sum(size) over first as spent
        from sized window first as (order by place, number)),
      r as materialized (select number, place, n <= ${maxIncluded} and spent <= ${maxIncludedBytes} as fits
        from counted where n <= ${maxIncluded + 1} and spent - size <= ${maxIncludedBytes})
    select ${pageColumns.join(", ")} from result
    union all
    select ${includedColumns.join(", ")} from r cross join item i on i.number = r.number`,
  };
}

type IncludedRow = Omit<ItemRow, "data"> & { data: string | null; kind: string; k0?: unknown };

/** Picks the included records from the rows of a page. */
export function includedFromRows(rows: readonly IncludedRow[]): Included {
  const included = rows.filter(({ kind }) => kind === "included");
  const overflowing = included.filter(({ data }) => data === null).map(({ k0 }) => Number(k0));
  return {
    records: included.flatMap(({ data, k0, ...row }) =>
      data === null ? [] : [{ item: itemFromRow({ ...row, data }), place: Number(k0) }],
    ),
    overflow: overflowing.length > 0 ? Math.min(...overflowing) : null,
  };
}
