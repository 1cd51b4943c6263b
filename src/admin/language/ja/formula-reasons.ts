import { lazy } from "#domain/lazy.ts";

const types: Record<string, string> = {
  "a list": "リスト",
  "a row": "行",
  text: "テキスト",
  "true or false": "真偽値",
  "a number": "数値",
  "an empty value": "空の値",
  "an unsupported value": "使用できない値",
};

const results: Record<string, string> = {
  number: "「数値」",
  text: "「テキスト」",
  boolean: "「はい / いいえ」",
  date: "「日付」",
  datetime: "「日時」",
};

/** Types like “a number, text and a list”. */
const nameTypes = (names: string): string =>
  names
    .split(/, | and /)
    .map((name) => types[name] ?? name)
    .join("と");

/** A call like “sum() on a list”. */
function nameCall(call: string): string {
  const [name = "", receiver] = call.split(" on ");
  return receiver === undefined ? name : `${nameTypes(receiver)}の ${name}`;
}

type Phrase = (...parts: [string, string]) => string;

/** What the formula engine says, in Japanese. Parts in parentheses are the parameters. */
const phrases = lazy((): readonly (readonly [RegExp, Phrase])[] => [
  [
    /^There is no field "([^"]*)"\.(?: Did you mean "([^"]*)"\?)?/,
    (name, closest) =>
      `「${name}」というフィールドはありません。${closest ? `「${closest}」ではありませんか？` : ""}`,
  ],
  [/^There is no column "(.*)"\.$/, (name) => `「${name}」という列はありません。`],
  [/^"(.*)" is a reserved word\./, (name) => `「${name}」は予約語のため、名前に使用できません。`],
  [
    /^Cannot add (.*) and (.*)\.$/,
    (a, b) => `${nameTypes(a)}と${nameTypes(b)}は足し算できません。`,
  ],
  [
    /^Cannot subtract (.*) from (.*)\.$/,
    (b, a) => `${nameTypes(a)}から${nameTypes(b)}は引き算できません。`,
  ],
  [
    /^Cannot multiply (.*) by (.*)\.$/,
    (a, b) => `${nameTypes(a)}と${nameTypes(b)}は掛け算できません。`,
  ],
  [
    /^Cannot divide (.*) by (.*)\.$/,
    (a, b) => `${nameTypes(a)}を${nameTypes(b)}で割り算できません。`,
  ],
  [
    /^Cannot compute (.*) % (.*)\.$/,
    (a, b) => `${nameTypes(a)}と${nameTypes(b)}に % は使用できません。`,
  ],
  [
    /^Cannot look for (.*) in (.*)\.$/,
    (a, b) => `${nameTypes(b)}の中から${nameTypes(a)}を探すことはできません。`,
  ],
  [
    /^Cannot compare (.*) with (.*)\.$/,
    (a, b) => `${nameTypes(a)}と${nameTypes(b)}は比較できません。`,
  ],
  [/^"!" needs true or false, not (.*)\.$/, (a) => `「!」は${nameTypes(a)}に使用できません。`],
  [/^Cannot negate (.*)\.$/, (a) => `${nameTypes(a)}に負の符号は付けられません。`],
  [
    /^"&&" and "\|\|" need true or false on both sides, not (.*)\.$/,
    (a) => `「&&」と「||」は${nameTypes(a)}に使用できません。`,
  ],
  [
    /^A condition must be true or false, not (.*)\.$/,
    (a) => `条件に${nameTypes(a)}は使用できません。真偽値にしてください。`,
  ],
  [
    /^Both results of "\? :" must have the same type, not (.*)\.$/,
    (a) => `「? :」の 2 つの結果は同じ種類にしてください（現在は${nameTypes(a)}です）。`,
  ],
  [
    /^All entries of a list must have the same type, not (.*)\.$/,
    (a) => `リストの値は同じ種類にしてください（現在は${nameTypes(a)}です）。`,
  ],
  [
    /^map\(\), .* need a list, not (.*)\.$/,
    (a) =>
      `map()、filter()、all()、exists()、exists_one() は、${nameTypes(a)}ではなくリストに使用してください。`,
  ],
  [
    /^coalesce\(\) needs values of the same type, not (.*)\.$/,
    (a) => `coalesce() の値は同じ種類にしてください（現在は${nameTypes(a)}です）。`,
  ],
  [
    /^A position in a list must be a number, not (.*)\.$/,
    (a) => `リストの位置は、${nameTypes(a)}ではなく数値で指定してください。`,
  ],
  [
    /^There are no columns or positions in (.*)\.$/,
    (a) => `${nameTypes(a)}には列や位置がありません。`,
  ],
  [
    /^The first argument must be a name for the row/,
    () => "最初の引数には行の名前を指定してください（例：map(row, row.amount)）。",
  ],
  [/^(.*) needs at least one argument\.$/, (call) => `${nameCall(call)} には引数が必要です。`],
  [/^Cannot use (.*) without an argument\.$/, (call) => `${nameCall(call)} には引数が必要です。`],
  [
    /^(.*) does not accept (.*)\.$/,
    (call, a) => `${nameCall(call)} の引数に${nameTypes(a)}は使用できません。`,
  ],
  [/^the formula ends too early\.$/, () => "計算式が途中で終わっています。"],
  [/^the closing "(.)" is missing\.$/, (bracket) => `閉じる「${bracket}」がありません。`],
  [/^the text has no closing quote\.$/, () => "テキストの終わりに引用符がありません。"],
  [/^unexpected "(.*)"\.$/, (text) => `「${text}」はここでは使用できません。`],
  [/^A formula may have at most (.*) parts\.$/, (most) => `計算式の要素は ${most} 個までです。`],
  [
    /^A formula may be nested at most (.*) levels deep\.$/,
    (most) => `計算式の入れ子は ${most} 段までです。`,
  ],
  [
    /^A list in a formula may have at most (.*) entries\.$/,
    (most) => `計算式のリストの値は ${most} 個までです。`,
  ],
  [/^Formulas cannot contain maps\.$/, () => "計算式にマップは使用できません。"],
  [/^A function accepts at most (.*) arguments\.$/, (most) => `関数の引数は ${most} 個までです。`],
  [
    /^The formula returns (.*), but "result" is "(.*)"\.$/,
    (a, result) =>
      `計算結果は${nameTypes(a)}ですが、種類には${results[result] ?? result}が選択されています。`,
  ],
  [
    /^(\w+\(\)) cannot follow (\w+\(\))\.$/,
    (call, before) => `${before} のあとに ${call} は使用できません。`,
  ],
  [
    /^(\w+\(\)) cannot be used inside (\w+\(\))\.$/,
    (call, outer) => `${outer} の中で ${call} は使用できません。`,
  ],
  [/^The formula is invalid\.$/, () => "計算式が正しくありません。"],
]);

/** An error of a formula in Japanese. Reasons that are not of the formula engine stay as they are. */
export function explainFormulaReason(reason: string): string {
  for (const [pattern, phrase] of phrases()) {
    const match = pattern.exec(reason);
    if (match) return phrase(match[1] ?? "", match[2] ?? "");
  }
  return reason;
}
