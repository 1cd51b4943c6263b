import type { Item } from "#domain/item/item.ts";
import type { PageStatement } from "./batch.ts";
import {
  maxExamined,
  maxExaminedCost,
  maxIncluded,
  maxIncludedBytes,
  recordsSql,
  referencedIds,
  type ExpandedReference,
  type Included,
} from "./included.ts";
import { columnNames, columns } from "./scan.ts";
import { SearchValues } from "./search-values.ts";
import { sumBefore } from "./shown.ts";

/** Reads the records of the first items of a page whose items refer to more records than fit. */

/**
 * The maximum number of names for a caller that sees all records, which need no examination. D1 limits the size of a
 * parameter.
 */
const maxNames = 20_000;

/** The ID of a record, the collection of its app, and the place, from 1, of the first item that refers to the record. */
export type RecordName = [id: string, app: number, place: number];

/** Returns the names of the records that items refer to, without duplicates, in the order of the items. */
export function namesInOrder(
  items: readonly Item[],
  expanded: readonly ExpandedReference[],
): RecordName[] {
  const names = new Map<string, RecordName>();
  for (const [index, item] of items.entries())
    for (const reference of expanded)
      for (const id of referencedIds(item, [reference])) {
        const name: RecordName = [id, reference.collectionId, index + 1];
        if (!names.has(keyOf(name))) names.set(keyOf(name), name);
      }
  return [...names.values()];
}

const keyOf = ([id, app]: RecordName): string => `${app} ${id}`;

/** Returns the names whose records one statement looks up. */
export const firstNames = (
  names: readonly RecordName[],
  expanded: readonly ExpandedReference[],
): RecordName[] =>
  names.slice(0, expanded.some(({ shownBy }) => shownBy !== null) ? maxExamined : maxNames);

/**
 * Returns the records for the items of a page, which may have changed since `names` were read. Ends before the first
 * item that refers to a record that the statement did not look up, or that exceeds the limits.
 */
export function includedFor(
  items: readonly Item[],
  expanded: readonly ExpandedReference[],
  names: readonly RecordName[],
  { records, overflow }: Included,
): Included {
  const complete = names.filter(([, , place]) => overflow === null || place < overflow);
  const keys = new Set(complete.map(keyOf));
  const missing = namesInOrder(items, expanded).find((name) => !keys.has(keyOf(name)));
  return { records, overflow: missing?.[2] ?? null };
}

/**
 * Returns the statement for the records with these names, in their order. `k0` is the place of a name. A row without
 * data exceeds the limits. No table in the statement is sorted, so SQLite reads row by row and stops at the first
 * limit.
 */
export function orderedStatement(
  names: readonly RecordName[],
  expanded: readonly ExpandedReference[],
): PageStatement {
  const values = new SearchValues();
  const { isNarrow, join, isSeen, cost, data, bytes } = recordsSql(expanded, values);
  const record = (columnsSql: string) => `select i.number, n.app, n.place, ${columnsSql}
        from (select value ->> 0 as id, value ->> 1 as app, value ->> 2 as place from ${values.table(names)}) ${join}`;
  const size = `${bytes} as size`;
  const sized = isNarrow
    ? `examined as materialized (select number, app, place, ${sumBefore("cost")} as before from (${record(`${cost} as cost`)})),
      sized as materialized (select i.number, n.app, n.place, ${size} from examined n
        cross join item i on i.number = n.number and n.before <= ${maxExaminedCost} and ${isSeen} limit ${maxIncluded + 1})`
    : `sized as materialized (${record(size)} limit ${maxIncluded + 1})`;
  const unexamined = `union all select null, null, min(place), 0 from examined where before > ${maxExaminedCost}
        having min(place) is not null`;
  return values.statement(`with ${sized},
      counted as (select number, app, place, row_number() over () as count, ${sumBefore("size")} as before, size from sized),
      record as materialized (
        select number, app, place, count <= ${maxIncluded} and before + size <= ${maxIncludedBytes} as fits
        from counted where before <= ${maxIncludedBytes} ${isNarrow ? unexamined : ""})
    select 'included' as kind, n.place as k0, ${recordColumns(data)} from record n left join item i on i.number = n.number`);
}

const recordColumns = (data: string): string =>
  columns()
    .split(", ")
    .map((column, index) => {
      const name = columnNames()[index] ?? "";
      return name === "data" ? `iif(n.fits, ${data}, null) as data` : `${column} as ${name}`;
    })
    .join(", ");
