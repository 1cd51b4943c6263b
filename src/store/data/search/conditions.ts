import type { SystemField } from "#domain/data/values.ts";
import { isStoredOrder } from "#domain/search/parse.ts";
import type { SearchField, Comparable, Anywhere, Condition, Leaf } from "#domain/search/tree.ts";
import { foldsToOthers } from "#domain/search/text.ts";
import { mostAtOnce, balanced } from "./cost.ts";

export const systemColumns: Record<SystemField, string> = {
  id: "i.id",
  status: "i.status",
  receiptNumber: "i.receipt_number",
  createdAt: "i.created_at",
  updatedAt: "i.updated_at",
};

/** The value of a field in the form in which it compares; null where empty. `row` is `i`, or a row of line items. */
export function valueSql({ source, type }: SearchField, row = "i"): string {
  if (source.in === "system") return systemColumns[source.name];
  const at =
    source.in === "data" ? `i.data ->> '${source.slot}'` : `${row}.value ->> '${source.slot}'`;
  if (type === "date") return `substr(${at}, 1, 10)`;
  return type === "datetime" ? `rtrim(${at}, 'Z')` : `(${at})`;
}

/** What a sort key sorts by: what is in stored order, by the number of the item. */
export function sortSql(field: SearchField): string {
  return isStoredOrder(field) ? "i.number" : valueSql(field);
}

export function listSql({ source }: SearchField, row: string): string {
  if (source.in === "system") return "null";
  return source.in === "data" ? `i.data -> '${source.slot}'` : `${row}.value -> '${source.slot}'`;
}

/** Of an entry `e`: text without case, which stands in the search index alone. */
export const folded = "coalesce(e.folded, e.value)";

/**
 * All values of a search travel in one JSON parameter, `?1`: D1 takes 100 parameters, and JSON keeps 1 an integer
 * and '1' a text where a bound number would arrive as a float.
 */
export class Values {
  readonly #values: unknown[] = [];

  scalar(value: Comparable | null): string {
    return `(?1 ->> ${this.#add(value)})`;
  }

  /** A table whose column `value` has these. */
  table(values: readonly (Comparable | readonly Comparable[])[]): string {
    return `json_each(?1, '$[${this.#add(values)}]')`;
  }

  list(values: readonly Comparable[]): string {
    return `(select value from ${this.table(values)})`;
  }

  get json(): string {
    return JSON.stringify(this.#values);
  }

  #add(value: unknown): number {
    return this.#values.push(value) - 1;
  }
}

/** That an item `i` has a text, an id or a receipt number that contains this, without case. */
export function anywhereSql(condition: Anywhere, values: Values): string {
  const { anywhere, plain, fields } = condition;
  const sought = values.scalar(anywhere);
  const system = fields.flatMap(({ source }) =>
    source.in === "system"
      ? [`coalesce(instr(lower(${systemColumns[source.name]}), ${sought}), 0) > 0`]
      : [],
  );
  const texts = textsSql(condition, sought, values);
  const inData = plain === "" ? texts : `(${mayHave(condition, values)} and ${texts})`;
  return balanced("or", [...system, inData]);
}

/**
 * All texts of the item are gone through once, however many fields there are. What is ASCII folds as SQLite does it; others
 * are looked up.
 */
function textsSql({ fields, plain }: Anywhere, sought: string, values: Values): string {
  const slots = fields.flatMap(slotOf);
  const base = fields.flatMap((field) => slotOf(field).map((slot) => field.number - Number(slot)));
  const lookedUp = `(select instr(${folded}, ${sought}) from search_entry e
      where e.field = ${base[0] ?? 0} + t.key and e.value = t.atom and e.item = i.number)`;
  const few = plain === "" ? "" : ` and ${plainSql("t.atom", plain, values)}`;
  return `exists (select 1 from json_tree(i.data) t
    where t.type = 'text' and t.key in ${values.list(slots)}${few}
      and iif(octet_length(t.atom) = length(t.atom), instr(lower(t.atom), ${sought}), ${lookedUp}) > 0)`;
}

/**
 * Told of all texts at once, and of many fields by all data: D1 counts each text that is gone through as a row that is
 * read, and few items have it.
 */
function mayHave({ plain, fields, lists }: Anywhere, values: Values): string {
  const own = [...fields.filter(({ source }) => source.in === "data"), ...lists].flatMap(slotOf);
  const paths = own.map((slot) => `'$."${slot}"'`);
  // With one path more than there are, so that the texts always are a list.
  const texts =
    own.length > mostAtOnce
      ? "i.data"
      : `json_extract(${["i.data", ...paths, "'$.no'"].join(", ")})`;
  return plainSql(texts, plain, values);
}

function plainSql(text: string, plain: string, values: Values): string {
  return `(instr(lower(${text}), ${values.scalar(plain)}) > 0 or ${text} glob '*[${foldsToOthers}]*')`;
}

function slotOf({ source }: SearchField): string[] {
  return source.in === "system" ? [] : [source.slot];
}

/**
 * What a condition means, as SQL on an item `i`; always 0 or 1, never null. Whatever the plan of a search, this
 * decides. Keys and values of callers never stand in the text: fields are integers, values parameters.
 */
export function conditionSql(condition: Condition, values: Values, row = "i"): string {
  if ("all" in condition) return joined("and", condition.all, values, row);
  if ("any" in condition) return joined("or", condition.any, values, row);
  if ("anywhere" in condition) return anywhereSql(condition, values);
  if ("not" in condition) return `(not ${conditionSql(condition.not, values, row)})`;
  return leafSql(condition, values, row);
}

function leafSql(leaf: Leaf, values: Values, row: string): string {
  const { field, op, value } = leaf;
  const at = valueSql(field, row);
  switch (op) {
    case "eq":
      return `(${at} is ${values.scalar(value)})`;
    case "ne":
      return `(${at} is not ${values.scalar(value)})`;
    case "gt":
      return known(`${at} > ${values.scalar(value)}`);
    case "gte":
      return known(`${at} >= ${values.scalar(value)}`);
    case "lt":
      return known(`${at} < ${values.scalar(value)}`);
    case "lte":
      return known(`${at} <= ${values.scalar(value)}`);
    case "between":
      return known(`${at} between ${values.scalar(value[0])} and ${values.scalar(value[1])}`);
    case "in":
      return known(`${at} in ${values.list(value)}`);
    case "not_in":
      return `(not ${known(`${at} in ${values.list(value)}`)})`;
    case "contains":
      return foldedSql(field, at, (text) => `instr(${text}, ${values.scalar(value)}) > 0`);
    case "starts_with": {
      const start = values.scalar(value);
      return foldedSql(field, at, (text) => `substr(${text}, 1, length(${start})) = ${start}`);
    }
    case "is_empty":
      return `(${at} is ${value ? "" : "not "}null)`;
    case "has_any":
      return hasAnySql(field, values.list(value), row);
    case "has_none":
      return `(not ${hasAnySql(field, values.list(value), row)})`;
    case "has_all":
      return hasAllSql(field, [...new Set(value)], values, row);
    case "any":
      return rowSql(field, value, values, row);
    case "none":
      return `(not ${rowSql(field, value, values, row)})`;
  }
}

function joined(operator: "and" | "or", of: Condition[], values: Values, row: string): string {
  return balanced(
    operator,
    of.map((each) => conditionSql(each, values, row)),
  );
}

function known(comparison: string): string {
  return `coalesce(${comparison}, 0)`;
}

/**
 * Folded text stands in the search index alone; the entry is found by the value, so this is one look-up. Ids and receipt
 * numbers are ASCII, which SQLite folds.
 */
function foldedSql(
  { number, source }: SearchField,
  at: string,
  test: (text: string) => string,
): string {
  if (source.in === "system") return known(test(`lower(${at})`));
  return `exists (select 1 from search_entry e where e.field = ${number} and e.value = ${at} and e.item = i.number and ${test(folded)})`;
}

function hasAnySql(field: SearchField, list: string, row: string): string {
  return `exists (select 1 from json_each(${listSql(field, row)}) m where m.value in ${list})`;
}

/** The item's list is gone through once, however many values are wanted. */
function hasAllSql(field: SearchField, wanted: Comparable[], values: Values, row: string): string {
  const found = `select count(distinct m.value) from json_each(${listSql(field, row)}) m where m.value in ${values.list(wanted)}`;
  return `((${found}) = ${wanted.length})`;
}

function rowSql(field: SearchField, value: Condition, values: Values, row: string): string {
  const own = `${row}r`;
  return `exists (select 1 from json_each(${listSql(field, row)}) ${own} where ${conditionSql(value, values, own)})`;
}
