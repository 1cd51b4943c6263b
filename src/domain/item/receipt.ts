const digits = 6;
const mostDigits = 10;

/** `ORD-` and 42 are `ORD-000042`; numbers that outgrow the padding are written in full. */
export function receiptNumber(prefix: string, place: number): string {
  return prefix + String(place).padStart(digits, "0");
}

/** The runs of places whose receipt numbers, with this prefix, begin with a text, without case. */
export function placesBeginning(prefix: string, text: string): [from: number, below: number][] {
  const begins = text.slice(0, prefix.length).toLowerCase() === prefix.toLowerCase();
  const number = text.slice(prefix.length);
  if (!begins || !/^\d{1,10}$/.test(number)) return [];
  const runs: [number, number][] = [];
  for (let length = Math.max(digits, number.length); length <= mostDigits; length += 1) {
    const room = 10 ** (length - number.length);
    const from = Number(number) * room;
    if (length === digits || !number.startsWith("0")) runs.push([from, from + room]);
  }
  return runs;
}

/**
 * The places in its app that a receipt number can stand for. There is more than one where the prefix ends in
 * digits, which only the stored receipt number can tell from the number itself.
 */
export function receiptPlaces(receipt: string): number[] {
  const tail = /\d+$/.exec(receipt)?.[0] ?? "";
  const places = [];
  for (let length = digits; length <= Math.min(tail.length, mostDigits); length += 1) {
    const number = tail.slice(-length);
    if (length === digits || !number.startsWith("0")) places.push(Number(number));
  }
  return places.filter((place) => place > 0);
}
