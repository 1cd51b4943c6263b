import type { ItemParts, Slots } from "#domain/data/compile.ts";
import type { Data, Value } from "#domain/data/values.ts";
import { utf8Length } from "#domain/item/item.ts";
import type { ShownBy } from "#domain/search/tree.ts";
import {
  balancedSql,
  itemCost,
  lookUpBytes,
  maxCostPerByte,
  maxStoredBytes,
  rowCountSql,
  rowsByteCost,
} from "./cost.ts";
import { layoutOf, notInSql } from "./parts.ts";
import type { SearchValues } from "./search-values.ts";

/**
 * The rule that an item is outside a view if evaluating the view's conditions on it would cost too much. The fields that
 * the view shows and all others have separate limits, so that a caller cannot measure the others with its own values.
 * Every read and write of a narrow caller has this rule, in SQL or in TypeScript. Both must agree exactly.
 */

/**
 * The maximum cost of evaluating a view on each of the two parts of an item. It takes about 50 ms. Two such parts fit the
 * limits of every search, so no single item can make a search fail.
 */
const maxViewCost = 50_000_000;

/** The cost per byte of measuring an item, and of measuring one whose rows have visible and other columns. */
const measuringByteCost = 5;
const rowMeasuringByteCost = 60;

interface ViewCost {
  perByte: number;
  /** The cost of these lists per entry. */
  lists: readonly { slot: string; cost: number }[];
  /** The cost that does not depend on the item. */
  fixed: number;
  /** The maximum cost of one byte. It includes the entries of lists. */
  maxPerByte: number;
}

/** The fewest bytes of an entry: `{},`. */
const minEntryBytes = 3;

function viewCost({ conditions }: Pick<ShownBy, "conditions">): ViewCost {
  const cost = itemCost(conditions);
  const perByte = Math.ceil(
    maxCostPerByte({ ...cost, perEntry: [] }) + cost.rowPasses * rowsByteCost,
  );
  const entryCost = cost.perEntry.reduce((sum, entry) => sum + entry.cost, 0);
  return {
    perByte,
    lists: cost.perEntry,
    fixed: cost.lookUpCount * lookUpBytes,
    maxPerByte: perByte + Math.ceil(entryCost / minEntryBytes),
  };
}

/** Whether the conditions are so cheap that every item fits. */
const fitsEveryItem = ({ maxPerByte, fixed }: ViewCost) =>
  maxStoredBytes * maxPerByte + fixed <= maxViewCost;

/** The bytes of a key with its punctuation, in addition to its name and value: `"":,`. */
const pairBytes = 4;

/** SQL for the bytes of a value `d` with its key. Numbers have different texts in SQL, and are short. */
const pairBytesSql = `octet_length(d.key) + ${pairBytes} + iif(d.type in ('text', 'array', 'object'), octet_length(d.value), 0)`;

function bytesOfPair(key: string, value: Value | undefined): number {
  const bytes =
    typeof value === "string"
      ? utf8Length(value)
      : typeof value === "object" && value !== null
        ? utf8Length(JSON.stringify(value))
        : 0;
  return key.length + pairBytes + bytes;
}

const divided = (slots: Slots) =>
  [...slots].flatMap(([slot, columns]) => (columns ? [{ slot, columns }] : []));

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

const bytesOfPairs = (pairs: object, isCounted: (key: string) => boolean): number =>
  Object.entries(pairs).reduce(
    (sum, [key, value]: [string, Value]) => sum + (isCounted(key) ? bytesOfPair(key, value) : 0),
    0,
  );

function bytesOfPart(slots: Slots, isIn: boolean, data: Data): number {
  const cells = divided(slots).flatMap(({ slot, columns }) =>
    ((data[slot] ?? []) as object[]).map((row) =>
      bytesOfPairs(row, (key) => columns.includes(key) === isIn),
    ),
  );
  const pairs = bytesOfPairs(data, (key) => (isIn ? slots.get(key) === null : !slots.has(key)));
  return cells.reduce((sum, bytes) => sum + bytes, pairs);
}

/** SQL for whether the cost of the view on an item `i` is within the limit. Null if every item is. */
function fitsViewSql({ conditions, parts }: ShownBy, values: SearchValues): string | null {
  const cost = viewCost({ conditions });
  if (fitsEveryItem(cost)) return null;
  const { perByte, lists, fixed, maxPerByte } = cost;
  const [shown, hidden] = ([true, false] as const).map((isShown) => {
    const entries = lists
      .filter(({ slot }) => parts.shown.has(slot) === isShown)
      .map((list) => `${rowCountSql(list.slot)} * ${list.cost}`);
    return balancedSql("+", [
      `total(iif(is_hidden = ${!isShown}, bytes, 0)) * ${perByte}`,
      ...entries,
    ]);
  });
  const fits = `select max(${shown}, ${hidden}) <= ${maxViewCost - fixed} from (${pairsSql(parts, values)})`;
  // SQLite gets the size of the data without reading it. Few items are so large that it has to measure the parts.
  return `iif(octet_length(i.data) * ${maxPerByte} <= ${maxViewCost - fixed}, 1, (${fits}))`;
}

/** Whether the cost of the view on an item with this data is within the limit. */
export function fitsView({ conditions, parts }: ShownBy, data: Data): boolean {
  const cost = viewCost({ conditions });
  if (fitsEveryItem(cost)) return true;
  const { perByte, lists, fixed } = cost;
  return [true, false].every((isShown) => {
    const bytes = bytesOfPart(parts.shown, isShown, data);
    const entries = lists
      .filter(({ slot }) => parts.shown.has(slot) === isShown)
      .reduce((sum, list) => sum + list.cost * countEntries(data[list.slot]), 0);
    return bytes * perByte + entries <= maxViewCost - fixed;
  });
}

const countEntries = (value: Value | undefined) => (Array.isArray(value) ? value.length : 0);

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
