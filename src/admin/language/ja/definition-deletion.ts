import type { Numbers } from "#admin/language/numbers.ts";
import type { Catalogue } from "#admin/language/en/index.ts";

export const definitionDeletion = ({ formatCount }: Numbers): Catalogue["definitionDeletion"] => ({
  title: (name) => `「${name}」を削除`,
  effect: (one) =>
    `この${one}はすぐに削除され、どこからも利用できなくなります。7 日以内は復元できます。`,
  losses: {
    items: (items) => `${items}とその変更履歴`,
    fields: (count) => `フィールド ${formatCount(count)} 個`,
    credentials: (count) => `認証情報 ${formatCount(count)} 件（アクセスできなくなります）`,
    webhooks: (count) => `Webhook ${formatCount(count)} 件（変更が送信されなくなります）`,
  },
  erased: "7 日後に、これらはすべて完全に削除されます。それまでは同じキーを使用できません。",
  confirm: (one) => `${one}のキー`,
  confirmHint: (key) => `確認のため「${key}」と入力してください。`,
  submit: (one) => `この${one}を削除`,
  done: (name) => `「${name}」を削除しました。7 日以内は復元できます。`,
  list: {
    title: "削除済みのフォームとアプリ",
    none: "削除したフォームとアプリは 7 日間ここに表示され、復元できます。",
    columns: { items: "データ", deleted: "削除日時", erased: "完全に削除される日時" },
    erasing: "完全に削除しています",
    restore: "復元",
    restored: (name) => `「${name}」を復元しました`,
  },
});
