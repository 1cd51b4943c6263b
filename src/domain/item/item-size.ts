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

export function refuseTooManyEntries(entries: readonly unknown[]): void {
  if (entries.length > mostEntries) throw problem.tooManyEntries(entries.length, mostEntries);
}

export function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** A UTF-16 unit takes at most three bytes in UTF-8, so most texts need no measuring. */
export function fitsStorage(text: string): boolean {
  return text.length * 3 <= mostBytes || bytesOf(text) <= mostBytes;
}
