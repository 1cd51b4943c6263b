import { abilities, type Ability } from "#domain/credential/permissions.ts";
import type { ConflictReason, ProblemCode } from "#domain/problem/catalogue.ts";
import type { FieldError, Problem } from "#domain/problem/problem.ts";
import type { Catalogue } from "#admin/language/en/index.ts";
import type { FieldFacts } from "#admin/language/field-facts.ts";
import { explainDetails } from "./field-errors.ts";
import { fieldErrorMeanings } from "./field-error-meanings.ts";
import { sharedProblemTexts } from "./problem-texts.ts";
import { explainReason } from "./reasons.ts";
import { roles } from "./terms.ts";

const conflicts: Record<ConflictReason, string> = {
  address_taken:
    "このメールアドレスはすでにメンバーのものです。再びアクセスできるようにするには、パスワード再設定リンクを作成してください。",
  being_erased: "完全に削除している途中のため、復元できません。",
  credential_changed:
    "ほかのユーザーがこの認証情報を変更しました。ページを再読み込みして、もう一度操作してください。",
  last_owner: "オーナーは 1 人以上必要です。",
  member_changed:
    "ほかのユーザーがこのメンバーを変更しました。ページを再読み込みして、もう一度操作してください。",
  member_removed: "このメンバーは削除されています。先にアクセスを復元してください。",
  not_closed: "この回答はクローズされていません。",
  row_deleted:
    "この行から以前インポートしたデータは「削除済みのデータ」にあります。そこから復元してください。",
  rows_conflict: "ファイルの中で値が重複している行が多すぎます。もう一度インポートしてください。",
  too_many_credentials: "認証情報の数が上限に達しました。不要な認証情報を失効させてください。",
  too_many_filters: "保存できるフィルターの数が上限に達しました。先にいずれかを削除してください。",
  too_many_searches: "保存できる検索の数が上限に達しました。先にいずれかを削除してください。",
};

/** The problems in Japanese. */
const problemTexts: Record<ProblemCode, string> = {
  ...sharedProblemTexts,
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
  schema_in_use: "保存されているデータと矛盾するため、変更できません。",
  indexing: "検索の準備中です。しばらくしてからもう一度お試しください。",
  changes_expired: "古い変更は保存期間を過ぎているため、表示できません。",
  version_mismatch:
    "ほかのユーザーが先に変更したため、保存されませんでした。ページを再読み込みしてください。",
  unsupported_media_type: "この形式のデータは使用できません。",
  range_not_satisfiable: "ファイルの指定された部分がありません。",
  invalid_input: "入力内容が正しくありません。",
  internal: "エラーが発生しました。もう一度お試しください。",
};

const closedForms = {
  not_open_yet: "このフォームの受付はまだ開始されていません。",
  closed: "このフォームの受付は終了しました。",
  full: "このフォームは回答数の上限に達しました。",
};

/** Returns the text for the code in a problem. Undefined if there is none. */
const textFor = (texts: Record<string, string>, code: unknown): string | undefined =>
  Object.entries(texts).find(([key]) => key === code)?.[1];

function describeRoles({ members }: Problem): string | undefined {
  const ability = Object.keys(abilities).find((name) => name === members["required_ability"]);
  if (ability === undefined) return undefined;
  const roleNames = roles();
  const names = abilities[ability as Ability].map((role) => roleNames[role]);
  return `現在の役割では、この操作を行えません。${names.join("または")}に依頼してください。`;
}

const details: Partial<Record<ProblemCode, (problem: Problem) => string | undefined>> = {
  conflict: ({ members }) => textFor(conflicts, members["reason"]),
  role_required: describeRoles,
  submissions_closed: ({ members }) => textFor(closedForms, members["reason"]),
};

/** Whether the area itself wrote a sentence. The API quotes Japanese names in English sentences. */
const isJapanese = (sentence: string): boolean =>
  /[\p{sc=Hira}\p{sc=Kana}\p{sc=Han}]/u.test(sentence.replaceAll(/"[^"]*"/g, ""));

const keepJapanese = (sentence: string): string | undefined =>
  isJapanese(sentence) ? sentence : undefined;

function reason(error: FieldError, field: FieldFacts | undefined): string {
  // An explanation for the type of the field is more helpful than the sentence, for example whether to enter or choose
  // a value.
  const byField = field && explainDetails(error, field);
  return (
    byField ??
    explainReason(error.reason) ??
    keepJapanese(error.reason) ??
    explainDetails(error, undefined) ??
    fieldErrorMeanings[error.code]
  );
}

export const problems = (): Catalogue["problems"] => ({
  detail: (problem) =>
    details[problem.code]?.(problem) ??
    explainReason(problem.detail) ??
    keepJapanese(problem.detail) ??
    problemTexts[problem.code],
  reason,
  at: (place, sentence) => `${place}：${sentence}`,
});
