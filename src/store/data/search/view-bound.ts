import type { ItemParts } from "#domain/data/compile.ts";
import type { ShownBy } from "#domain/search/tree.ts";
import { findViewBound, pairBytes } from "#domain/search/view-bound.ts";
import { balancedSql, rowCountSql } from "./cost.ts";
import { layoutOf, notInSql } from "./parts.ts";
import type { SearchValues } from "./search-values.ts";

/** SQL for the rule that a view contains no item that is too large for its conditions. `ItemSizes` is the rule in TypeScript. */

/** The cost per byte of measuring an item, and of measuring one whose rows have visible and other columns. */
const measuringByteCost = 5;
const rowMeasuringByteCost = 60;

/** SQL for the bytes of a value `d` with its key. Numbers have different texts in SQL, and are short. */
const pairBytesSql = `octet_length(d.key) + ${pairBytes} + iif(d.type in ('text', 'array', 'object'), octet_length(d.value), 0)`;

/**
 * SQL for a table of the fields of an item `i`: their `bytes`, and whether they are hidden. Columns of divided lists count
 * separately.
 */
function pairsSql(parts: ItemParts, values: SearchValues): string {
  const { names, dividedLists } = layoutOf(parts);
  const select = (key: string) =>
    `select ${notInSql(key, values.list(names))} as is_hidden, ${pairBytesSql} as bytes`;
  const fields = `${select("d.key")} from json_each(i.data) d`;
  if (dividedLists.length === 0) return fields;
  const lists = values.list(dividedLists);
  return `${fields} where ${notInSql("d.key", lists)} union all ${select("l.key || '.' || d.key")}
    from json_each(i.data) l cross join json_each(l.value) r cross join json_each(r.value) d where l.key in ${lists}`;
}

/** SQL for whether the cost of the view on an item `i` is within the limit. Null if every item is. */
function fitsViewSql({ conditions, parts }: ShownBy, values: SearchValues): string | null {
  const bound = findViewBound(conditions);
  if (bound === null) return null;
  const { perByte, lists, maxPerByte, maxCost } = bound;
  const [shown, hidden] = ([true, false] as const).map((isShown) => {
    const entries = lists
      .filter(({ slot }) => parts.shown.has(slot) === isShown)
      .map((list) => `${rowCountSql(list.slot)} * ${list.cost}`);
    return balancedSql("+", [
      `total(iif(is_hidden = ${!isShown}, bytes, 0)) * ${perByte}`,
      ...entries,
    ]);
  });
  const fits = `select max(${shown}, ${hidden}) <= ${maxCost} from (${pairsSql(parts, values)})`;
  // SQLite gets the size of the data without reading it. Few items are so large that it has to measure the parts.
  return `iif(octet_length(i.data) * ${maxPerByte} <= ${maxCost}, 1, (${fits}))`;
}

/** SQL that is `matches`, the SQL of the view's conditions, for items within the limit, and 0 for all others. */
export function withinViewSql(shownBy: ShownBy, values: SearchValues, matches: string): string {
  const fits = fitsViewSql(shownBy, values);
  return fits === null ? matches : `iif(${fits}, ${matches}, 0)`;
}

/** SQL that is `cost`, the SQL of the cost of the view, for items within the limit. Others are only measured. */
export function viewCostSql(shownBy: ShownBy, values: SearchValues, cost: string): string {
  const fits = fitsViewSql(shownBy, values);
  if (fits === null) return cost;
  const perByte =
    layoutOf(shownBy.parts).dividedLists.length > 0 ? rowMeasuringByteCost : measuringByteCost;
  return `iif(${fits}, ${cost}, octet_length(i.data) * ${perByte})`;
}
