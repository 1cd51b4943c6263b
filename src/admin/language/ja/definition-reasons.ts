import { lazy } from "#domain/lazy.ts";

const rules: Record<string, string> = {
  maximum: "最大値",
  max_length: "最大文字数",
  max_rows: "最大行数",
};

type Phrase = (...parts: [string, string]) => string;

/** What the check of a definition says, in Japanese. Parts in parentheses are the parameters. */
const phrases = lazy((): readonly (readonly [RegExp, Phrase])[] => [
  [/^A value is required\.$/, () => "入力してください。"],
  [/^Must be a number\.$/, () => "数値を入力してください。"],
  [/^Must be a whole number\.$/, () => "整数を入力してください。"],
  [
    /^Must not exceed (\w+), which is (.*)\.$/,
    (rule, most) => `${rules[rule] ?? rule}（${most}）以下の数値を入力してください。`,
  ],
  [/^Must be at most ([\d.-]+)\.$/, (most) => `${most} 以下の数値を入力してください。`],
  [/^Must be at least ([\d.-]+)\.$/, (least) => `${least} 以上の数値を入力してください。`],
  [
    /^Must (?:be|have) at most (\d+) characters(?: long)?\.$/,
    (most) => `${most} 文字以内で入力してください。`,
  ],
  [
    /^Must (?:be|have) at least (\d+) characters?(?: long)?\.$/,
    (least) => `${least} 文字以上で入力してください。`,
  ],
  [
    /^Must match \^\[a-z\]/,
    () => "半角の英小文字、数字、アンダースコアを使用し、先頭は英小文字にしてください。",
  ],
  [/^Must be one of (.*)\.$/, (choices) => `次のいずれかを指定してください：${choices}`],
  [/^The key "(.*)" is used twice\.$/, (key) => `キー「${key}」が重複しています。`],
  [/^The option "(.*)" is used twice\.$/, (option) => `選択肢「${option}」が重複しています。`],
  [
    /^Must be 0 for integers\.$/,
    () => "整数の場合は、小数点以下の桁数を 0 にするか、空欄にしてください。",
  ],
  [
    /^Only allowed if "result" is "number"\.$/,
    () => "小数点以下の桁数は、計算結果が「数値」の場合にだけ指定できます。",
  ],
]);

/** An error of a definition in Japanese. Reasons without a Japanese text stay as they are. */
export function explainDefinitionReason(reason: string): string {
  for (const [pattern, phrase] of phrases()) {
    const match = pattern.exec(reason);
    if (match) return phrase(match[1] ?? "", match[2] ?? "");
  }
  return reason;
}
