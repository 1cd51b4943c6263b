import type { ItemParts } from "#domain/data/compile.ts";
import type { ShownBy } from "#domain/search/tree.ts";
import { findViewBound, pairBytes, type ViewBound } from "#domain/search/view-bound.ts";
import { balancedSql, rowCountSql } from "./cost.ts";
import { layoutOf, notInSql } from "./parts.ts";
import type { SearchValues } from "./search-values.ts";

/** SQL for the rule that a view contains no item that is too large for its conditions. `ItemSizes` is the rule in TypeScript. */

/** The cost per byte of measuring an item, and of measuring one whose rows have visible and other columns. */
const measuringByteCost = 5;
const rowMeasuringByteCost = 60;
/** The cost of measuring one value of a row, besides its bytes. */
const pairCost = 500;

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

/** The maximum number of values in an item within the limit. Each has a key of at least one letter. */
const maxPairs = ({ perByte, maxCost }: ViewBound): number =>
  Math.floor((2 * maxCost) / perByte / (1 + pairBytes));

/** SQL for whether an item of `bytes` is so small that it fits the view. */
const isSmallSql = ({ maxPerByte, maxCost }: ViewBound, bytes: string) =>
  `${bytes} * ${maxPerByte} <= ${maxCost}`;

/** Whether an item can be too large for the caller's view. */
export const mayBeTooLarge = (shownBy: ShownBy | null): boolean =>
  shownBy !== null && findViewBound(shownBy.conditions) !== null;

/** SQL for whether the cost of the view on an item `i` is within the limit. */
function fitsViewSql(
  bound: ViewBound,
  parts: ItemParts,
  values: SearchValues,
  tooLarge: string | null,
): string {
  const { perByte, lists, maxCost } = bound;
  const [shown, hidden] = ([true, false] as const).map((isShown) => {
    const entries = lists
      .filter(({ slot }) => parts.shown.has(slot) === isShown)
      .map((list) => `${rowCountSql(list.slot)} * ${list.cost}`);
    return balancedSql("+", [
      `total(iif(is_hidden = ${!isShown}, bytes, 0)) * ${perByte}`,
      ...entries,
    ]);
  });
  // With more values than the limit, one of the parts is too large.
  const pairs = `${pairsSql(parts, values)} limit ${maxPairs(bound) + 1}`;
  const measured = `(select max(${shown}, ${hidden}) <= ${maxCost} from (${pairs}))`;
  const known = notInSql("i.number", `(select value from json_each(${tooLarge}))`);
  const ifKnown = tooLarge === null ? "" : `when ${tooLarge} is not null then ${known}`;
  // SQLite gets the size of the data without reading it. Few items are so large that it has to measure the parts.
  return `case when ${isSmallSql(bound, "octet_length(i.data)")} then 1 ${ifKnown} else ${measured} end`;
}

/**
 * SQL that is `matches`, the SQL of the view's conditions, for items within the limit, and `otherwise` for all others.
 * `tooLarge` is SQL for the JSON of the numbers of these others, or for null while they are unknown.
 */
export function withinViewSql(
  { conditions, parts }: ShownBy,
  values: SearchValues,
  matches: string,
  { tooLarge = null, otherwise = 0 }: { tooLarge?: string | null; otherwise?: 0 | -1 } = {},
): string {
  const bound = findViewBound(conditions);
  if (bound === null) return matches;
  return `iif(${fitsViewSql(bound, parts, values, tooLarge)}, ${matches}, ${otherwise})`;
}

/**
 * SQL for the cost of evaluating the view on an item of `bytes`. `cost` is the cost of its conditions. It is zero for
 * items beyond the limit, for which `seen` is negative (`judgedSql`). These are only measured.
 */
export function viewCostSql(
  { conditions, parts }: ShownBy,
  cost: string,
  { seen, bytes }: { seen: string; bytes: string },
): string {
  const bound = findViewBound(conditions);
  if (bound === null) return cost;
  const isDivided = layoutOf(parts).dividedLists.length > 0;
  const all = `${bytes} * ${isDivided ? rowMeasuringByteCost : measuringByteCost}`;
  const most = `${maxPairs(bound) * pairCost} + ${bytes} * ${measuringByteCost}`;
  const measuring = isDivided ? `min(${all}, ${most})` : all;
  return `(iif(${seen} < 0, 0, ${cost}) + iif(${isSmallSql(bound, bytes)}, 0, ${measuring}))`;
}
