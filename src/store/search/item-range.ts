import { numbersOf } from "../../domain/item/item";
import type { Condition, Search } from "../../domain/search/tree";
import { firstCreated } from "../items/first-created";
import { rangeOf, requiredConditions, type Bound, type Ends } from "./plan/driver";
import type { Values } from "./sql/values";

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
