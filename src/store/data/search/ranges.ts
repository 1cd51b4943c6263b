import { type CollectionDatabase } from "#store/db/database.ts";
import type { SystemField } from "#domain/data/values.ts";
import {
  itemNumberRange,
  sequencesPerCollection,
  parseReceiptSequences,
} from "#domain/item/item.ts";
import type { Condition, Search, Comparable } from "#domain/search/tree.ts";
import { firstNumberAfterTimeSql } from "#store/data/items.ts";
import {
  rangeOf,
  requiredConditions,
  type Bound,
  type Bounds,
  type EntryDriver,
} from "./driver.ts";
import { preparePageStatement } from "./batch.ts";
import { sortSql } from "./conditions.ts";
import { seesItemSql } from "./shown.ts";
import { SearchValues, withTable } from "./search-values.ts";
import { digestText, digestUnseen, type CursorPosition } from "#domain/cursor.ts";
import { retryTransient } from "#store/db/retry.ts";

/**
 * Exclusive bounds, as SQL, for the item numbers of a search's matches. Creation times grow with item numbers,
 * so conditions on `$created_at` narrow the bounds.
 */
export interface ItemRange {
  above: string;
  below: string;
  /** The part of a `with` that computes the bounds. Empty when the range is the whole collection. */
  table: string;
}

export function itemRange(collectionId: number, search: Search, values: SearchValues): ItemRange {
  const whole = itemNumberRange(collectionId);
  const created = createdRange(search);
  const [above, below] = [String(whole.above), String(whole.below)];
  if (!created) return { above, below, table: "" };
  const { low, high } = created;
  const firstNumber =
    low &&
    firstNumberAfterTimeSql(whole, `${low.isInclusive ? "<" : "<="} ${values.scalar(low.value)}`);
  const endNumber =
    high &&
    firstNumberAfterTimeSql(whole, `${high.isInclusive ? "<=" : "<"} ${values.scalar(high.value)}`);
  return {
    above: "(select above from span)",
    below: "(select below from span)",
    table: `span(above, below) as materialized (select ${firstNumber ? `${firstNumber} - 1` : above}, ${endNumber ?? below})`,
  };
}

/** Returns the intersection of the ranges that a search requires of `$created_at`. Null if there are none. */
export function createdRange(search: Search): Bounds | null {
  const bounds = requiredConditions(search.conditions).flatMap(
    (condition) => createdBoundsOf(condition) ?? [],
  );
  if (bounds.length === 0) return null;
  const lows = bounds.flatMap(({ low }) => low ?? []);
  const highs = bounds.flatMap(({ high }) => high ?? []);
  return {
    low: lows.toSorted((a, b) => compareValues(b, a) || strictFirst(a, b))[0],
    high: highs.toSorted((a, b) => compareValues(a, b) || strictFirst(a, b))[0],
  };
}

const compareValues = (a: Bound, b: Bound) => Number(a.value) - Number(b.value);
const strictFirst = (a: Bound, b: Bound) => Number(a.isInclusive) - Number(b.isInclusive);

/** Whether the item range alone evaluates a condition. */
export function isCreatedRange(condition: Condition): boolean {
  return createdBoundsOf(condition) !== null;
}

function createdBoundsOf(condition: Condition): Bounds | null {
  if (!("op" in condition)) return null;
  const { source } = condition.field;
  if (source.in !== "system" || source.name !== "createdAt") return null;
  const range = rangeOf(condition);
  return range && !("at" in range) && !("among" in range) ? range : null;
}

/** SQL condition: the item of an entry `c` is in the range. */
export function inRangeSql({ above, below }: ItemRange): string {
  return `c.item > ${above} and c.item < ${below}`;
}

/** Limits the range to the numbers that follow a number in this order. A number outside the range never widens it. */
export function rangeAfter(
  range: ItemRange,
  order: "asc" | "desc",
  number: string | null,
): ItemRange {
  const { above, below, table } = range;
  if (number === null) return range;
  return order === "desc"
    ? { above, below: `min(${below}, ${number})`, table }
    : { above: `max(${above}, ${number})`, below, table };
}

/** Adds the `with` part of a range to a statement. */
export function withRange({ table }: ItemRange, text: string): string {
  return table === "" ? text : withTable(table, text);
}

/** Index entries or named items that a search can start from. */
export type Driver = EntryDriver | NamedItems;

const namingFields = ["id", "receiptNumber", "createdAt"] as const;
type NamingField = (typeof namingFields)[number];
const isNaming = (name: SystemField): name is NamingField =>
  (namingFields as readonly SystemField[]).includes(name);

/** Items that a condition selects by ID or receipt number. They are few, so a search always starts from them. */
export interface NamedItems {
  by: NamingField;
  names: Comparable[];
}

/** Finds the items of the first condition that names items. */
export function findNamedItems(search: Search): NamedItems | null {
  return (
    requiredConditions(search.conditions)
      .map(toNamedItems)
      .find((named) => named !== null) ?? null
  );
}

function toNamedItems(condition: Condition): NamedItems | null {
  if (!("op" in condition)) return null;
  const { source } = condition.field;
  if (source.in !== "system" || !isNaming(source.name)) return null;
  const range = rangeOf(condition);
  if (range && "at" in range) return { by: source.name, names: [range.at] };
  return range && "among" in range ? { by: source.name, names: range.among } : null;
}

/** Selects the numbers of the named items as `item`. May include other items, which the conditions exclude. */
export function namedItemsSql(
  { by, names }: NamedItems,
  collectionId: number,
  values: SearchValues,
): string {
  const range = itemNumberRange(collectionId);
  switch (by) {
    case "id":
      // The unary `+` keeps SQLite from scanning the item range instead of looking up the ids.
      return `select +number as item from item where id in ${values.list(names)}`;
    case "receiptNumber": {
      const sequences = names.flatMap((receipt) => parseReceiptSequences(String(receipt)));
      const numbers = sequences
        .filter((sequence) => sequence < sequencesPerCollection)
        .map((sequence) => range.above + sequence);
      return `select value as item from ${values.table([...new Set(numbers)])}`;
    }
    case "createdAt":
      // Several times can be followed by the same item.
      return `select distinct (select min(number) from item where number >= ${firstNumberAfterTimeSql(range, "< e.value")}) as item
        from ${values.table(names)} e`;
  }
}

/** The position that a page starts strictly after. Empty values of sort keys are null. */
export interface PageStart {
  values: (Comparable | null)[];
  number: number;
  /**
   * Index of the sort key whose value is only a prefix, because its item was deleted or changed. The page then starts
   * at that prefix. Items may repeat but are never skipped.
   */
  truncatedKey: number | null;
}

/** Resolves a cursor to a page start. Reloads texts that the cursor truncated, if their item still has them. */
export async function resolveStart(
  db: CollectionDatabase,
  search: Pick<Search, "sort" | "shownBy">,
  position: CursorPosition,
): Promise<PageStart> {
  const number = Number(position.at(-1));
  const sortValues = position.slice(0, -1);
  const stored = sortValues.some(Array.isArray) ? await loadSortValues(db, search, number) : {};
  const values: (Comparable | null)[] = [];
  for (const [index, value] of sortValues.entries()) {
    if (!Array.isArray(value)) {
      values.push(value);
      continue;
    }
    const [prefix, digest] = value;
    if (digest === undefined) {
      values.push(prefix);
      continue;
    }
    const text = stored[`k${index}`];
    if (typeof text !== "string" || !(await isTextOf(digest, text, stored["is_seen"] === 1)))
      return { values: [...values, prefix], number, truncatedKey: index };
    values.push(text);
  }
  return { values, number, truncatedKey: null };
}

/** Whether a cursor has the digest of this text. If the caller got the item, it must still see it. */
const isTextOf = async (digest: string, text: string, isSeen: boolean): Promise<boolean> =>
  digest === (await digestUnseen(text)) || (isSeen && digest === (await digestText(text)));

/** Loads the sort values of the item at a position, and whether the caller sees the item. */
async function loadSortValues(
  db: CollectionDatabase,
  { sort, shownBy }: Pick<Search, "sort" | "shownBy">,
  number: number,
): Promise<Record<string, unknown>> {
  const columns = sort.map(({ field }, index) => `${sortSql(field)} as k${index}`);
  const values = new SearchValues();
  const isSeen = shownBy ? seesItemSql(shownBy, values) : "1";
  const statement = values.statement(
    `select ${columns.join(", ")}, ${isSeen} as is_seen from item i where i.number = ${values.scalar(number)}
      and i.collection_id = ${db.collectionId}`,
  );
  const row = await retryTransient(db, () => preparePageStatement(db, statement).first());
  return row ?? {};
}

/** Returns the first text after all texts with this prefix, in code point order. Returns undefined if there is none. */
export function prefixEnd(prefix: string): string | undefined {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0);
  while (points.at(-1) === 0x10_ffff) points.pop();
  const last = points.pop();
  if (last === undefined) return undefined;
  // The next code point after U+D7FF that is a character is U+E000. Surrogates are not characters.
  const next = last === 0xd7ff ? 0xe000 : last + 1;
  return String.fromCodePoint(...points, next);
}
