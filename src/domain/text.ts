/**
 * Text that SQLite keeps as it is: whole characters, and no NUL, at which its functions would end the text. Longer runs of
 * combining marks than any script has would make normal forms a computation of their own (UAX #15, Stream-Safe Text).
 */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0") && !(isBeyondLatin(text) && marks.test(text));
}

const marks = /\p{M}{101}/u;

/** Latin-1 has no combining marks, and is its own normal form. */
function isBeyondLatin(text: string): boolean {
  return /[^\0-\xff]/.test(text);
}

export const storable =
  "well-formed Unicode without the character U+0000, and with at most 100 combining marks in a row";

export function hasNoControls(text: string): boolean {
  return !/\p{Cc}/u.test(text);
}
