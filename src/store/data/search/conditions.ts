import type { SystemField } from "#domain/data/values.ts";
import { isStoredOrder } from "#domain/search/sort.ts";
import type {
  SearchField,
  Comparable,
  AnywhereCondition,
  Condition,
  LeafCondition,
  MatchesCondition,
} from "#domain/search/tree.ts";
import { specialFoldLetters } from "#domain/search/text.ts";
import { maxTextsAtOnce, type TextLeaf } from "#domain/search/item-cost.ts";
import type { SearchValues } from "./search-values.ts";
import { balancedSql } from "./cost.ts";

const systemColumns: Record<SystemField, string> = {
  id: "i.id",
  status: "i.status",
  receiptNumber: "i.receipt_number",
  createdAt: "i.created_at",
  updatedAt: "i.updated_at",
  createdBy: "i.created_by",
  updatedBy: "i.updated_by",
};

/** SQL for the value of a field in comparable form. Null when empty. `row` is the item `i` or a row of line items. */
export function valueSql({ source, type }: SearchField, row = "i"): string {
  if (source.in === "system") return systemColumns[source.name];
  const slotValue =
    source.in === "data" ? `i.data ->> '${source.slot}'` : `${row}.value ->> '${source.slot}'`;
  if (type === "date") return `substr(${slotValue}, 1, 10)`;
  return type === "datetime" ? `rtrim(${slotValue}, 'Z')` : `(${slotValue})`;
}

/** SQL for the value that a sort key sorts by. Fields in stored order sort by the item's number. */
export function sortSql(field: SearchField): string {
  return isStoredOrder(field) ? "i.number" : valueSql(field);
}

/** SQL for a field's stored list, null when empty. */
export function listSql({ source }: SearchField, row = "i"): string {
  if (source.in === "system") return "null";
  return source.in === "data" ? `i.data -> '${source.slot}'` : `${row}.value -> '${source.slot}'`;
}

/** SQL condition: a text, the id or the receipt number of an item `i` contains a text, ignoring case. */
function anywhereSql(condition: AnywhereCondition, values: SearchValues): string {
  const { anywhere, plainRun, fields } = condition;
  const needle = values.scalar(anywhere);
  const systemMatches = fields.flatMap(({ source }) =>
    source.in === "system"
      ? [`coalesce(instr(lower(${systemColumns[source.name]}), ${needle}), 0) > 0`]
      : [],
  );
  const textMatch = textsSql(condition, needle, values);
  const dataMatch =
    plainRun === "" ? textMatch : `(${mayContainSql(condition, values)} and ${textMatch})`;
  return balancedSql("or", [...systemMatches, dataMatch]);
}

/**
 * Checks all texts of the item in one pass, however many fields there are. SQLite folds ASCII texts correctly.
 * The folded form of any other text comes from the search index.
 */
function textsSql(
  { fields, plainRun, ignoresSpaces }: AnywhereCondition,
  needle: string,
  values: SearchValues,
): string {
  const slots = fields.flatMap(dataSlots);
  const bases = fields.flatMap((field) =>
    dataSlots(field).map((slot) => field.number - Number(slot)),
  );
  const compared = (text: string) => (ignoresSpaces ? withoutSpaces(text) : text);
  const indexMatch = `(select instr(${compared("e.text")}, ${needle}) from ${values.entryTexts()} e
      where e.field = ${bases[0] ?? 0} + t.key and e.value = t.atom and e.item = i.number)`;
  const plainFilter =
    plainRun === "" ? "" : ` and ${plainSql(compared("t.atom"), plainRun, values)}`;
  return existsSql(
    "json_tree(i.data) t",
    `t.type = 'text' and t.key in ${values.list(slots)}${plainFilter}
      and iif(octet_length(t.atom) = length(t.atom), instr(lower(t.atom), ${needle}), ${indexMatch}) > 0`,
  );
}

/**
 * Rules out most items before `textsSql` runs, where D1 counts each text as a row read.
 * Searches all texts at once, or the item's whole data when there are many fields.
 */
function mayContainSql(
  { plainRun, fields, lists, ignoresSpaces }: AnywhereCondition,
  values: SearchValues,
): string {
  const slots = [...fields.filter(({ source }) => source.in === "data"), ...lists].flatMap(
    dataSlots,
  );
  const paths = slots.map((slot) => `'$."${slot}"'`);
  // The extra path never exists. With several paths, `json_extract` always returns a list.
  const texts =
    slots.length > maxTextsAtOnce
      ? "i.data"
      : `json_extract(${["i.data", ...paths, "'$.no'"].join(", ")})`;
  return plainSql(ignoresSpaces ? withoutSpaces(texts) : texts, plainRun, values);
}

/** SQL for a text without the spaces that Western and Japanese keyboards type. */
const withoutSpaces = (text: string): string =>
  `replace(replace(${text}, ' ', ''), char(0x3000), '')`;

function plainSql(text: string, plain: string, values: SearchValues): string {
  return `(instr(lower(${text}), ${values.scalar(plain)}) > 0 or ${text} glob '*[${specialFoldLetters}]*')`;
}

function dataSlots({ source }: SearchField): string[] {
  return source.in === "system" ? [] : [source.slot];
}

/**
 * Builds a condition as SQL on an item `i`. The SQL returns 0 or 1, never null. Every plan applies it, so it decides
 * the matches. It never contains a caller's keys or values: fields are integers and values are parameters.
 */
export function conditionSql(condition: Condition, values: SearchValues, row = "i"): string {
  if ("all" in condition) return joinedSql("and", condition.all, values, row);
  if ("any" in condition) return joinedSql("or", condition.any, values, row);
  if ("anywhere" in condition) return anywhereSql(condition, values);
  if ("not" in condition) return `(not ${conditionSql(condition.not, values, row)})`;
  return leafSql(condition, values, row);
}

function leafSql(leaf: LeafCondition, values: SearchValues, row: string): string {
  const { field, op, value } = leaf;
  const column = valueSql(field, row);
  switch (op) {
    case "eq":
      return `(${column} is ${values.scalar(value)})`;
    case "ne":
      return `(${column} is not ${values.scalar(value)})`;
    case "gt":
      return falseIfNull(`${column} > ${values.scalar(value)}`);
    case "gte":
      return falseIfNull(`${column} >= ${values.scalar(value)}`);
    case "lt":
      return falseIfNull(`${column} < ${values.scalar(value)}`);
    case "lte":
      return falseIfNull(`${column} <= ${values.scalar(value)}`);
    case "between":
      return falseIfNull(
        `${column} between ${values.scalar(value[0])} and ${values.scalar(value[1])}`,
      );
    case "in":
      return falseIfNull(`${column} in ${values.list(value)}`);
    case "not_in":
      return `(not ${falseIfNull(`${column} in ${values.list(value)}`)})`;
    case "contains":
    case "starts_with":
      return foldedSql(leaf, column, values);
    case "is_empty":
      return `(${column} is ${value ? "" : "not "}null)`;
    case "has_any":
      return hasAnySql(field, values.list(value), row);
    case "has_none":
      return `(not ${hasAnySql(field, values.list(value), row)})`;
    case "has_all":
      return hasAllSql(field, [...new Set(value)], values, row);
    case "any":
      return anyRowSql(field, value, values, row);
    case "none":
      return `(not ${anyRowSql(field, value, values, row)})`;
    case "matches":
      return matchesSql(leaf, column, values);
  }
}

/**
 * SQL for whether the record of a reference meets conditions. Inside, the record is `i`. A reference without a record
 * does not match.
 */
function matchesSql(
  { value, collectionId }: MatchesCondition,
  column: string,
  values: SearchValues,
): string {
  return existsSql(
    `(select ${column} as id) t cross join item i on i.id = t.id`,
    `i.collection_id = ${collectionId} and ${conditionSql(value, values)}`,
  );
}

/**
 * SQL for whether a row exists. SQLite limits the depth of nested expressions. It counts an expression in a subquery of
 * `exists` again in each outer expression, but not one in a subquery of `from`. This therefore uses a subquery of
 * `from`.
 */
function existsSql(from: string, where: string): string {
  return `exists (select 1 from (select 1 from ${from} where ${where}))`;
}

/** SQL for whether an item `i` meets all conditions. */
export const allSql = (conditions: readonly Condition[], values: SearchValues): string =>
  joinedSql("and", conditions, values, "i");

function joinedSql(
  operator: "and" | "or",
  conditions: readonly Condition[],
  values: SearchValues,
  row: string,
): string {
  return balancedSql(
    operator,
    conditions.map((condition) => conditionSql(condition, values, row)),
  );
}

function falseIfNull(comparison: string): string {
  return `coalesce(${comparison}, 0)`;
}

/**
 * Tests the folded text of a value. Only the search index has it, and one index lookup by value finds it.
 * Ids and receipt numbers need no lookup, because they are ASCII, which SQLite folds itself.
 */
function foldedSql({ field, op, value }: TextLeaf, column: string, values: SearchValues): string {
  const needle = values.scalar(value);
  const test = (text: string) =>
    op === "contains"
      ? `instr(${text}, ${needle}) > 0`
      : `substr(${text}, 1, length(${needle})) = ${needle}`;
  if (field.source.in === "system") return falseIfNull(test(`lower(${column})`));
  return existsSql(
    `${values.entryTexts()} e`,
    `e.field = ${field.number} and e.value = ${column} and e.item = i.number and ${test("e.text")}`,
  );
}

function hasAnySql(field: SearchField, list: string, row: string): string {
  return existsSql(`json_each(${listSql(field, row)}) m`, `m.value in ${list}`);
}

/** SQL for whether a list contains all values. Reads the item's list once, however many values there are. */
function hasAllSql(
  field: SearchField,
  operands: Comparable[],
  values: SearchValues,
  row: string,
): string {
  const matchCount = `select count(distinct m.value) from json_each(${listSql(field, row)}) m where m.value in ${values.list(operands)}`;
  return `((${matchCount}) = ${operands.length})`;
}

function anyRowSql(
  field: SearchField,
  condition: Condition,
  values: SearchValues,
  row: string,
): string {
  const innerRow = `${row}r`;
  return existsSql(
    `json_each(${listSql(field, row)}) ${innerRow}`,
    conditionSql(condition, values, innerRow),
  );
}
