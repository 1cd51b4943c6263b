import type { PartSizes } from "#domain/item/part-limits.ts";

/**
 * Rows that a page may read before it ends early. They take D1 about 10 ms, so no search delays others much.
 * A page of 200 needs far fewer rows if an index serves it.
 */
const scanBudget = 10_000;

/** What one statement of a search may read. */
export interface ScanBudget {
  rows: number;
  /** The bytes for which a narrow caller's page has room: of what the caller sees, and of the rest. */
  room: PartSizes;
  /** The cost of evaluating items, if all items that it may return fit a page. Reading one byte once costs 1. */
  cost: number;
}

/** Bytes of stored data that a page may return. If items are large, it also limits what the page may examine. */
export const maxPageBytes = 4_000_000;
const emptyPage: PartSizes = { shown: maxPageBytes, hidden: maxPageBytes };
export const pageBudget: ScanBudget = { rows: scanBudget, cost: maxPageBytes, room: emptyPage };
/** People wait for a full page, so a search of theirs continues with statements of about 100 ms each. */
export const deepBudget: ScanBudget = { rows: 125_000, cost: 100_000_000, room: emptyPage };
/** If a page's candidates cannot cost more than this, the statement does not measure them. */
export const minMeasuredBytes = 16_000_000;
/** A narrow caller's page counts its bytes apart, so that the size of other items does not change what it may cost. */
export const narrowBudget: ScanBudget = { ...pageBudget, cost: minMeasuredBytes };
/** The maximum cost of one sort. */
export const maxSortedBytes = 16_000_000;
/** The maximum bytes of items that one page may read to sort them by several keys. */
export const maxKeyItemBytes = 32_000_000;
/** The same for the values in index entries of the sort keys, which are read instead of large items. */
export const maxKeyEntryBytes = 16_000_000;

/** The number of candidates that the budget allows. At least one, so every page makes progress. */
export function candidatesWithin({ rows }: ScanBudget, rowsPerCandidate: number): number {
  return Math.max(1, Math.floor(rows / rowsPerCandidate));
}
