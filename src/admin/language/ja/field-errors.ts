import { fileTypes } from "./words.ts";
import type { ErrorFacts, FieldFacts } from "#admin/language/field-facts.ts";

type Explain = (error: ErrorFacts, field: FieldFacts | undefined) => string | undefined;

const choices = new Set(["select", "multi_select", "boolean"]);

const describeMissing: Explain = (_, field) => {
  if (field?.type === "line_items") return "1 行以上入力してください。";
  if (field?.type === "files") return "ファイルを追加してください。";
  return field && choices.has(field.type) ? "選択してください。" : "入力してください。";
};

const formats: Record<string, string> = {
  email: "正しいメールアドレスを入力してください。",
  url: "http:// または https:// で始まる URL を入力してください。",
  phone:
    "5～15 桁の数字で入力してください。先頭の +、スペース、ピリオド、ハイフン、かっこも使用できます。",
  date: "正しい日付を入力してください。",
  datetime: "正しい日時を入力してください。",
  files: "同じファイルが重複しています。",
};

const describeFormat: Explain = ({ pattern }, field) => {
  if (typeof pattern === "string") return `パターン ${pattern} に一致するように入力してください。`;
  return (field && formats[field.type]) ?? "形式が正しくないか、使用できない文字が含まれています。";
};

const describeType: Explain = ({ expected }, field) => {
  if (expected === "integer") return "整数を入力してください。";
  if (expected === "number") return "数値を入力してください。";
  return (field && formats[field.type]) ?? "形式が正しくありません。";
};

const tooLargeFile = "ファイルのサイズが上限を超えています。";

const describeRange: Explain = ({ minimum, maximum }, field) => {
  if (field?.type === "files") return tooLargeFile;
  const [least, most] = [field?.minimum, field?.maximum];
  if (least !== undefined && most !== undefined)
    return `${least}～${most} の範囲の数値を入力してください。`;
  if (typeof minimum === "number") return `${minimum} 以上の数値を入力してください。`;
  return typeof maximum === "number" ? `${maximum} 以下の数値を入力してください。` : undefined;
};

/** Returns a sentence about a limit if the error contains the limit. */
const withLimit =
  (name: string, text: (limit: number) => string): Explain =>
  ({ [name]: limit }) =>
    typeof limit === "number" ? text(limit) : undefined;

const describeContent: Explain = ({ accept, max_bytes: limit }) => {
  if (typeof limit === "number") return tooLargeFile;
  return Array.isArray(accept)
    ? `次の形式のファイルを選択してください：${fileTypes(accept.map(String))}`
    : undefined;
};

/** Explains codes by the details of the error, and by the type of the field. */
const explanations: Record<string, Explain> = {
  required: describeMissing,
  invalid_type: describeType,
  invalid_format: describeFormat,
  time_zone_required: () => "正しい日時を入力してください。",
  too_short: withLimit("min_length", (limit) => `${limit} 文字以上で入力してください。`),
  too_long: withLimit("max_length", (limit) => `${limit} 文字以内で入力してください。`),
  too_small: describeRange,
  too_large: describeRange,
  too_many_decimals: withLimit("decimals", (limit) =>
    limit === 0 ? "整数を入力してください。" : `小数点以下は ${limit} 桁までです。`,
  ),
  not_exact: () => "桁数が多すぎるため、正確に保存できません。桁数を減らしてください。",
  not_an_option: () => "選択肢の中から選択してください。",
  too_few_rows: withLimit("min_rows", (limit) => `${limit} 行以上入力してください。`),
  too_many_rows: withLimit("max_rows", (limit) => `${limit} 行以内で入力してください。`),
  too_complex: (_, field) =>
    field && "入力内容の確認に時間がかかりすぎます。テキストを短くするか、行数を減らしてください。",
  unknown_reference: () =>
    "該当するレコードを特定できません。入力を変更するか、候補から選択してください。",
  unknown_file: () => "ファイルが見つかりません。もう一度アップロードしてください。",
  file_incomplete: () =>
    "ファイルのアップロードが完了していません。もう一度アップロードしてください。",
  invalid_condition: () => "この条件が正しくありません。",
  file_in_use: () =>
    "このファイルはほかのデータで使用されています。もう一度アップロードしてください。",
  too_many_files: withLimit("max_files", (limit) => `ファイルは ${limit} 個までです。`),
  not_accepted: describeContent,
  digest_mismatch: () => "アップロードに失敗しました。もう一度お試しください。",
};

/** Explains an error by its details. Returns undefined if they are not enough. */
export const explainDetails = (
  error: ErrorFacts,
  field: FieldFacts | undefined,
): string | undefined => explanations[error.code]?.(error, field);
