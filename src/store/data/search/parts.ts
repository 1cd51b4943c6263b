import type { ItemParts, Slots } from "#domain/data/compile.ts";
import { hiddenSteps } from "#domain/data/parts.ts";
import type { ShownBy } from "#domain/search/tree.ts";
import type { SearchValues } from "./search-values.ts";
import type { Measure } from "./cost.ts";

/**
 * SQL for the sizes of the parts into which a narrow caller's view divides an item `i`. It reads the item's data. Each
 * size depends only on the values of its part. The SQL of a part is short, however many fields it has.
 */

/**
 * With more fields, one pass over all values of an item is faster than one lookup for each field. D1 counts each value of
 * a pass as a row.
 */
const maxPaths = 60;
/** D1 limits a function to 32 arguments. */
const maxPathsAtOnce = 30;

const pathOf = (slot: string) => `$."${slot}"`;

/** Lists of paths, each of which a function accepts. */
function pathLists(slots: readonly string[]): string[] {
  const paths = slots.map((slot) => `'${pathOf(slot)}'`);
  const count = Math.ceil(slots.length / maxPathsAtOnce);
  return Array.from({ length: count }, (_, index) =>
    paths.slice(index * maxPathsAtOnce, (index + 1) * maxPathsAtOnce).join(", "),
  );
}

/** SQL for the bytes of the values in these slots. */
function bytesOfSql(slots: readonly string[], values: SearchValues): string {
  if (slots.length > maxPaths) return bytesWhereSql(`d.key in ${values.list(slots)}`);
  // With several paths, `json_extract` always returns a list. The extra path never exists.
  return pathLists(slots).reduce(
    (sum, paths) => `(${sum} + octet_length(json_extract(i.data, ${paths}, '$.no')))`,
    "0",
  );
}

/** SQL for the bytes of the values in all other slots. */
function bytesWithoutSql(slots: readonly string[], values: SearchValues): string {
  if (slots.length > maxPaths) return bytesWhereSql(notInSql("d.key", values.list(slots)));
  const rest = pathLists(slots).reduce(
    (json, paths) => `jsonb_remove(${json}, ${paths})`,
    "i.data",
  );
  return `octet_length(${rest})`;
}

const bytesWhereSql = (condition: string) =>
  `(select cast(total(octet_length(json_quote(d.value))) as integer) from json_each(i.data) d where ${condition})`;

/** SQL for whether a list lacks a value. For each item, `not in` would read the list again to find nulls. */
export const notInSql = (value: string, list: string) => `iif(${value} in ${list}, 0, 1)`;

/** The lists whose columns belong to different parts, each with a JSON patch that removes the columns of others. */
type DividedLists = Readonly<Record<string, Record<string, null>>>;

/**
 * SQL for the bytes of the rows of these lists. An empty row takes one byte. Parses the item once, because parsing it
 * for each list would take long.
 */
const rowBytesSql = (lists: DividedLists, values: SearchValues) =>
  `(select cast(total(octet_length(jsonb_patch(r.value, p.value)) - 1) as integer)
    from json_each(i.data) l cross join (select key, value from ${values.table(lists)} limit -1) p on p.key = l.key
    cross join json_each(l.value) r)`;

/** What the measures of a view's parts need. */
interface Layout {
  /** The slots that the caller sees as a whole. */
  shown: readonly string[];
  results: readonly string[];
  /** The slots of which no part is a hidden value. */
  notHidden: readonly string[];
  shownLists: DividedLists;
  hiddenLists: DividedLists;
  /** The slots of the lists of which the caller sees only some columns. */
  dividedLists: readonly string[];
  /** The visible slots, and the columns of divided lists, like `3.4`. */
  names: readonly string[];
}

const layouts = new WeakMap<ItemParts, Layout>();

export function layoutOf(parts: ItemParts): Layout {
  const known = layouts.get(parts);
  if (known) return known;
  const results = [...parts.hiddenResults];
  const slots = [...parts.shown];
  const layout = {
    shown: slots.flatMap(([slot, columns]) => (columns ? [] : [slot])),
    results,
    notHidden: [...parts.shown.keys(), ...results],
    shownLists: listsOf(parts.shown, parts.hidden),
    hiddenLists: listsOf(parts.hidden, parts.shown),
    dividedLists: slots.flatMap(([slot, columns]) => (columns ? [slot] : [])),
    names: slots.flatMap(
      ([slot, columns]) => columns?.map((column) => `${slot}.${column}`) ?? [slot],
    ),
  };
  layouts.set(parts, layout);
  return layout;
}

const listsOf = (own: Slots, others: Slots): DividedLists =>
  Object.fromEntries(
    [...own].flatMap(([slot, columns]) =>
      columns ? [[slot, withoutPatch(others.get(slot) ?? [])]] : [],
    ),
  );

const withoutPatch = (columns: readonly string[]) =>
  Object.fromEntries(columns.map((column) => [column, null]));

const withRows = (bytes: string, lists: DividedLists, values: SearchValues): string =>
  Object.keys(lists).length === 0 ? bytes : `(${bytes} + ${rowBytesSql(lists, values)})`;

function partMeasure(own: Slots, others: Slots, bytes: string, values: SearchValues): Measure {
  return {
    bytes,
    counts: (slot) => own.has(slot),
    listText(slot) {
      if (!own.get(slot)) return `coalesce(i.data -> '${pathOf(slot)}', '')`;
      const patch = values.scalar(JSON.stringify(withoutPatch(others.get(slot) ?? [])));
      return `coalesce((select group_concat(json_patch(r.value, ${patch})) from json_each(i.data, '${pathOf(slot)}') r), '')`;
    },
  };
}

/** The part of an item that the caller sees. */
export function shownMeasure({ parts }: ShownBy, values: SearchValues): Measure {
  const { shown, shownLists } = layoutOf(parts);
  const bytes = withRows(bytesOfSql(shown, values), shownLists, values);
  return partMeasure(parts.shown, parts.hidden, bytes, values);
}

/**
 * SQL for the bytes that the caller does not see, rounded as the limits of reads count them (`hiddenBytes`). Values and
 * results count separately, because a caller can change the size of results.
 */
export function hiddenBytesSql({ parts }: ShownBy, values: SearchValues): string {
  const { results, notHidden, hiddenLists } = layoutOf(parts);
  const sizes = [withRows(bytesWithoutSql(notHidden, values), hiddenLists, values)];
  if (results.length > 0) sizes.push(bytesOfSql(results, values));
  const steps = sizes.map((size) => `(${size}) / ${hiddenSteps.readBytes}`);
  // Small items need no reading, because no part of them takes a step.
  return `iif(octet_length(i.data) < ${hiddenSteps.readBytes / 2}, 0, (${steps.join(" + ")}) * ${hiddenSteps.readBytes})`;
}

/** The cost of one step of a lookup, and of reading one value in a pass over all of them, in bytes. */
const stepBytes = 10;
const valueBytes = 400;
/** The cost of measuring an item with few fields. The limits of bytes and rows cover it. */
const smallCost = 10_000;

/**
 * An upper bound of the cost of measuring an item of any size. It is the same for all items, so a limit that depends on
 * it shows nothing about an item. 0 for the views of most collections.
 */
export function measuringCost({ parts }: ShownBy): number {
  const { shown, results, notHidden } = layoutOf(parts);
  const all = new Set([...parts.shown.keys(), ...parts.hidden.keys(), ...results].map(Number));
  const places = new Map([...all].toSorted((a, b) => a - b).map((slot, index) => [slot, index]));
  const costs = [shown, results, notHidden].map((slots) =>
    slots.length > maxPaths
      ? all.size * valueBytes
      : slots.reduce((sum, slot) => sum + (places.get(Number(slot)) ?? 0) * stepBytes, 0),
  );
  const cost = costs.reduce((sum, each) => sum + each, 0);
  return cost <= smallCost ? 0 : cost;
}

/** SQL for a value `d` as JSON. Looking it up by its key would take long in an item with many fields. */
const valueJsonSql = `case when d.type in ('true', 'false') then json(d.type)
    when d.type in ('array', 'object') then json(d.value) else d.value end`;

/** SQL for the data of an item `i`, reduced to the fields that the caller sees. */
export const shownDataSql = ({ parts }: ShownBy, values: SearchValues): string =>
  `(select json_group_object(d.key, ${valueJsonSql}) from json_each(i.data) d
    where d.key in ${values.list([...parts.shown.keys()])})`;
