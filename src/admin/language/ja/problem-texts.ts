import type { ProblemCode } from "#domain/problem/catalogue.ts";

/** The problems in Japanese, for pages and their scripts. This imports nothing but types, because scripts use it. */
export const problemTexts: Record<ProblemCode, string> = {
  malformed_json: "送信された内容を読み取れませんでした。",
  malformed_header: "送信された内容を読み取れませんでした。",
  unauthenticated: "セッションが終了しました。もう一度ログインしてください。",
  permission_required: "この操作に必要なアクセス権がありません。",
  cross_site: "ほかのサイトから送信されたリクエストです。管理画面からもう一度操作してください。",
  role_required: "現在の役割では、この操作を行えません。",
  conflict:
    "ほかの変更と重なったため、実行されませんでした。ページを再読み込みして、もう一度操作してください。",
  not_found: "対象が見つからないか、アクセス権がありません。",
  method_not_allowed: "この操作は使用できません。",
  submissions_closed: "このフォームは回答を受け付けていません。",
  submission_closed: "この回答はクローズ済みです。編集するには、クローズを解除してください。",
  duplicate: "ほかのデータと値が重複しています。",
  schema_in_use: "保存されているデータと矛盾するため、変更できません。",
  indexing: "検索の準備中です。しばらくしてからもう一度お試しください。",
  changes_expired: "古い変更は保存期間を過ぎているため、表示できません。",
  version_mismatch:
    "ほかのユーザーが先に変更したため、保存されませんでした。ページを再読み込みしてください。",
  too_large: "データのサイズが上限を超えています。内容を減らしてください。",
  unsupported_media_type: "この形式のデータは使用できません。",
  range_not_satisfiable: "ファイルの指定された部分がありません。",
  invalid_input: "入力内容が正しくありません。",
  rate_limited: "操作の回数が多すぎます。しばらくしてからもう一度お試しください。",
  internal: "エラーが発生しました。もう一度お試しください。",
  try_again: "ただいま処理が混み合っています。しばらくしてからもう一度お試しください。",
};
