import type { Condition, Leaf } from "../../domain/search/tree";
import type { Driver } from "./driver";

/**
 * Rows that a page may read before it ends early: some 10 ms of D1's time, so that no search holds up the others,
 * and far above what a page of 200 needs where an index serves it.
 */
export const scanBudget = 10_000;

/** Bytes of stored data that a page may hold, and look at where items are large: then it ends early as well. */
export const pageBytes = 4_000_000;
/** Where all that a page could look at is less than this, whatever is stored, nobody measures. */
export const lightBytes = 16_000_000;
/** What may be sorted by several keys at once. */
export const mostSortedBytes = 64_000_000;

/** How many candidates the budget allows; one at the least, so that every page gets on. */
export function candidatesWithin(budget: number, rowsPerCandidate: number): number {
  return Math.max(1, Math.floor(budget / rowsPerCandidate));
}

/** An entry, the same again to find the edge, and the item; few items are fetched where probes go before. */
export function perCandidate(probes: readonly Driver[], conditions: readonly Condition[]): number {
  return 2 + (probes.length > 0 ? 0.4 : 1) + lookUps(conditions);
}

/** Look-ups of folded text that judging one item takes; those of rows are counted where they are. */
export function lookUps(conditions: readonly Condition[]): number {
  return gatherLeaves(conditions).filter(isTextSearch).length;
}

/** What judging an item costs, in bytes that are read once. */
export interface ItemCost {
  /** For each byte of the item. */
  perByte: number;
  /** For each entry of these lists. */
  perEntry: { slot: string; cost: number }[];
}

/** Going through one entry of a list; and looking up its folded text besides. */
const entryBytes = 40;
const lookUpBytes = 400;
/** Letters that are compared with each letter of a text, for the cost of reading a byte. */
const lettersPerByte = 32;
const leavesPerByte = 4;

export function itemCost(conditions: readonly Condition[]): ItemCost {
  const leaves = gatherLeaves(conditions);
  const inRows = leaves.flatMap((leaf) => rowLeaves(leaf));
  const all = [...leaves, ...inRows];
  const texts = all.filter(isTextSearch);
  // Each value is sought among all keys of the item.
  const perByte = texts.reduce(
    (sum, { value }) => sum + 1 + value.length / lettersPerByte,
    1 + all.length / leavesPerByte,
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
  return { perByte, perEntry };
}

/** An entry of a list takes so many bytes at the least. */
const leastEntryBytes = 5;

/** The most that a byte of an item can cost, whatever is stored. */
export function worstPerByte({ perByte, perEntry }: ItemCost): number {
  return perEntry.reduce((sum, { cost }) => sum + cost / leastEntryBytes, perByte);
}

/** The cost of judging an item `i`, as SQL. Its size is told without reading it. */
export function itemCostSql({ perByte, perEntry }: ItemCost): string {
  const lists = perEntry.map(
    ({ slot, cost }) => ` + ${cost} * coalesce(json_array_length(i.data, '$."${slot}"'), 0)`,
  );
  return `octet_length(i.data) * ${perByte}${lists.join("")}`;
}

function gatherLeaves(conditions: readonly Condition[]): Leaf[] {
  return conditions.flatMap((each) => {
    if ("all" in each) return gatherLeaves(each.all);
    if ("any" in each) return gatherLeaves(each.any);
    return "not" in each ? gatherLeaves([each.not]) : [each];
  });
}

function rowLeaves({ op, value }: Leaf): Leaf[] {
  return op === "any" || op === "none" ? gatherLeaves([value]) : [];
}

type TextSearch = Extract<Leaf, { op: "contains" | "starts_with" }>;

function isTextSearch(leaf: Leaf): leaf is TextSearch {
  return leaf.op === "contains" || leaf.op === "starts_with";
}
