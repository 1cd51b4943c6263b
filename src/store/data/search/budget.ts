import type { PartSizes } from "#domain/item/part-limits.ts";

/**
 * The rows that a page may read before it ends early. D1 reads them in about 10 ms, so no search delays others much. A
 * page of 200 needs far fewer rows if an index serves it.
 */
const scanBudget = 10_000;

/** The limits of one statement of a search. */
export interface ScanBudget {
  rows: number;
  /** The bytes that a narrow caller's page may have: of the parts that the caller sees, and of the rest. */
  room: PartSizes;
  /**
   * The maximum cost of evaluating items, provided that all items which the statement may return fit a page. Reading
   * one byte once costs 1.
   */
  cost: number;
}

/** Bytes of stored data that a page may return. If items are large, it also limits what the page may examine. */
export const maxPageBytes = 4_000_000;
const emptyPage: PartSizes = { shown: maxPageBytes, hidden: maxPageBytes };
export const pageBudget: ScanBudget = { rows: scanBudget, cost: maxPageBytes, room: emptyPage };
/** People wait for a full page, so their searches continue with statements of about 100 ms each. */
export const deepBudget: ScanBudget = { rows: 125_000, cost: 100_000_000, room: emptyPage };
/** If a page's candidates cannot cost more than this, the statement does not measure them. */
export const minMeasuredBytes = 16_000_000;
/**
 * A narrow caller's page counts its bytes separately, so that the size of other items does not change the cost limit.
 */
export const narrowBudget: ScanBudget = { ...pageBudget, cost: minMeasuredBytes };
/** The maximum bytes that one sort may process. */
export const maxSortedBytes = 16_000_000;
/** The maximum bytes of items that one page may read to sort them by several keys. */
export const maxKeyItemBytes = 32_000_000;
/** The same limit for the values in index entries of the sort keys. A sort reads these instead of large items. */
export const maxKeyEntryBytes = 16_000_000;

/** Returns the number of candidates that the budget allows. It is at least one, so every page makes progress. */
export function candidatesWithin({ rows }: ScanBudget, rowsPerCandidate: number): number {
  return Math.max(1, Math.floor(rows / rowsPerCandidate));
}
