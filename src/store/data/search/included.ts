import type { Expansion } from "#domain/search/expand.ts";
import type { LineItemRow } from "#domain/data/values.ts";
import type { Item } from "#domain/item/item.ts";
import { itemColumns, itemFromRow, type ItemRow } from "#store/data/items.ts";
import type { ShownBy } from "#domain/search/tree.ts";
import { SearchValues } from "./search-values.ts";
import { shownDataBytesSql, shownDataSql } from "./parts.ts";
import { recordCostSql, seesRecordSql } from "./shown.ts";
import { allowedColumn, columns } from "./scan.ts";
import type { PageStatement } from "./batch.ts";

/** A reference that a page expands: where items have it, and the collection of its app, as far as the caller sees it. */
export interface ExpandedReference extends Expansion {
  collectionId: number;
  /** Null for a caller that sees all records of the app. */
  shownBy: ShownBy | null;
}

/** A page brings at most this many records of other apps, and this many bytes of them (contract, section 18). */
export const maxIncluded = 500;
const maxIncludedBytes = 4_000_000;

/** If the caller sees only a view of some apps, a page examines at most this many references, at this cost. */
const maxExamined = 1000;
const maxExaminedCost = 32_000_000;

/** The records that the items of a page refer to. */
export interface Included {
  records: Item[];
  /** The place of the first item, from 1, that brings too many or too large records; null if none does. */
  overflow: number | null;
}

/** The records of a page that continues after its first `count` items. */
export const joinIncluded = (first: Included, rest: Included, count: number): Included => ({
  records: [...first.records, ...rest.records],
  overflow: first.overflow ?? (rest.overflow === null ? null : rest.overflow + count),
});

/** The IDs to which an item refers. */
export function referencedIds(
  { data }: Pick<Item, "data">,
  expanded: readonly Pick<Expansion, "slot" | "list">[],
): string[] {
  return expanded.flatMap(({ slot, list }) => {
    const rows = list === null ? [data] : ((data[list] ?? []) as LineItemRow[]);
    return rows.flatMap((row) => (typeof row[slot] === "string" ? [row[slot]] : []));
  });
}

/** How a page finds the records: in any order if all fit, else in the order of its first `rows` items. */
type InclusionOrder = { rows: number } | null;

/**
 * Extends the statement of a page by the records that its items refer to, which have the kind `included`. It reads 3
 * rows for each record. Without an order, more than `maxIncluded` records, or none, mean that not all of them fit.
 * With one, `k0` is the place of the first item that refers to the record, and a row without data exceeds the limits.
 */
export function withIncluded(
  { text, values }: PageStatement,
  expanded: readonly ExpandedReference[],
  keyCount: number,
  order: InclusionOrder,
): PageStatement {
  const keys = Array.from({ length: keyCount }, (_, index) => `k${index}`);
  const further = [
    ...(text.includes(allowedColumn) ? ["allowed"] : []),
    ...(text.includes("shown_bytes") ? ["shown_bytes", "hidden_bytes"] : []),
  ];
  const pageColumns = ["kind", ...keys, ...Object.keys(itemColumns()), ...further].join(", ");
  const searchValues = new SearchValues(values);
  const records = recordsSql(expanded, searchValues);
  const { tables, place, data, from } = order
    ? orderedRecords(expanded, records, order.rows)
    : allRecords(expanded, records);
  const recordColumns = [
    "'included'",
    place,
    ...keys.slice(1).map(() => "null"),
    columns().replace("i.data", data),
    ...further.map(() => "null"),
  ].join(", ");
  return searchValues.statement(`with result as materialized (${text}), ${tables}
    select ${pageColumns} from result union all select * from (select ${recordColumns} from ${from})`);
}

/** SQL for the references of all hits in a table. `extra` is another column of it. */
function namedSql(expanded: readonly ExpandedReference[], table: string, extra = ""): string {
  const sources = expanded.map(({ slot, list, collectionId }) =>
    list === null
      ? `select data ->> '${slot}' as id, ${collectionId} as app${extra} from ${table}`
      : `select e.value ->> '${slot}' as id, ${collectionId} as app${extra}
          from ${table} cross join json_each(${table}.data, '$."${list}"') e`,
  );
  return sources.join(" union all ");
}

interface RecordsSql {
  /** Whether the caller sees only a view of some apps. */
  isNarrow: boolean;
  /** Joins a record `i` to its name `n`. */
  join: string;
  /** Whether the caller sees the record, and a bound of what it costs to evaluate that. */
  isSeen: string;
  cost: string;
  /** The data that the caller sees of a record `i`, and its bytes. */
  data: string;
  bytes: string;
}

/** SQL for the records that the caller sees. Records and fields that a view hides do not count as included. */
function recordsSql(expanded: readonly ExpandedReference[], values: SearchValues): RecordsSql {
  const views = new Map(expanded.map(({ collectionId, shownBy }) => [collectionId, shownBy]));
  const narrow = [...views].flatMap(([id, shownBy]) => (shownBy ? [{ id, shownBy }] : []));
  const choose = (forView: (shownBy: ShownBy) => string, forAll: string) => {
    const cases = narrow.map(({ id, shownBy }) => `when ${id} then ${forView(shownBy)}`);
    return cases.length === 0 ? forAll : `case n.app ${cases.join(" ")} else ${forAll} end`;
  };
  return {
    isNarrow: narrow.length > 0,
    join: "n cross join item i on i.id = n.id and i.collection_id = n.app",
    isSeen: choose((shownBy) => seesRecordSql(shownBy, values), "1"),
    cost: choose(recordCostSql, "0"),
    data: choose((shownBy) => shownDataSql(shownBy, values), "i.data"),
    bytes: choose((shownBy) => shownDataBytesSql(shownBy, values), "octet_length(i.data)"),
  };
}

const namesSql = (expanded: readonly ExpandedReference[]) =>
  `select distinct id, app from (${namedSql(expanded, "result")}) where id is not null`;

/** Measures the records only if they could be too large. */
function allRecords(expanded: readonly ExpandedReference[], records: RecordsSql) {
  const { join, data, bytes } = records;
  const apps = [...new Set(expanded.map(({ collectionId }) => collectionId))].join(", ");
  const limit = maxIncluded + 1;
  // The conditions of a view are evaluated once. Without any, reading each record twice costs more.
  const seen = records.isNarrow
    ? {
        tables: seenTables(expanded, records),
        from: "seen n cross join item i on i.number = n.number",
      }
    : { tables: `named as not materialized (${namesSql(expanded)})`, from: `named ${join}` };
  return {
    tables: `${seen.tables}, bound(count) as materialized (select case
        when (select max(largest) from tally where collection_id in (${apps})) * ${limit} <= ${maxIncludedBytes} then ${limit}
        when (select sum(${bytes}) from ${seen.from}) <= ${maxIncludedBytes} then ${limit}
        else 0 end)`,
    place: "null",
    data,
    from: `${seen.from} limit (select count from bound)`,
  };
}

/**
 * The table `seen` of the records that the caller sees. It is empty if there are too many to examine. The conditions of a view
 * may be as deep as D1 accepts, so few other conditions stand beside them.
 */
const seenTables = (
  expanded: readonly ExpandedReference[],
  { join, isSeen, cost }: RecordsSql,
): string => `named as materialized (${namesSql(expanded)} limit ${maxExamined + 1}),
      examined as materialized (select i.number, n.app, ${cost} as cost from named ${join}
        where (select count(*) from named) <= ${maxExamined}),
      affordable as materialized (select * from examined where (select total(cost) from examined) <= ${maxExaminedCost}),
      seen as materialized (select i.number, n.app from affordable n cross join item i on i.number = n.number and ${isSeen}
        limit ${maxIncluded + 1})`;

function orderedRecords(expanded: readonly ExpandedReference[], records: RecordsSql, rows: number) {
  const { isNarrow, join, data, bytes } = records;
  const sized = `select i.number, n.app, n.place, ${bytes} as size from`;
  return {
    tables: `hit as materialized (select data, place from (select data, row_number() over () as place
        from result where kind = 'hit') where place <= ${rows}),
      named as materialized (select id, app, min(place) as place
        from (${namedSql(expanded, "hit", ", place")}) where id is not null group by id, app
        ${isNarrow ? `order by place, id limit ${maxExamined + 1}` : ""}),
      ${isNarrow ? examinedTables(records) : ""}
      sized as materialized (${isNarrow ? `${sized} ${seenOfExamined(records)}` : `${sized} named ${join}`}),
      counted as materialized (select number, app, place, size, row_number() over first as count, sum(size) over first as spent
        from sized window first as (order by place, number)),
      record as materialized (select number, app, place, count <= ${maxIncluded} and spent <= ${maxIncludedBytes} as fits
        from counted where count <= ${maxIncluded + 1} and spent - size <= ${maxIncludedBytes}
        ${isNarrow ? unexaminedSql : ""})`,
    place: "n.place",
    data: `iif(n.fits, ${data}, null)`,
    from: "record n left join item i on i.number = n.number",
  };
}

/** The table `examined` of the records with the first names, with what those before each one cost. */
const examinedTables = ({
  join,
  cost,
}: RecordsSql): string => `ranked as materialized (select id, app, place, row_number() over (order by place, id) as rank from named),
      examined as materialized (select number, app, place, sum(cost) over (order by rank) - cost as spent
        from (select i.number, n.app, n.place, n.rank, ${cost} as cost from ranked ${join} where n.rank <= ${maxExamined})),`;

const seenOfExamined = ({ isSeen }: RecordsSql): string =>
  `examined n cross join item i on i.number = n.number and n.spent <= ${maxExaminedCost} and ${isSeen}`;

/** The place of the first item with names that are not examined, as a record that exceeds the limits. */
const unexaminedSql = `union all select null, null, min(place), 0 from (
          select place from ranked where rank > ${maxExamined}
          union all select place from examined where spent > ${maxExaminedCost}) having min(place) is not null`;

type IncludedRow = Omit<ItemRow, "data"> & { data: string | null; kind: string; k0?: unknown };

/** Picks the included records from the rows of a page. */
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
