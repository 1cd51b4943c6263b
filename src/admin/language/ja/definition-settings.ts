import type { Catalogue } from "#admin/language/en/index.ts";

export const definitionSettings = (): Catalogue["definitionSettings"] => ({
  labels: {
    name: "名前",
    description: "説明",
    time_zone: "タイムゾーン",
    receipt_prefix: "レコード番号の接頭辞",
    title_field: "タイトルのフィールド",
    state: "回答の受付",
    opens_at: "受付開始日時",
    closes_at: "受付終了日時",
    max_submissions: "回答数の上限",
    retain_days: "回答の保存期間（日数）",
    retain_only: "期間後に完全に削除する回答",
  },
  states: { open: "受け付ける", closed: "受け付けない" },
  retained: { closed: "クローズ済みの回答", all: "すべての回答" },
  hints: {
    receipt_prefix: "例：ORD-000042 の場合は ORD-",
    title_field:
      "ほかのデータからレコードを参照するときに表示されます。指定しない場合はレコード番号が表示されます。",
    opens_at: (zone) => `${zone} の時刻。空欄の場合はすぐに開始します。`,
    closes_at: (zone) => `${zone} の時刻。空欄の場合は終了しません。`,
    max_submissions: "空欄の場合は無制限です。",
    retain_days:
      "作成日からの日数。空欄の場合は削除されません。期間の設定や短縮は 7 日後に適用されます。",
  },
  theirs: (value) => `ほかのユーザーが保存した値：${value || "（なし）"}`,
  saved: "設定を保存しました",
  index: {
    title: "検索インデックス",
    description: (items) =>
      `すべての${items}の検索インデックスを確認し、不足や誤りがあれば修正します。`,
    check: "検索インデックスを確認",
    started: "検索インデックスの確認を開始しました",
  },
  deletion: {
    title: "削除",
    description: (one, items) =>
      `この${one}と、すべての${items}を削除します。7 日以内は復元できます。`,
    open: (one) => `この${one}を削除…`,
  },
});
