import { lazy } from "#domain/lazy.ts";

const consonants = ["", "k", "s", "t", "n", "h", "m", "y", "r", "w"];
/** The rows of the kana table, in the order of vowels. A dot is a place without a character. */
const hiragana =
  "あいうえおかきくけこさしすせそたちつてとなにぬねのはひふへほまみむめもや.ゆ.よらりるれろわ...を";
const voiced = "がぎぐげござじずぜぞだぢづでどばびぶべぼぱぴぷぺぽ";
const voicedConsonants = ["g", "z", "d", "b", "p"];
const irregular: Record<string, string> = { si: "shi", ti: "chi", tu: "tsu", hu: "fu", zi: "ji" };
const vowels = "aiueo";
const hiraganaStart = 0x30_41;
const katakanaStart = 0x30_a1;
const kanaCount = 86;

const cyrillic = lazy(
  (): Record<string, string> =>
    Object.fromEntries(
      "а:a б:b в:v г:g д:d е:e ё:e ж:zh з:z и:i й:i к:k л:l м:m н:n о:o п:p р:r с:s т:t у:u ф:f х:kh ц:ts ч:ch ш:sh щ:shch ы:y э:e ю:yu я:ya ъ: ь:"
        .split(" ")
        .map((pair) => pair.split(":")),
    ) as Record<string, string>,
);

/** Converts kana and Cyrillic to Latin letters. Other characters stay unchanged. */
export function transliterate(text: string): string {
  return Array.from(text.toLowerCase().normalize("NFC"), (character) => {
    const code = character.codePointAt(0) ?? 0;
    const isKatakana = code >= katakanaStart && code < katakanaStart + kanaCount;
    const kana = isKatakana
      ? String.fromCodePoint(code - katakanaStart + hiraganaStart)
      : character;
    return romanize(kana) ?? cyrillic()[character] ?? character;
  }).join("");
}

function romanize(kana: string): string | undefined {
  if (kana === "ん") return "n";
  if (kana === "ー" || kana === "っ") return "";
  const small = "ゃゅょ".indexOf(kana);
  if (small !== -1) return ["ya", "yu", "yo"][small];
  for (const [signs, letters] of [
    [hiragana, consonants],
    [voiced, voicedConsonants],
  ] as const) {
    const index = signs.indexOf(kana);
    if (index === -1) continue;
    const syllable = (letters[Math.floor(index / 5)] ?? "") + (vowels[index % 5] ?? "");
    return irregular[syllable] ?? syllable;
  }
  return undefined;
}
