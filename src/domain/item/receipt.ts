const digits = 6;

/** `ORD-` and 42 are `ORD-000042`; numbers that outgrow the padding are written in full. */
export function receiptNumber(prefix: string, place: number): string {
  return prefix + String(place).padStart(digits, "0");
}

/**
 * The places in its app that a receipt number can stand for. There is more than one where the prefix ends in
 * digits, which only the stored receipt number can tell from the number itself.
 */
export function receiptPlaces(receipt: string): number[] {
  const tail = /\d+$/.exec(receipt)?.[0] ?? "";
  const places = [];
  for (let length = digits; length <= Math.min(tail.length, 10); length += 1) {
    const number = tail.slice(-length);
    if (length === digits || !number.startsWith("0")) places.push(Number(number));
  }
  return places.filter((place) => place > 0);
}
