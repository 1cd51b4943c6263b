import type { Anywhere, Condition, Leaf } from "#domain/search/tree.ts";
import type { EntryDriver } from "./driver.ts";

/** A tree of pairs and not a chain: SQLite takes expressions 100 deep. */
export function balanced(operator: "and" | "or" | "+", parts: readonly string[]): string {
  if (parts.length <= 1) return parts[0] ?? (operator === "and" ? "1" : "0");
  const middle = parts.length >> 1;
  const [left, right] = [parts.slice(0, middle), parts.slice(middle)];
  return `(${balanced(operator, left)} ${operator} ${balanced(operator, right)})`;
}

/**
 * Rows that a page may read before it ends early: some 10 ms of D1's time, so that no search holds up the others,
 * and far above what a page of 200 needs where an index serves it.
 */
export const scanBudget = 10_000;

/** Bytes of stored data that a page may hold, and look at where items are large: then it ends early as well. */
export const pageBytes = 4_000_000;
/** Where all that a page could look at is less than this, whatever is stored, nobody measures. */
export const lightBytes = 16_000_000;
/** What may be sorted at once. */
export const mostSortedBytes = 16_000_000;
/** What judging a single item may cost: some 200 ms. */
const mostItemBytes = 200_000_000;
/** No item is larger. */
const largestItem = 2_000_000;

/** How many candidates the budget allows; one at the least, so that every page gets on. */
export function candidatesWithin(budget: number, rowsPerCandidate: number): number {
  return Math.max(1, Math.floor(budget / rowsPerCandidate));
}

/** An entry, the same again to find the edge, and the item; few items are fetched where probes go before. */
export function perCandidate(
  probes: readonly EntryDriver[],
  conditions: readonly Condition[],
): number {
  return 2 + (probes.length > 0 ? 0.4 : 1) + lookUps(conditions);
}

/** Rows that judging an item reads besides; those of lists are counted where they are. */
export function lookUps(conditions: readonly Condition[]): number {
  const { leaves, anywhere } = gatherLeaves(conditions);
  const texts = leaves.filter(isTextSearch).length;
  return anywhere.reduce((sum, each) => sum + anywhereRows(each), texts);
}

/** Texts that an item with many fields is taken to have; how large it is counts besides. */
const typicalTexts = 16;
/** What the sizes of items cost that are summed up, as they are for all but the smallest. */
const measuring = 4;

function anywhereRows({ plain, fields }: Anywhere): number {
  return measuring + (plain === "" ? 2 * Math.min(fields.length, typicalTexts) : 0);
}

/** What judging an item costs, in bytes that are read once. */
export interface ItemCost {
  /** For each byte of the item. */
  perByte: number;
  /** For each entry of these lists. */
  perEntry: { slot: string; cost: number }[];
  /** For each text in these lists of rows. */
  perText: { slot: string; cost: number }[];
  /** How often all texts of the item are gone through. */
  texts: number;
  /** How often its rows are gone through, each of which is read for itself. */
  rows: number;
  /** How many folded texts are looked up. */
  lookUps: number;
}

/** Going through one entry of a list; and looking up its folded text besides. */
const entryBytes = 40;
const lookUpBytes = 400;
/** Going through one text of a list in a row, and through rows for each of their bytes. */
const innerBytes = 100;
const rowsByte = 11;
/** Letters that are compared with each letter of a text, for the cost of reading a byte. */
const lettersPerByte = 32;
const leavesPerByte = 4;
/** Looking through all texts of an item at once; going through them one by one, of which some are looked up. */
const textsByte = 7;
const eachTextByte = 19;
/** So many texts are looked through at once: D1 takes 32 arguments of a function. */
export const mostAtOnce = 24;
/** The shortest text that is looked up is `"1":"é",`; each value that is gone through is a row. */
const leastTextBytes = 9;
const nodeBytes = 100;

export function itemCost(conditions: readonly Condition[]): ItemCost {
  const { leaves, anywhere } = gatherLeaves(conditions);
  const inRows = leaves.flatMap((leaf) => rowLeaves(leaf));
  const all = [...leaves, ...inRows];
  const texts = all.filter(isTextSearch);
  // Each value is sought among all keys of the item.
  const perByte = texts.reduce(
    (sum, { value }) => sum + 1 + value.length / lettersPerByte,
    1 + all.length / leavesPerByte + anywhere.reduce((sum, each) => sum + anywhereByte(each), 0),
  );
  const perEntry = leaves.flatMap((leaf) => {
    const { source, kind } = leaf.field;
    if (source.in !== "data" || leaf.op === "is_empty") return [];
    if (kind === "multi_select") return [{ slot: source.slot, cost: entryBytes }];
    const rows = rowLeaves(leaf);
    const sought = rows.filter(isTextSearch).length;
    const cost = entryBytes * rows.length + lookUpBytes * sought;
    return kind === "line_items" ? [{ slot: source.slot, cost }] : [];
  });
  const perText = leaves.flatMap((leaf) => {
    const { source } = leaf.field;
    const cost = rowLeaves(leaf).reduce((sum, each) => sum + listCost(each), 0);
    return source.in === "data" && cost > 0 ? [{ slot: source.slot, cost }] : [];
  });
  const rows = leaves.filter(({ op }) => op === "any" || op === "none").length;
  const lookedUp = leaves.filter(isTextSearch).length;
  return { perByte, perEntry, perText, texts: anywhere.length, rows, lookUps: lookedUp };
}

/** Of a list in a row; `has_all` counts what it finds. */
function listCost({ field, op }: Leaf): number {
  if (field.kind !== "multi_select" || op === "is_empty") return 0;
  return op === "has_all" ? 2 * innerBytes : innerBytes;
}

function anywhereByte({ anywhere, plain, fields, lists }: Anywhere): number {
  const atOnce = plain !== "" && fields.length + lists.length <= mostAtOnce;
  return (atOnce ? textsByte : eachTextByte) + anywhere.length / lettersPerByte;
}

/** An entry of a list, and a text, take so many bytes at the least. */
const leastEntryBytes = 5;
const leastBytes = 3;

/** The most that a byte of an item can cost, whatever is stored. */
export function worstPerByte({ perByte, perEntry, perText, texts }: ItemCost): number {
  const looked = texts * (lookUpBytes / leastTextBytes + nodeBytes / leastEntryBytes);
  const inner = perText.reduce((sum, { cost }) => sum + cost / leastBytes, looked);
  return perEntry.reduce((sum, { cost }) => sum + cost / leastEntryBytes, perByte + inner);
}

/** The cost of judging an item `i`, as SQL. Its size is told without reading it. */
export function itemCostSql({ perByte, perEntry, perText }: ItemCost): string {
  const lists = bySlot(perEntry).map(
    ([slot, cost]) => `${cost} * coalesce(json_array_length(i.data, '$."${slot}"'), 0)`,
  );
  const inner = bySlot(perText).map(([slot, cost]) => {
    const list = `coalesce(i.data -> '$."${slot}"', '')`;
    // Each text has two quotes, keys included.
    return `${cost} * (octet_length(${list}) - octet_length(replace(${list}, '"', ''))) / 2`;
  });
  return balanced("+", [`octet_length(i.data) * ${perByte}`, ...lists, ...inner]);
}

/** Conditions on the same list are reckoned together. */
function bySlot(costs: readonly { slot: string; cost: number }[]): [slot: string, cost: number][] {
  const sums = new Map<string, number>();
  for (const { slot, cost } of costs) sums.set(slot, (sums.get(slot) ?? 0) + cost);
  return [...sums];
}

/** The same with what pages count as rows. */
export function wholeCostSql(cost: ItemCost): string {
  const { rows, lookUps: sought } = cost;
  const perRow = ` + octet_length(i.data) * ${rows * rowsByte} + ${sought * lookUpBytes}`;
  return itemCostSql(cost) + perRow;
}

/** Is part of the error of a statement that has met an item which it would take too long to judge. */
export const tooHeavy = "too heavy to judge";

/** What is `judged` of an item `i`; an error where that would cost too much. Most searches cannot. */
export function boundedSql(conditions: readonly Condition[], judged: string): string {
  const cost = itemCost(conditions);
  const worst = worstPerByte(cost) + cost.rows * rowsByte;
  const most = mostItemBytes - cost.lookUps * lookUpBytes;
  if (largestItem * worst <= most) return judged;
  const isLight = `iif(octet_length(i.data) * ${worst} <= ${most}, 1, ${wholeCostSql(cost)} <= ${mostItemBytes})`;
  // There is no such path; named by the item, so that SQLite does not try it beforehand.
  return `iif(${isLight}, ${judged}, json_extract('{}', '${tooHeavy} ' || i.number))`;
}

interface Leaves {
  leaves: Leaf[];
  anywhere: Anywhere[];
}

function gatherLeaves(conditions: readonly Condition[]): Leaves {
  const found: Leaves = { leaves: [], anywhere: [] };
  const visit = (condition: Condition): void => {
    if ("all" in condition) condition.all.forEach(visit);
    else if ("any" in condition) condition.any.forEach(visit);
    else if ("not" in condition) visit(condition.not);
    else if ("anywhere" in condition) found.anywhere.push(condition);
    else found.leaves.push(condition);
  };
  conditions.forEach(visit);
  return found;
}

function rowLeaves({ op, value }: Leaf): Leaf[] {
  return op === "any" || op === "none" ? gatherLeaves([value]).leaves : [];
}

type TextSearch = Extract<Leaf, { op: "contains" | "starts_with" }>;

/** Ids and receipt numbers are short, and no entry is looked up for them. */
function isTextSearch(leaf: Leaf): leaf is TextSearch {
  const isText = leaf.op === "contains" || leaf.op === "starts_with";
  return isText && leaf.field.source.in !== "system";
}
