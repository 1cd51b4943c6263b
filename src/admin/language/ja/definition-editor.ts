import type { Numbers } from "#admin/language/numbers.ts";
import type { Catalogue } from "#admin/language/en/index.ts";
import { sentence } from "#admin/language/sentence.ts";
import { ruleFlags, fieldProperties } from "./field-properties.ts";

type Editor = Catalogue["definitionEditor"];

const problems = (): Editor["problems"] => ({
  enterName: "名前を入力してください。",
  invalidKey:
    "半角の英小文字、数字、ハイフン、アンダースコアを使用し、63 文字以内で入力してください。先頭は英小文字にしてください。",
  enterKey: (label, suggestion) =>
    `「${label}」のキーを、半角の英小文字で始まる英数字で入力してください。例：${suggestion}`,
  keyTaken: {
    app: (key) => `キー ${key} のアプリはすでに存在します。`,
    form: (key) => `キー ${key} のフォームはすでに存在します。`,
  },
  confirmHiding: (labels) =>
    `${labels.map((label) => `「${label}」`).join("")}と保存済みのデータを削除します。よろしければ「フィールドを削除する」を選択してください。データは保持され、フィールドを復元すると元に戻ります。`,
  viewUsesField: (view, field) =>
    `ビュー「${view}」が「${field}」を使用しています。フィールドを削除する前に、ビューを変更または削除してください。`,
  tooManyFields: (most) =>
    `この画面で編集できるフィールドは ${most} 個までです。それより多い場合は、JSON または API で変更してください。`,
  conflict: (theirs, both) =>
    [
      "ほかのユーザーが変更したため、保存されていません。入力した内容は残っています。",
      theirs.length > 0 ? `追加された変更：${theirs.join("、")}。` : "",
      both.length > 0
        ? `両方で変更されたフィールド：${both.join("、")}（自分の変更を表示しています）。`
        : "",
      "変更内容を確認して、もう一度保存してください。",
    ].join(""),
});

const page = ({ formatCount }: Numbers): Editor["page"] => ({
  versions: "バージョン",
  duplicate: "複製",
  pending: (done, total) =>
    `変更を適用する前に、保存済みのデータを確認しています（${formatCount(done)} / ${formatCount(total)} 件）。完了するまでは、以下のフィールドが使用されます。`,
  rejected: (detail) => `前回の変更は適用されませんでした：${detail}`,
  readOnly: "フィールドを編集できるのは、オーナー、管理者、編集者です。",
  noFields: "フィールドはまだありません",
  fields: "フィールド",
  columns: { label: "ラベル", type: "種類", rules: "設定" },
  rules: ruleFlags(),
  tooLarge: (most, link) =>
    sentence`この画面で編集できるフィールドは ${formatCount(most)} 個までです。${link}`,
  editAsJson: "すべてのフィールドを JSON で編集",
});

export const definitionEditor = (numbers: Numbers): Editor => ({
  page: page(numbers),
  inputs: fieldProperties(),
  inputOf: (label, input) => `${label}：${input}`,
  keyHint:
    "API の URL に使用される名前です。半角の英小文字で始まる英数字で入力します。あとから変更できません。フォームやアプリの名前が英字の場合は省略できます。",
  askKey: (name) =>
    `「${name}」のキーを、半角の英小文字で始まる英数字で入力してください。API の URL に使用されます。あとから変更できません。`,
  location: "データの保存場所",
  locationHint:
    "あとからこの画面では変更できません。ファイルは、すべてのフォームとアプリに共通の場所に保存されます。",
  anywhere: "指定なし",
  hiddenFields: "削除したフィールド",
  dataKept: "データは保持されています。",
  restore: "復元",
  restoreField: (label) => `「${label}」を復元`,
  firstField: "最初のフィールドを追加してください。",
  withColumns: (key, columns) => `${key}（列：${columns.join("、")}）`,
  beforeSaving: "保存前の確認",
  hide: "フィールドを削除する",
  review: "変更内容を確認",
  preview: {
    title: "プレビュー",
    legend: "フォームのプレビュー",
    unavailable: "エラーを修正するとプレビューが表示されます。",
    empty: "フィールドを追加するとプレビューが表示されます。",
  },
  copyOf: (name) => `${name}（コピー）`,
  problems: problems(),
  created: { app: "アプリを作成しました", form: "フォームを作成しました" },
  unchanged: "変更はありません",
  checking: (items) => `${items}を確認しています。確認が終わると変更が適用されます。`,
  saved: "フィールドを保存しました",
});
