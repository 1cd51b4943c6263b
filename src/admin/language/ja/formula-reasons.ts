import type { ReasonTexts } from "#admin/language/reason-texts.ts";

const types: Record<string, string> = {
  "a list": "リスト",
  "a row": "行",
  text: "テキスト",
  "true or false": "「はい / いいえ」",
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

/** The errors of formulas. The page adds the position of a syntax error. */
export const formulaReasons = {
  formulasTooLong: ({ maximum, length }) =>
    `計算式は合計 ${maximum} 文字までです（現在 ${length} 文字）。`,
  formulasTooSlow: "計算式の処理量が多すぎます。計算式を短くするか、減らしてください。",
  formulaCircle: ({ keys }) => `計算式が互いに参照し合っています：${keys.replaceAll(", ", "、")}`,
  formulaResult: ({ type, result }) =>
    `計算結果は${nameTypes(type)}ですが、種類には${results[result] ?? result}が選択されています。`,
  formulaInvalid: "計算式が正しくありません。",
  unknownField: ({ name }) => `「${name}」というフィールドはありません。`,
  unknownFieldOf: ({ name }) => `「${name}」というフィールドはありません。`,
  unknownFieldLike: ({ name, closest }) =>
    `「${name}」というフィールドはありません。「${closest}」ではありませんか？`,
  unknownColumn: ({ name }) => `「${name}」という列はありません。`,
  unknownFunction: ({ name, functions }) =>
    `「${name}」という関数はありません。使用できる関数：${functions.replaceAll(", ", "、")}`,
  unknownMethod: ({ name, methods }) =>
    `「${name}」というメソッドはありません。使用できるメソッド：${methods.replaceAll(", ", "、")}`,
  reservedWord: ({ name }) => `「${name}」は予約語のため、名前に使用できません。`,
  maps: "計算式に「{ }」は使用できません。",
  loopAfterLoop: ({ call, loop }) => `${loop}() のあとに ${call}() は使用できません。`,
  loopInLoop: ({ call, loop }) => `${loop}() の中で ${call}() は使用できません。`,
  cannotAdd: ({ a, b }) => `${nameTypes(a)}と${nameTypes(b)}は足し算できません。`,
  cannotSubtract: ({ a, b }) => `${nameTypes(a)}から${nameTypes(b)}は引き算できません。`,
  cannotMultiply: ({ a, b }) => `${nameTypes(a)}と${nameTypes(b)}は掛け算できません。`,
  cannotDivide: ({ a, b }) => `${nameTypes(a)}を${nameTypes(b)}で割り算できません。`,
  cannotComputeRemainder: ({ a, b }) => `${nameTypes(a)}と${nameTypes(b)}に % は使用できません。`,
  cannotLookFor: ({ a, b }) => `${nameTypes(b)}の中から${nameTypes(a)}を探すことはできません。`,
  cannotCompare: ({ a, b }) => `${nameTypes(a)}と${nameTypes(b)}は比較できません。`,
  cannotInvert: ({ a }) => `「!」は${nameTypes(a)}に使用できません。`,
  cannotNegate: ({ a }) => `${nameTypes(a)}に負の符号は付けられません。`,
  notLogical: ({ types: given }) => `「&&」と「||」は${nameTypes(given)}に使用できません。`,
  notCondition: ({ types: given }) =>
    `条件に${nameTypes(given)}は使用できません。「はい / いいえ」になる式にしてください。`,
  unequalBranches: ({ types: given }) =>
    `「? :」の 2 つの結果は同じ種類にしてください（現在は${nameTypes(given)}です）。`,
  unequalEntries: ({ types: given }) =>
    `リストの値は同じ種類にしてください（現在は${nameTypes(given)}です）。`,
  notList: ({ types: given }) =>
    `map()、filter()、all()、exists()、exists_one() は、${nameTypes(given)}ではなくリストに使用してください。`,
  unequalCoalesce: ({ types: given }) =>
    `coalesce() の値は同じ種類にしてください（現在は${nameTypes(given)}です）。`,
  notPosition: ({ types: given }) =>
    `リストの位置は、${nameTypes(given)}ではなく数値で指定してください。`,
  noParts: ({ types: given }) => `${nameTypes(given)}には列や位置がありません。`,
  noRowName: "最初の引数には行の名前を指定してください（例：map(row, row.amount)）。",
  noArguments: ({ call }) => `${call}() には引数が必要です。`,
  noArgumentsOn: ({ call, type }) => `${nameTypes(type)}の ${call}() には引数が必要です。`,
  wrongArguments: ({ call, types: given }) =>
    `${call}() の引数に${nameTypes(given)}は使用できません。`,
  wrongArgumentsOn: ({ call, type, types: given }) =>
    `${nameTypes(type)}の ${call}() の引数に${nameTypes(given)}は使用できません。`,
  tooManyParts: ({ maximum }) => `計算式の要素は ${maximum} 個までです。`,
  formulaTooDeep: ({ maximum }) => `計算式の入れ子は ${maximum} 段までです。`,
  listTooLong: ({ maximum }) => `計算式のリストの値は ${maximum} 個までです。`,
  tooManyArguments: ({ maximum }) => `関数の引数は ${maximum} 個までです。`,
  endsTooEarly: "計算式が途中で終わっています。",
  unclosedBracket: ({ bracket }) => `閉じる「${bracket}」がありません。`,
  unclosedText: "テキストの終わりに引用符がありません。",
  unexpectedText: ({ text }) => `「${text}」はここでは使用できません。`,
} satisfies Partial<ReasonTexts>;
