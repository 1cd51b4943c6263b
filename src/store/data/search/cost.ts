import {
  isTextLeaf,
  itemCost,
  lookUpBytes,
  maxCostPerByte,
  maxStoredBytes,
  minEntryBytes,
  readsRecords,
  rowsByteCost,
  type ItemCost,
} from "#domain/search/item-cost.ts";
import { gatherLeaves, type AnywhereCondition, type Condition } from "#domain/search/tree.ts";
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

/** The cost of reading a record by its id, independent of its size. */
const recordBytes = 1000;

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
