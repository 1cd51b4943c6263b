/** The properties of a field: as inputs of the editor, in its errors, and in comparisons of versions. */
export const fieldProperties = () => ({
  label: "ラベル",
  key: "キー",
  help: "説明文",
  section: "セクションの見出し",
  app: "アプリ",
  options: "選択肢",
  formula: "計算式",
  result: "計算結果の種類",
  decimals: "小数点以下の桁数",
  min_length: "最小文字数",
  max_length: "最大文字数",
  pattern: "正規表現",
  minimum: "最小値",
  maximum: "最大値",
  min_rows: "最小行数",
  max_rows: "最大行数",
  max_files: "最大ファイル数",
  max_bytes: "1 ファイルの最大バイト数",
  accept: "ファイル形式",
  default: "初期値",
});

export const ruleFlags = () => ({ required: "必須", unique: "重複禁止" });
