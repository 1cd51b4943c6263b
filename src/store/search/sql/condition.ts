import type { Comparable, Condition, Leaf, SearchField } from "../../../domain/search/tree";
import { anywhereSql } from "./anywhere";
import { balanced } from "./balanced";
import { folded, listSql, valueSql } from "./value";
import type { Values } from "./values";

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
