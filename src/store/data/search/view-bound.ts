import type { Slots } from "#domain/data/compile.ts";
import type { ShownBy } from "#domain/search/tree.ts";
import { findViewBound, pairBytes } from "#domain/search/view-bound.ts";
import { balancedSql, rowCountSql } from "./cost.ts";
import type { SearchValues } from "./search-values.ts";

/** SQL for the rule that a view contains no item that is too large for its conditions. `ItemSizes` is the rule in TypeScript. */

/** The cost per byte of measuring an item, and of measuring one whose rows have visible and other columns. */
const measuringByteCost = 5;
const rowMeasuringByteCost = 60;

/** SQL for the bytes of a value `d` with its key. Numbers have different texts in SQL, and are short. */
const pairBytesSql = `octet_length(d.key) + ${pairBytes} + iif(d.type in ('text', 'array', 'object'), octet_length(d.value), 0)`;

const divided = (slots: Slots) =>
  [...slots].flatMap(([slot, columns]) => (columns ? [{ slot, columns }] : []));

/** SQL for the bytes of the fields `in` the slots of an item `i`, or of those that are `not in` them. */
function partBytesSql(slots: Slots, isIn: "in" | "not in", values: SearchValues): string {
  const lists = divided(slots);
  const listSlots = new Set(lists.map(({ slot }) => slot));
  const keys = [...slots.keys()].filter((slot) => isIn === "not in" || !listSlots.has(slot));
  const cells = lists.map(
    ({ slot, columns }) =>
      `(select total(${pairBytesSql}) from json_each(i.data, '$."${slot}"') r cross join json_each(r.value) d
        where d.key ${isIn} ${values.list([...columns])})`,
  );
  const pairs = `(select total(${pairBytesSql}) from json_each(i.data) d where d.key ${isIn} ${values.list(keys)})`;
  return balancedSql("+", [pairs, ...cells]);
}

/** SQL for whether the cost of the view on an item `i` is within the limit. Null if every item is. */
function fitsViewSql({ conditions, parts }: ShownBy, values: SearchValues): string | null {
  const bound = findViewBound(conditions);
  if (bound === null) return null;
  const { perByte, lists, maxPerByte, maxCost } = bound;
  const fits = ([true, false] as const).map((isShown) => {
    const bytes = partBytesSql(parts.shown, isShown ? "in" : "not in", values);
    const entries = lists
      .filter(({ slot }) => parts.shown.has(slot) === isShown)
      .map((list) => `${rowCountSql(list.slot)} * ${list.cost}`);
    return `${balancedSql("+", [`${bytes} * ${perByte}`, ...entries])} <= ${maxCost}`;
  });
  // SQLite gets the size of the data without reading it. Few items are so large that it has to measure the parts.
  return `iif(octet_length(i.data) * ${maxPerByte} <= ${maxCost}, 1, ${balancedSql("and", fits)})`;
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
    divided(shownBy.parts.shown).length > 0 ? rowMeasuringByteCost : measuringByteCost;
  return `iif(${fits}, ${cost}, octet_length(i.data) * ${perByte})`;
}
