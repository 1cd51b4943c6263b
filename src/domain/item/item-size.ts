import { problem } from "../problem/problem";

/**
 * D1 takes 2,000,000 bytes in a string or row. Defaults, empty columns of rows and folded text can make more of an
 * item than was sent, so what is to be stored and shown is measured.
 */
const mostBytes = 1_900_000;

export function refuseTooLarge(...texts: string[]): void {
  if (!texts.every(fitsStorage)) throw problem.itemTooLarge(mostBytes);
}

/** Each value of a searchable field is a row of the search index, so their number is what a write costs. */
const mostEntries = 30_000;

/** What had more before may keep as many: its definition has changed, and the item can still be changed and closed. */
export function refuseTooManyEntries(entries: readonly unknown[], before = 0): void {
  if (entries.length <= Math.max(mostEntries, before)) return;
  throw problem.tooManyEntries(entries.length, mostEntries);
}

/** What an item is shown as grows with its definition: a change is refused only where it shows more than before. */
export function refuseShownTooLarge(shown: unknown, before: () => unknown): void {
  const text = JSON.stringify(shown);
  if (fitsStorage(text) || bytesOf(text) <= bytesOf(JSON.stringify(before()))) return;
  throw problem.itemTooLarge(mostBytes);
}

export function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** A UTF-16 unit takes at most three bytes in UTF-8, so most texts need no measuring. */
export function fitsStorage(text: string): boolean {
  return text.length * 3 <= mostBytes || bytesOf(text) <= mostBytes;
}
