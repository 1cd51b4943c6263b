import { abilities, type Ability } from "#domain/credential/permissions.ts";
import type { ConflictReason, ProblemCode } from "#domain/problem/catalogue.ts";
import type { Problem } from "#domain/problem/problem.ts";
import type { Catalogue } from "#admin/language/en/index.ts";
import { explainFieldError } from "./field-errors.ts";
import { terms } from "./terms.ts";

const conflicts: Record<ConflictReason, string> = {
  address_taken:
    "このメールアドレスはすでにメンバーのものです。再びアクセスできるようにするには、パスワード再設定リンクを作成してください。",
  last_owner: "オーナーは 1 人以上必要です。",
  member_changed:
    "ほかのユーザーがこのメンバーを変更しました。ページを再読み込みして、もう一度操作してください。",
  member_removed: "このメンバーは削除されています。先にアクセスを復元してください。",
  not_closed: "この回答はクローズされていません。",
  too_many_searches: "保存できる検索の数が上限に達しました。先にいずれかを削除してください。",
};

const closedForms = {
  not_open_yet: "このフォームの受付はまだ開始されていません。",
  closed: "このフォームの受付は終了しました。",
  full: "このフォームは回答数の上限に達しました。",
};

/** The text for a code that a problem names, if there is one. */
const textFor = (texts: Record<string, string>, code: unknown): string | undefined =>
  Object.entries(texts).find(([key]) => key === code)?.[1];

function describeRoles({ members }: Problem): string | undefined {
  const ability = Object.keys(abilities).find((name) => name === members["required_ability"]);
  if (ability === undefined) return undefined;
  const { roles } = terms();
  const names = abilities[ability as Ability].map((role) => roles[role]);
  return `この操作に必要な権限がありません。${names.join("または")}に依頼してください。`;
}

const details: Partial<Record<ProblemCode, (problem: Problem) => string | undefined>> = {
  conflict: ({ members }) => textFor(conflicts, members["reason"]),
  duplicate: () => "ほかのデータと値が重複しています。",
  not_found: () => "対象が見つからないか、アクセス権がありません。",
  rate_limited: () => "操作の回数が多すぎます。しばらくしてからもう一度お試しください。",
  role_required: describeRoles,
  submission_closed: () => "この回答はクローズ済みです。編集するには再開してください。",
  submissions_closed: ({ members }) => textFor(closedForms, members["reason"]),
  too_large: () => "データのサイズが上限を超えています。内容を減らしてください。",
  try_again: () => "ただいま処理が混み合っています。しばらくしてからもう一度お試しください。",
  version_mismatch: () =>
    "ほかのユーザーが先に変更したため、保存されませんでした。ページを再読み込みしてください。",
};

/** Problems without a Japanese text keep the sentence of the API. */
export const problems = (): Catalogue["problems"] => ({
  detail: (problem) => details[problem.code]?.(problem) ?? problem.detail,
  reason: explainFieldError,
});
