/** Text that SQLite keeps as it is: whole characters, and no NUL, at which its functions would end the text. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}

export const storable = "well-formed Unicode without the character U+0000";

export function hasNoControls(text: string): boolean {
  return !/\p{Cc}/u.test(text);
}
