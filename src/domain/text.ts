/**
 * Text that SQLite keeps as it is: whole characters, and no NUL, at which its functions would end the text. Longer runs of
 * combining marks than any script has would make normal forms a computation of their own (UAX #15, Stream-Safe Text).
 */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0") && !(isBeyondLatin(text) && hasLongRun(text));
}

/** The text in normal form C, as it is stored and compared; undefined where it is not storable, or not so any more. */
export function storedText(text: string): string | undefined {
  if (!isStorable(text)) return undefined;
  if (!isBeyondLatin(text)) return text;
  const normal = text.normalize("NFC");
  return normal === text || isStorable(normal) ? normal : undefined;
}

const mostMarks = 30;
const run = /\p{M}+/gu;

/** Each run is gone through once: a pattern that counts would begin anew at each of its marks. */
function hasLongRun(text: string): boolean {
  for (const [marks] of text.matchAll(run)) {
    if (marks.length > mostMarks && Array.from(marks).length > mostMarks) return true;
  }
  return false;
}

/** Latin-1 has no combining marks, and is its own normal form. */
function isBeyondLatin(text: string): boolean {
  return /[^\0-\xff]/.test(text);
}

export const storable = `well-formed Unicode without the character U+0000, and with at most ${mostMarks} combining marks in a row`;

export function hasNoControls(text: string): boolean {
  return !/\p{Cc}/u.test(text);
}
