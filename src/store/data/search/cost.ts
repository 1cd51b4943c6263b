import {
  gatherLeaves,
  rowLeaves,
  type AnywhereCondition,
  type Condition,
  type LeafCondition,
} from "#domain/search/tree.ts";
import type { EntryDriver } from "./driver.ts";

/** Joins the parts as a balanced tree, because SQLite limits the depth of expressions to 100. */
export function balancedSql(operator: "and" | "or" | "+", parts: readonly string[]): string {
  if (parts.length <= 1) return parts[0] ?? (operator === "and" ? "1" : "0");
  const middle = parts.length >> 1;
  const [left, right] = [parts.slice(0, middle), parts.slice(middle)];
  return `(${balancedSql(operator, left)} ${operator} ${balancedSql(operator, right)})`;
}

/** The maximum cost of evaluating one item. It takes about 200 ms. */
const maxItemCostBytes = 200_000_000;
/** No stored item is larger than this. */
export const maxStoredBytes = 2_000_000;

/**
 * The rows that a candidate takes: its entry, the entry again to find the edge, and its item. Probes avoid item reads.
 */
export function candidateRows(
  probes: readonly EntryDriver[],
  conditions: readonly Condition[],
): number {
  return 2 + (probes.length > 0 ? 0.4 : 1) + lookUpRows(conditions);
}

/** The additional rows that evaluating an item reads. `itemCost` covers the entries of lists. */
export function lookUpRows(conditions: readonly Condition[]): number {
  const { leaves, anywhere } = gatherLeaves(conditions);
  const rows = leaves.reduce((sum, leaf) => {
    if (leaf.op === "matches") return sum + recordRows + lookUpRows([leaf.value]);
    return isTextLeaf(leaf) ? sum + 1 : sum;
  }, 0);
  return anywhere.reduce((sum, condition) => sum + anywhereRows(condition), rows);
}

/** The assumed number of texts in an item with many fields. The size of the item counts separately. */
const typicalTexts = 16;
/** The rows that measuring an item's size takes. Only the smallest items need no measuring. */
const measuringRows = 4;

/** The rows that reading a record by its id takes. */
const recordRows = 2;

function anywhereRows({ plainRun, fields }: AnywhereCondition): number {
  return measuringRows + (plainRun === "" ? 2 * Math.min(fields.length, typicalTexts) : 0);
}

/** The cost of evaluating an item. Reading one byte once costs 1. */
export interface ItemCost {
  /** The cost of the item per byte. */
  perByte: number;
  /** The cost of these lists per entry. */
  perEntry: { slot: string; cost: number }[];
  /** The cost of these lists of rows per text. */
  perText: { slot: string; cost: number }[];
  /** The number of passes over all texts of the item. */
  textPasses: number;
  /** The number of passes over line items. Each pass reads every row separately. */
  rowPasses: number;
  /** The number of lookups of folded texts. */
  lookUpCount: number;
  /**
   * The records that conditions read through references. `slot` is the list whose rows refer to them. Null if the item
   * itself does.
   */
  records: { collectionId: number; perByte: number; slot: string | null }[];
}

/** The cost of reading one entry of a list, and of looking up its folded text. */
const entryBytes = 40;
export const lookUpBytes = 400;
/** The cost of reading one text of a list in a row, and of each byte of rows. */
const innerBytes = 100;
export const rowsByteCost = 11;
/** Searching for this many letters, or testing this many conditions, costs 1 more per byte of the item. */
const lettersPerByte = 32;
const leavesPerByte = 4;
/** The cost per byte of searching all texts at once, or one by one with some lookups. */
const textsByteCost = 7;
const singleTextByteCost = 19;
/** The cost per byte of removing spaces. */
const spacesByteCost = 4;
/** At most this many texts are searched at once, because D1 limits a function to 32 arguments. */
export const maxTextsAtOnce = 24;
/** The shortest text that needs a lookup is `"1":"é",`. A pass over all texts reads every value as a row. */
const minTextBytes = 9;
const nodeBytes = 100;

export function itemCost(conditions: readonly Condition[]): ItemCost {
  const { leaves, anywhere } = gatherLeaves(conditions);
  const leavesInRows = leaves.flatMap((leaf) => rowLeaves(leaf));
  const allLeaves = [...leaves, ...leavesInRows];
  const texts = allLeaves.filter(isTextLeaf);
  // To find a value, SQLite searches all keys of the item.
  const perByte = texts.reduce(
    (sum, { value }) => sum + 1 + value.length / lettersPerByte,
    1 +
      allLeaves.length / leavesPerByte +
      anywhere.reduce((sum, condition) => sum + anywhereByteCost(condition), 0),
  );
  const perEntry = leaves.flatMap((leaf) => {
    const { source, kind } = leaf.field;
    if (source.in !== "data" || leaf.op === "is_empty") return [];
    if (kind === "multi_select") return [{ slot: source.slot, cost: entryBytes }];
    const rows = rowLeaves(leaf);
    const textCount = rows.filter(isTextLeaf).length;
    const cost = entryBytes * rows.length + lookUpBytes * textCount;
    return kind === "line_items" ? [{ slot: source.slot, cost }] : [];
  });
  const perText = leaves.flatMap((leaf) => {
    const { source } = leaf.field;
    const cost = rowLeaves(leaf).reduce((sum, rowLeaf) => sum + listCost(rowLeaf), 0);
    return source.in === "data" && cost > 0 ? [{ slot: source.slot, cost }] : [];
  });
  const rowPasses = leaves.filter(({ op }) => op === "any" || op === "none").length;
  const lookUpCount = leaves.filter(isTextLeaf).length;
  const records = leaves.flatMap((leaf) => [
    ...recordCosts(leaf, null),
    ...rowLeaves(leaf).flatMap((rowLeaf) => recordCosts(rowLeaf, leaf.field.source)),
  ]);
  const textPasses = anywhere.length;
  return { perByte, perEntry, perText, textPasses, rowPasses, lookUpCount, records };
}

/** The cost of reading a record by its id, independent of its size. */
const recordBytes = 1000;

function recordCosts(
  leaf: LeafCondition,
  list: LeafCondition["field"]["source"] | null,
): ItemCost["records"] {
  if (leaf.op !== "matches") return [];
  const inner = itemCost([leaf.value]);
  const perByte = maxCostPerByte(inner) + inner.rowPasses * rowsByteCost;
  const slot = list && list.in !== "system" ? list.slot : null;
  return [{ collectionId: leaf.collectionId, perByte, slot }];
}

/** SQL for the cost of reading records. Assumes that each record is as large as the largest one of its app. */
function recordsCostSql({ records }: ItemCost, rowCount: (slot: string) => string): string[] {
  return records.map(({ collectionId, perByte, slot }) => {
    const largest = `(select largest from tally where collection_id = ${collectionId})`;
    const cost = `(${recordBytes} + ${perByte} * ${largest})`;
    return slot === null ? cost : `${cost} * ${rowCount(slot)}`;
  });
}

export const rowCountSql = (slot: string) =>
  `coalesce(json_array_length(i.data, '$."${slot}"'), 0)`;

/** The cost per text of a list in a row. For `has_all`, it includes counting the matches. */
function listCost({ field, op }: LeafCondition): number {
  if (field.kind !== "multi_select" || op === "is_empty") return 0;
  return op === "has_all" ? 2 * innerBytes : innerBytes;
}

function anywhereByteCost(condition: AnywhereCondition): number {
  const { anywhere, plainRun, fields, lists, ignoresSpaces } = condition;
  const isOneSearch = plainRun !== "" && fields.length + lists.length <= maxTextsAtOnce;
  const byteCost = isOneSearch ? textsByteCost : singleTextByteCost;
  return byteCost + (ignoresSpaces ? spacesByteCost : 0) + anywhere.length / lettersPerByte;
}

/** The fewest bytes that an entry of a list, and a text in it, can take. */
const minEntryBytes = 5;
const minInnerTextBytes = 3;

/** The maximum cost of one byte of an item with any data. */
export function maxCostPerByte({ perByte, perEntry, perText, textPasses }: ItemCost): number {
  const textCost = textPasses * (lookUpBytes / minTextBytes + nodeBytes / minEntryBytes);
  const inner = perText.reduce((sum, { cost }) => sum + cost / minInnerTextBytes, textCost);
  return perEntry.reduce((sum, { cost }) => sum + cost / minEntryBytes, perByte + inner);
}

/** The part of an item `i` for which SQL computes the cost. */
export interface Measure {
  /** SQL for its bytes. */
  bytes: string;
  /** Whether the value in a slot belongs to the part. */
  counts: (slot: string) => boolean;
  /** SQL for the JSON of a list. Empty without one. */
  listText: (slot: string) => string;
}

/** The whole item. SQLite gets the size of the data without reading it. */
export const wholeMeasure: Measure = {
  bytes: "octet_length(i.data)",
  counts: () => true,
  listText: (slot) => `coalesce(i.data -> '$."${slot}"', '')`,
};

/** SQL for the cost of evaluating an item `i`. */
export function itemCostSql(itemCosts: ItemCost, measure = wholeMeasure): string {
  const { perByte, perEntry, perText } = itemCosts;
  const lists = sumBySlot(perEntry, measure).map(
    ([slot, cost]) => `${cost} * ${rowCountSql(slot)}`,
  );
  const inner = sumBySlot(perText, measure).map(([slot, cost]) => {
    const list = measure.listText(slot);
    // Each text or key has two quotes.
    return `${cost} * (octet_length(${list}) - octet_length(replace(${list}, '"', ''))) / 2`;
  });
  const records = recordsCostSql(itemCosts, rowCountSql);
  return balancedSql("+", [`${measure.bytes} * ${perByte}`, ...lists, ...inner, ...records]);
}

/** Adds up the costs of conditions on the same list. */
function sumBySlot(
  costs: readonly { slot: string; cost: number }[],
  { counts }: Measure,
): [slot: string, cost: number][] {
  const sums = new Map<string, number>();
  for (const { slot, cost } of costs)
    if (counts(slot)) sums.set(slot, (sums.get(slot) ?? 0) + cost);
  return [...sums];
}

/**
 * SQL for the full cost of an item, including the parts that the budget of a page counts as rows. It measures the item
 * only once, because measuring a part of many fields reads each value as a row.
 */
export function totalCostSql(cost: ItemCost, measure = wholeMeasure): string {
  const perByte = cost.perByte + cost.rowPasses * rowsByteCost;
  return `${itemCostSql({ ...cost, perByte }, measure)} + ${cost.lookUpCount * lookUpBytes}`;
}

/** SQL for an upper bound of `totalCostSql`. It reads no more of the item than the measure does. */
export function costBoundSql(cost: ItemCost, { bytes } = wholeMeasure): string {
  const perByte = maxCostPerByte(cost) + cost.rowPasses * rowsByteCost;
  const records = recordsCostSql(cost, () => `${bytes} / ${minEntryBytes}`);
  const own = `${bytes} * ${perByte} + ${cost.lookUpCount * lookUpBytes}`;
  return `(${[own, ...records].join(" + ")})`;
}

/** Whether the cost of an item depends on records of other apps. */
export const readsRecords = ({ records }: ItemCost): boolean => records.length > 0;

/** The maximum cost of this many items with `bytes` of data in total. */
export function maxTotalCost(cost: ItemCost, items: number, bytes: number): number {
  if (readsRecords(cost)) return Infinity;
  const perByte = maxCostPerByte(cost) + cost.rowPasses * rowsByteCost;
  return bytes * perByte + items * cost.lookUpCount * lookUpBytes;
}

/** Part of the error that a statement throws when an item would take too long to evaluate. */
export const tooHeavyMessage = "too heavy to judge";

/**
 * Makes a condition fail on an item `i` if evaluating it would cost too much. Returns the condition unchanged if no
 * item can cost that much. `conditions` determine the cost.
 */
export function boundedSql(
  conditions: readonly Condition[],
  condition: string,
  part = wholeMeasure,
): string {
  const cost = itemCost(conditions);
  const maxPerByte = maxCostPerByte(cost) + cost.rowPasses * rowsByteCost;
  const maxDataCost = maxItemCostBytes - cost.lookUpCount * lookUpBytes;
  if (!readsRecords(cost) && maxStoredBytes * maxPerByte <= maxDataCost) return condition;
  const bound = readsRecords(cost) ? costBoundSql(cost, part) : `${part.bytes} * ${maxPerByte}`;
  const isLight = `iif(${bound} <= ${maxDataCost}, 1, ${totalCostSql(cost, part)} <= ${maxItemCostBytes})`;
  // The invalid path raises the error. It contains the item's number, so SQLite cannot evaluate it in advance.
  return `iif(${isLight}, ${condition}, json_extract('{}', '${tooHeavyMessage} ' || i.number))`;
}

export type TextLeaf = Extract<LeafCondition, { op: "contains" | "starts_with" }>;

/** Whether a folded text needs a lookup. Ids and receipt numbers are short and need none. */
function isTextLeaf(leaf: LeafCondition): leaf is TextLeaf {
  const isText = leaf.op === "contains" || leaf.op === "starts_with";
  return isText && leaf.field.source.in !== "system";
}
