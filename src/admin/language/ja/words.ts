import { nameFileTypes } from "#admin/language/file-types.ts";

const endsInJapanese = /[\p{sc=Hira}\p{sc=Kana}\p{sc=Han}ー]$/u;
const startsWithJapanese = /^[\p{sc=Hira}\p{sc=Kana}\p{sc=Han}ー]/u;

/** Joins the parts of a sentence. Adds a space between Japanese characters and Latin letters or digits. */
export const joinWords = (...parts: readonly string[]): string =>
  parts.reduce((text, part) => {
    const isBoundary =
      (endsInJapanese.test(text) && /^[!-~]/.test(part)) ||
      (/[!-~]$/.test(text) && startsWithJapanese.test(part));
    return `${text}${isBoundary ? " " : ""}${part}`;
  }, "");

/** 「画像、PDF、Word」 */
export const fileTypes = (types: readonly string[]): string =>
  nameFileTypes(types, {
    image: "画像",
    audio: "音声",
    video: "動画",
    text: "テキスト",
    any: "すべての形式",
  }).join("、");
