import { numbersOf, placesPerCollection, receiptPlaces } from "#domain/item/item.ts";
import type { Condition, Search, Comparable, Sort } from "#domain/search/tree.ts";
import { firstCreated } from "#store/data/items.ts";
import { rangeOf, requiredConditions, type Bound, type Ends, type EntryDriver } from "./driver.ts";
import { type Values, sortSql } from "./conditions.ts";
import { digestOf, type Position } from "#domain/cursor.ts";
import { attempt } from "#store/db/retry.ts";

/**
 * The numbers that the matches of a search lie strictly between, as SQL: times of creation grow with the numbers of
 * items, so what a search asks of `$created_at` is a part of the collection.
 */
export interface ItemRange {
  above: string;
  below: string;
  /** What they are read from, as a part of a `with`; empty where they are the whole collection. */
  table: string;
}

export function itemRange(collectionId: number, search: Search, values: Values): ItemRange {
  const whole = numbersOf(collectionId);
  const ends = createdRange(search);
  const [above, below] = [String(whole.above), String(whole.below)];
  if (!ends) return { above, below, table: "" };
  const { low, high } = ends;
  const from =
    low && firstCreated(whole, `${low.inclusive ? "<" : "<="} ${values.scalar(low.value)}`);
  const to =
    high && firstCreated(whole, `${high.inclusive ? "<=" : "<"} ${values.scalar(high.value)}`);
  return {
    above: "(select above from span)",
    below: "(select below from span)",
    table: `span(above, below) as materialized (select ${from ? `${from} - 1` : above}, ${to ?? below})`,
  };
}

/** What a search asks of `$created_at`, all its ranges together; nothing where it asks for none. */
export function createdRange(search: Search): Ends | null {
  const ends = requiredConditions(search.conditions).flatMap((each) => endsOf(each) ?? []);
  if (ends.length === 0) return null;
  const lows = ends.flatMap(({ low }) => low ?? []);
  const highs = ends.flatMap(({ high }) => high ?? []);
  return {
    low: lows.toSorted((a, b) => compare(b, a) || strictFirst(a, b))[0],
    high: highs.toSorted((a, b) => compare(a, b) || strictFirst(a, b))[0],
  };
}

const compare = (a: Bound, b: Bound) => Number(a.value) - Number(b.value);
const strictFirst = (a: Bound, b: Bound) => Number(a.inclusive) - Number(b.inclusive);

/** Whether the range of items says all that a condition does. */
export function isCreatedRange(condition: Condition): boolean {
  return endsOf(condition) !== null;
}

function endsOf(condition: Condition): Ends | null {
  if (!("op" in condition)) return null;
  const { source } = condition.field;
  if (source.in !== "system" || source.name !== "createdAt") return null;
  const range = rangeOf(condition);
  return range && !("at" in range) && !("among" in range) ? range : null;
}

/** That the item of an entry `c` is in the range. */
export function inRange({ above, below }: ItemRange): string {
  return `c.item > ${above} and c.item < ${below}`;
}

/** The part of the range behind a number, as SQL, in an order. */
export function behind(range: ItemRange, order: "asc" | "desc", number: string | null): ItemRange {
  const { above, below, table } = range;
  if (number === null) return range;
  const both = (least: "min" | "max", end: string) =>
    table === "" ? number : `${least}(${end}, ${number})`;
  return order === "desc"
    ? { above, below: both("min", below), table }
    : { above: both("max", above), below, table };
}

/** A statement with what its range is read from. */
export function withRange({ table }: ItemRange, text: string): string {
  if (table === "") return text;
  return text.startsWith("with ") ? `with ${table}, ${text.slice(5)}` : `with ${table} ${text}`;
}

/** Where a search can start from. */
export type Driver = EntryDriver | NamedItems;

/** Items that a condition names, as many as it has values: so few that they are read whatever else is asked. */
export interface NamedItems {
  by: "id" | "receiptNumber" | "createdAt";
  these: Comparable[];
}

/** The items that the first condition names which names any. */
export function findNamed(search: Search): NamedItems | null {
  return (
    requiredConditions(search.conditions)
      .map(namedBy)
      .find((each) => each !== null) ?? null
  );
}

function namedBy(condition: Condition): NamedItems | null {
  if (!("op" in condition)) return null;
  const { source } = condition.field;
  if (source.in !== "system" || source.name === "status" || source.name === "updatedAt")
    return null;
  const range = rangeOf(condition);
  if (range && "at" in range) return { by: source.name, these: [range.at] };
  return range && "among" in range ? { by: source.name, these: range.among } : null;
}

/** Their numbers as rows of one column `item`, and of others beside them: the conditions tell which are meant. */
export function namedSql({ by, these }: NamedItems, collectionId: number, values: Values): string {
  const own = numbersOf(collectionId);
  switch (by) {
    case "id":
      // `+`, so that their range is no reason to go through the items of the range.
      return `select +number as item from item where id in ${values.list(these)}`;
    case "receiptNumber": {
      const places = these.flatMap((receipt) => receiptPlaces(String(receipt)));
      const numbers = places.filter((at) => at < placesPerCollection).map((at) => own.above + at);
      return `select value as item from ${values.table([...new Set(numbers)])}`;
    }
    case "createdAt":
      return `select (select min(number) from item where number >= ${firstCreated(own, "< e.value")}) as item
        from ${values.table(these)} e`;
  }
}

/** Where a page begins: strictly behind the values of the sort keys, null where empty, and the item's number. */
export interface Start {
  values: (Comparable | null)[];
  number: number;
  /**
   * The sort key of whose value only the beginning is known, as the item that had it has gone or changed. Then the page
   * begins where such values do: items may be repeated, never skipped.
   */
  from: number | null;
}

/** Where the page behind a position begins: of texts that were cut the whole is read again, where their item still has them. */
export async function resolveStart(
  db: D1Database,
  sort: readonly Sort[],
  position: Position,
): Promise<Start> {
  const number = Number(position.at(-1));
  const kept = position.slice(0, -1);
  const now = kept.some(Array.isArray) ? await readSortValues(db, sort, number) : {};
  const values: (Comparable | null)[] = [];
  for (const [index, value] of kept.entries()) {
    if (!Array.isArray(value)) {
      values.push(value);
      continue;
    }
    const [start, digest] = value;
    const text = now[`k${index}`];
    if (typeof text !== "string" || (await digestOf(text)) !== digest) {
      return { values: [...values, start], number, from: index };
    }
    values.push(text);
  }
  return { values, number, from: null };
}

async function readSortValues(
  db: D1Database,
  sort: readonly Sort[],
  number: number,
): Promise<Record<string, unknown>> {
  const columns = sort.map(({ field }, index) => `${sortSql(field)} as k${index}`);
  const select = db.prepare(`select ${columns.join(", ")} from item i where i.number = ?1`);
  const row = await attempt(() => select.bind(number).first());
  return row ?? {};
}

/** The first text behind all that begin with this one, in the order of code points; undefined where there is none. */
export function behindAll(start: string): string | undefined {
  const points = Array.from(start, (character) => character.codePointAt(0) ?? 0);
  while (points.at(-1) === 0x10_ffff) points.pop();
  const last = points.pop();
  if (last === undefined) return undefined;
  // Surrogates are no characters.
  const next = last === 0xd7ff ? 0xe000 : last + 1;
  return String.fromCodePoint(...points, next);
}
