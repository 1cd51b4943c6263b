import {
  gatherLeaves,
  rowLeaves,
  type AnywhereCondition,
  type Condition,
  type LeafCondition,
} from "./tree.ts";

/** How much it costs to evaluate conditions on an item. */

/** No stored item is larger than this. */
export const maxStoredBytes = 2_000_000;

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
export const minEntryBytes = 5;
const minInnerTextBytes = 3;

/** The maximum cost of one byte of an item with any data. */
export function maxCostPerByte({ perByte, perEntry, perText, textPasses }: ItemCost): number {
  const textCost = textPasses * (lookUpBytes / minTextBytes + nodeBytes / minEntryBytes);
  const inner = perText.reduce((sum, { cost }) => sum + cost / minInnerTextBytes, textCost);
  return perEntry.reduce((sum, { cost }) => sum + cost / minEntryBytes, perByte + inner);
}

/** Whether the cost of an item depends on records of other apps. */
export const readsRecords = ({ records }: ItemCost): boolean => records.length > 0;

/** The maximum cost of this many items with `bytes` of data in total. */
export function maxTotalCost(cost: ItemCost, items: number, bytes: number): number {
  if (readsRecords(cost)) return Infinity;
  const perByte = maxCostPerByte(cost) + cost.rowPasses * rowsByteCost;
  return bytes * perByte + items * cost.lookUpCount * lookUpBytes;
}

export type TextLeaf = Extract<LeafCondition, { op: "contains" | "starts_with" }>;

/** Whether a folded text needs a lookup. Ids and receipt numbers are short and need none. */
export function isTextLeaf(leaf: LeafCondition): leaf is TextLeaf {
  const isText = leaf.op === "contains" || leaf.op === "starts_with";
  return isText && leaf.field.source.in !== "system";
}
