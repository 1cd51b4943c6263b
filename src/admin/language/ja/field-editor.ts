import type { Numbers } from "#admin/language/numbers.ts";
import type { Catalogue } from "#admin/language/en/index.ts";
import { sentence } from "#admin/language/sentence.ts";
import { ruleFlags, fieldProperties } from "./field-properties.ts";
import { optionLabels } from "#admin/language/option-labels.ts";
import { fileTypes } from "./words.ts";

type FieldEditor = Catalogue["fieldEditor"];

const properties = fieldProperties();

const rules = (): FieldEditor["rules"] => ({
  section: {
    label: properties.section,
    hint: "この見出しから始まるセクションがフォームに追加されます。",
  },
  min_length: { label: properties.min_length },
  max_length: { label: properties.max_length },
  pattern: {
    label: properties.pattern,
    hint: "入力する文字列が一致する必要がある正規表現です。",
  },
  minimum: { label: properties.minimum },
  maximum: { label: properties.maximum },
  decimals: { label: properties.decimals },
  min_rows: { label: properties.min_rows },
  max_rows: { label: properties.max_rows },
  max_files: { label: properties.max_files },
  max_bytes: { label: properties.max_bytes },
  accept: {
    label: properties.accept,
    hint: "例：application/pdf、image/*。空欄の場合はすべての形式を使用できます。",
  },
  default: { label: properties.default, hint: "空欄の場合に使用されます。" },
});

const setRules = ({ formatBytes, formatNumber }: Numbers): FieldEditor["setRules"] => ({
  section: (value) => `セクション「${value}」`,
  app: (value) => `アプリ ${value}`,
  options: (value) => optionLabels(value).join("、"),
  formula: (value) => `= ${value}`,
  min_length: (value) => `${formatNumber(value)} 文字以上`,
  max_length: (value) => `${formatNumber(value)} 文字以内`,
  pattern: (value) => `正規表現 ${value}`,
  minimum: (value) => `${formatNumber(value)} 以上`,
  maximum: (value) => `${formatNumber(value)} 以下`,
  decimals: (value) => `小数 ${value} 桁`,
  min_rows: (value) => `${formatNumber(value)} 行以上`,
  max_rows: (value) => `${formatNumber(value)} 行以内`,
  max_files: (value) => `${formatNumber(value)} ファイルまで`,
  max_bytes: (value) => `1 ファイルあたり ${formatBytes(Number(value))} まで`,
  accept: (value) => `ファイル形式 ${fileTypes(value.split(", "))}`,
  default: (value) => `初期値 ${formatNumber(value)}`,
});

const flags = (): FieldEditor["flags"] => ({
  ...ruleFlags(),
  integer: "整数のみ",
  searchable: "検索と並べ替えの対象にする",
});

const formula = (): FieldEditor["formula"] => ({
  label: properties.formula,
  hint: (names, example) => sentence`使用できるフィールド：${names}。例：${example}`,
  hintWithoutNames: (example) => sentence`ほかのフィールドのキーを使用します。例：${example}`,
  exampleResult: "例の計算結果：",
  resultFor: (item) => `「${item}」の計算結果：`,
  resultForRow: (item) => `「${item}」の 1 行目の計算結果：`,
  result: properties.result,
  atCharacter: (position, reason) => `${position} 文字目：${reason}`,
  didYouMean: (key, label) => `「${key}」（${label}）ではありませんか？`,
  example: (text) => `例：${text}`,
});

export const fieldEditor = (numbers: Numbers): FieldEditor => ({
  addField: "フィールドを追加",
  addColumn: "列を追加",
  addColumnTo: (list) => `「${list}」に列を追加`,
  actions: { up: "上へ移動", down: "下へ移動", copy: "複製", remove: "削除" },
  actionOn: (action, field) => `${action}：${field}`,
  flags: flags(),
  notSearchable: "検索対象外",
  errors: (count) => `エラー ${numbers.formatCount(count)} 件`,
  label: properties.label,
  labelOf: (field) => `「${field}」のラベル`,
  help: properties.help,
  options: properties.options,
  optionsHint: "1 行に 1 つずつ入力します。別の値を保存する場合は「ラベル | 値」と入力します。",
  app: properties.app,
  appHint: "このアプリのレコードから選択できます。",
  chooseApp: "アプリを選択",
  noApps: "先にアプリを作成してください。",
  columnsOf: (list) => `「${list}」の列`,
  more: "その他の設定",
  newKeyHint:
    "API で使用される名前です。半角の英小文字で始まる英数字で入力します。省略すると、表示されているキーが使用されます。",
  askKey: (label, key) =>
    `「${label}」のキーを、半角の英小文字で始まる英数字で入力してください。API で使用されます。省略した場合：${key}`,
  keyHint: "キーを変更しても、データはそのまま残ります。",
  rules: rules(),
  setRules: setRules(numbers),
  formula: formula(),
});
