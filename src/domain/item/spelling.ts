import { foldCase } from "#domain/data/index-entries.ts";
import { toHalfWidth } from "#domain/text.ts";

/** Groups of kanji that names use interchangeably. The first of a group replaces the others. */
const kanjiVariants =
  "高髙 崎﨑嵜 斎斉齋齊 辺邉邊 沢澤 浜濱濵 広廣 国國 桜櫻 渋澁 真眞 恵惠 徳德 瀬瀨 島嶋嶌 滝瀧 竜龍 吉𠮷 富冨 柳栁 栄榮 条條 関關 塩鹽 黒黑 豊豐 円圓 静靜 弥彌 寿壽 館舘 園薗 増增 横橫 曽曾 槇槙 亀龜 鉄鐵 双雙 宝寶 実實 万萬 与與 当當 穂穗";

const variants = new Map(
  kanjiVariants.split(" ").flatMap((group) => {
    const [first = "", ...others] = Array.from(group);
    return others.map((other) => [other, first] as const);
  }),
);
const variantPattern = new RegExp(`[${[...variants.keys()].join("")}]`, "gu");

/** Signs that some people write in a name or a phone number and others omit. */
const optionalSigns = /[\s\p{Pd}()/'’・]+/gu;
const accents = /[\u0300-\u036f]+/gu;
const hiragana = /[ぁ-ゖ]/gu;
const fromHiraganaToKatakana = 0x60;

/**
 * Removes the differences between spellings of one name or number: case, accents, width, spaces, hyphens, hiragana and
 * katakana, and variants of kanji. “高橋健” then matches “髙橋 健”, and “0312345678” matches “03-1234-5678”.
 */
export function foldSpelling(text: string): string {
  return foldCase(toHalfWidth(text.normalize("NFKD").replaceAll(accents, "")))
    .replaceAll(optionalSigns, "")
    .replaceAll(hiragana, (letter) =>
      String.fromCharCode(letter.charCodeAt(0) + fromHiraganaToKatakana),
    )
    .replaceAll(variantPattern, (kanji) => variants.get(kanji) ?? kanji);
}
