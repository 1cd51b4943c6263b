import { abilities, type Ability } from "#domain/credential/permissions.ts";
import type { ConflictReason, ProblemCode } from "#domain/problem/catalogue.ts";
import type { Problem } from "#domain/problem/problem.ts";
import type { Catalogue } from "#admin/language/en/index.ts";
import { explainFieldError } from "./field-errors.ts";
import { problemTexts } from "./problem-texts.ts";
import { roles } from "./terms.ts";

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
  const roleNames = roles();
  const names = abilities[ability as Ability].map((role) => roleNames[role]);
  return `この操作に必要な権限がありません。${names.join("または")}に依頼してください。`;
}

const details: Partial<Record<ProblemCode, (problem: Problem) => string | undefined>> = {
  conflict: ({ members }) => textFor(conflicts, members["reason"]),
  not_found: () => "対象が見つからないか、アクセス権がありません。",
  role_required: describeRoles,
  submissions_closed: ({ members }) => textFor(closedForms, members["reason"]),
  version_mismatch: () =>
    "ほかのユーザーが先に変更したため、保存されませんでした。ページを再読み込みしてください。",
};

/** Problems without a Japanese text keep the sentence of the API. */
export const problems = (): Catalogue["problems"] => ({
  detail: (problem) =>
    details[problem.code]?.(problem) ?? textFor(problemTexts, problem.code) ?? problem.detail,
  reason: explainFieldError,
});
