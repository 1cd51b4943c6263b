import { reasonFor } from "./problem/reasons.ts";
/**
 * Whether SQLite stores the text unchanged. SQLite's functions end a text at NUL. Also rejects long runs of combining
 * marks, because normalizing them is expensive (UAX #15, Stream-Safe Text).
 */
export function isStorable(text: string): boolean {
  return (
    text.isWellFormed() && !text.includes("\0") && !(hasNonLatin1(text) && hasLongMarkRun(text))
  );
}

/**
 * Returns the text with half-width letters, digits and signs (NFKC). Japanese keyboards type full-width ones, such as
 * `－１５`.
 */
export const toHalfWidth = (text: string): string => text.normalize("NFKC").replaceAll("−", "-");

const halfWidthKana = new Map(
  Array.from("｡｢｣､･ｦｧｨｩｪｫｬｭｮｯｰｱｲｳｴｵｶｷｸｹｺｻｼｽｾｿﾀﾁﾂﾃﾄﾅﾆﾇﾈﾉﾊﾋﾌﾍﾎﾏﾐﾑﾒﾓﾔﾕﾖﾗﾘﾙﾚﾛﾜﾝﾞﾟ", (kana) => [
    kana.normalize("NFKC"),
    kana,
  ]),
);

/** Returns the text with half-width kana, which older Japanese programs export. */
export const toHalfWidthKana = (text: string): string =>
  text.replaceAll(/[\u30a1-\u30fc。「」、]/gu, (full) =>
    Array.from(full.normalize("NFD"), (part) => halfWidthKana.get(part) ?? part)
      .join("")
      .normalize("NFC"),
  );

const shiftJisForms: Record<string, string> = {
  "〜": "～",
  "‖": "∥",
  "−": "－",
  "—": "―",
  "¢": "￠",
  "£": "￡",
  "¬": "￢",
};

/**
 * Folds case, and the characters that Windows uses in Shift_JIS files, such as ～ instead of the wave dash 〜. The names
 * in a file then match the names in a definition.
 */
export const foldImportedName = (text: string): string =>
  text
    .replaceAll(/[〜‖−—¢£¬]/g, (character) => shiftJisForms[character] ?? character)
    .toLowerCase();

/** Returns the text with a capital first letter. */
export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Converts a text to normal form C, in which it is stored and compared. Returns undefined if it cannot be stored. */
export function toStoredText(text: string): string | undefined {
  if (!isStorable(text)) return undefined;
  if (!hasNonLatin1(text)) return text;
  const normalForm = text.normalize("NFC");
  return normalForm === text || isStorable(normalForm) ? normalForm : undefined;
}

const maxCombiningMarks = 30;
const combiningMarks = /\p{M}+/gu;

/** Checks each run only once. A pattern with a counted repetition would restart at each mark of a run. */
function hasLongMarkRun(text: string): boolean {
  for (const [marks] of text.matchAll(combiningMarks)) {
    if (marks.length > maxCombiningMarks && Array.from(marks).length > maxCombiningMarks)
      return true;
  }
  return false;
}

/** Whether a text has characters beyond Latin-1, which has no combining marks and is already in normal form. */
function hasNonLatin1(text: string): boolean {
  return /[^\0-\xff]/.test(text);
}

export const storableDescription = `well-formed Unicode without the character U+0000, and with at most ${maxCombiningMarks} combining marks in a row`;

/** The reason of the field error for a text that cannot be stored. */
export const notStorableReason = reasonFor("notStorable", { marks: maxCombiningMarks });

export function hasNoControls(text: string): boolean {
  return !/\p{Cc}/u.test(text);
}
