import { reasonFor } from "./problem/reasons.ts";
/**
 * Whether SQLite stores the text unchanged. SQLite's functions end a text at NUL. Long runs of combining marks are
 * rejected because normalizing them is expensive (UAX #15, Stream-Safe Text).
 */
export function isStorable(text: string): boolean {
  return (
    text.isWellFormed() && !text.includes("\0") && !(hasNonLatin1(text) && hasLongMarkRun(text))
  );
}

/**
 * The text with half-width letters, digits and signs (NFKC). Japanese keyboards write full-width ones, such as `－１５`.
 */
export const toHalfWidth = (text: string): string => text.normalize("NFKC").replaceAll("−", "-");

const halfWidthKana = new Map(
  Array.from("｡｢｣､･ｦｧｨｩｪｫｬｭｮｯｰｱｲｳｴｵｶｷｸｹｺｻｼｽｾｿﾀﾁﾂﾃﾄﾅﾆﾇﾈﾉﾊﾋﾌﾍﾎﾏﾐﾑﾒﾓﾔﾕﾖﾗﾘﾙﾚﾛﾜﾝﾞﾟ", (kana) => [
    kana.normalize("NFKC"),
    kana,
  ]),
);

/** The text with half-width kana, which older Japanese programs export. */
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
 * Folds case, and the characters that Windows has in Shift_JIS files, such as ～ in place of the wave dash 〜. So the
 * names in a file match those of a definition.
 */
export const foldImportedName = (text: string): string =>
  text
    .replaceAll(/[〜‖−—¢£¬]/g, (character) => shiftJisForms[character] ?? character)
    .toLowerCase();

/** The text with a capital letter at its start. */
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

/** Visits each run once. A pattern with a counted repetition would restart at each mark of a run. */
function hasLongMarkRun(text: string): boolean {
  for (const [marks] of text.matchAll(combiningMarks)) {
    if (marks.length > maxCombiningMarks && Array.from(marks).length > maxCombiningMarks)
      return true;
  }
  return false;
}

/** Latin-1 has no combining marks and is already in normal form. */
function hasNonLatin1(text: string): boolean {
  return /[^\0-\xff]/.test(text);
}

export const storableDescription = `well-formed Unicode without the character U+0000, and with at most ${maxCombiningMarks} combining marks in a row`;

/** The field error of a text that cannot be stored. */
export const notStorableReason = reasonFor("notStorable", { marks: maxCombiningMarks });

export function hasNoControls(text: string): boolean {
  return !/\p{Cc}/u.test(text);
}
