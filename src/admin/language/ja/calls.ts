import type { Numbers } from "#admin/language/numbers.ts";
import type { Catalogue } from "#admin/language/en/index.ts";
import type { ProblemCode } from "#domain/problem/catalogue.ts";
import type { FieldErrorCode } from "#domain/problem/field-errors.ts";

type Texts = Catalogue["calls"];
type Reasons = Texts["reasons"];

const fieldErrors = (): Record<FieldErrorCode, (field: string) => string> => ({
  required: (field) => `${field} が指定されていません`,
  unknown_field: (field) => `${field} というフィールドはありません`,
  invalid_type: (field) => `${field} の型が正しくありません`,
  invalid_format: (field) => `${field} の形式が正しくありません`,
  too_short: (field) => `${field} が短すぎます`,
  too_long: (field) => `${field} が長すぎます`,
  too_small: (field) => `${field} が小さすぎます`,
  too_large: (field) => `${field} が大きすぎます`,
  too_many_decimals: (field) => `${field} の小数点以下の桁数が多すぎます`,
  not_an_option: (field) => `${field} が選択肢にありません`,
  too_few_rows: (field) => `${field} の行数が足りません`,
  too_many_rows: (field) => `${field} の行数が多すぎます`,
  time_zone_required: (field) => `${field} にタイムゾーンがありません`,
  invalid_status: () => "このステータスには変更できません",
  unknown_parameter: (field) => `クエリパラメーター ${field} はありません`,
  out_of_range: (field) => `${field} が範囲外です`,
  not_exact: (field) => `${field} の桁数が多く、正確に扱えません`,
  invalid_cursor: () => "この一覧ではカーソルを使用できません",
  invalid_condition: (field) => `条件 ${field} が正しくありません`,
  too_complex: () => "検索が複雑すぎます",
  outside_view: () => "データが認証情報のアクセスできる範囲から外れます",
  invalid_definition: (field) => `定義の ${field} が正しくありません`,
  unknown_file: (field) => `${field} のファイルは、この認証情報でアップロードされていません`,
  file_incomplete: (field) => `${field} の内容がアップロードされていません`,
  file_in_use: (field) => `${field} のファイルは、ほかのデータで使用されています`,
  too_many_files: (field) => `${field} のファイルが多すぎます`,
  not_accepted: (field) => `${field} に、受け付けられないファイルがあります`,
  digest_mismatch: () => "内容が、作成時に指定されたものと一致しません",
  unknown_reference: (field) => `${field} のレコードを参照できません`,
});

const describeFieldErrors: Reasons["fieldErrors"] = (errors) => {
  if (errors.length === 0) return "リクエストの内容が正しくありません。";
  const texts = fieldErrors();
  return errors.map(({ field, code }) => `${texts[code](field)}。`).join("");
};

const collections = { app: "アプリ", form: "フォーム" };

/** The problems that have one reason. */
type PlainCode = Parameters<Reasons["other"]>[0] & ProblemCode;

const otherReasons = (): Record<PlainCode, string> => ({
  malformed_json: "リクエストの本文が UTF-8 の JSON ではありません。",
  malformed_header: "リクエストヘッダーが空か、形式が正しくありません。",
  cross_site: "ほかのサイトから送信されたリクエストです。",
  role_required: "メンバーの役割では、この操作を行えません。",
  conflict: "現在の状態では、この操作を行えません。",
  method_not_allowed: "このパスでは使用できないメソッドです。API で削除できるのは回答だけです。",
  submission_closed: "回答がクローズされているため、変更も削除もできません。",
  schema_in_use: "保存されているデータと矛盾するため、定義を変更できません。",
  indexing: "検索用のインデックスを作成しているため、まだ検索できません。",
  changes_expired: "カーソルが、保存期間の 30 日を過ぎた変更を指しています。",
  version_mismatch:
    "保存されているバージョンが If-Match と一致しません。何も書き込まれていません。",
  too_large: "リクエストの本文、データ、または一括処理が上限を超えています。",
  unsupported_media_type:
    "このルートでは、この Content-Type または Content-Encoding を使用できません。",
  range_not_satisfiable: "Range の開始位置がファイルの末尾を超えています。",
  internal: "サービスで内部エラーが発生しました。",
  try_again: "ストレージが過負荷か、接続できません。再試行しても解消しませんでした。",
});

const reasons = (): Reasons => ({
  missingPermission: (permission, code) =>
    permission === undefined
      ? "アクセス権が不足しています。"
      : `アクセス権「${permission}」（${code}）がありません。`,
  noSubmission: "この回答は存在しないか、認証情報にアクセス権がありません。",
  noResource: "見つかりませんでした。",
  noCollection: (kind, key, suggestion) =>
    `${collections[kind]}「${key}」は存在しません。${suggestion === undefined ? "" : `「${suggestion}」ではありませんか？`}`,
  noAccess: (kind, key) => `認証情報に、${collections[kind]}「${key}」へのアクセス権がありません。`,
  notIn: (kind, key) => `${collections[kind]}「${key}」の中に見つかりませんでした。`,
  unauthenticated:
    "認証情報が失効または期限切れになっているか、シークレットの有効期限が切れています。",
  rateLimited: "認証情報のレート制限を超えました。",
  fieldErrors: describeFieldErrors,
  duplicate: (field) =>
    `ほかのデータの${field === undefined ? "重複禁止フィールド" : ` ${field} `}に、すでに同じ値があります。`,
  closed: {
    not_open_yet: "フォームの受付はまだ始まっていません。",
    closed: "フォームの受付は終了しました。",
    full: "フォームの回答数が上限に達しています。",
    unknown: "フォームは回答を受け付けていません。",
  },
  other: (code) => otherReasons()[code],
});

export const calls = ({ formatCount }: Numbers): Texts => ({
  lastDay: "過去 24 時間",
  lastMonth: "過去 30 日間",
  total: (count) => `${formatCount(count)} 件`,
  whyFailed: "リクエストが失敗した理由",
  whyFailedNote:
    "すべてのエラー（ステータス 400 以上）を含みます。「拒否」は 401、403、429 だけです。",
  times: (count) => `${formatCount(count)} 件`,
  addPermission: "アクセス権を追加",
  search: "パスまたはリクエスト ID",
  status: "ステータス",
  statuses: {
    any: "すべてのステータス",
    refused: "拒否（401、403、429）",
    failed: "すべてのエラー（400 以上）",
  },
  count: (count) =>
    `リクエスト ${formatCount(count)} 件（新しい順）。最新の 200 件が、パラメーターの値を除いて保存されます。`,
  caption: "リクエスト",
  columns: {
    time: "日時",
    request: "リクエスト",
    status: "ステータス",
    reason: "理由",
    milliseconds: "処理時間（ミリ秒）",
    id: "リクエスト ID",
  },
  none: "リクエストはまだありません",
  explanation: "最新の 200 件のリクエストが、数秒以内にここに表示されます。",
  noMatches: "該当するリクエストはありません",
  reasons: reasons(),
});
