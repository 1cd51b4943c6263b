import type { Catalogue } from "#admin/language/en/index.ts";
import { sentence } from "#admin/language/sentence.ts";

export const definitionAccess = (): Catalogue["definitionAccess"] => ({
  who: {
    title: (one) => `この${one}にアクセスできるメンバーとシステム`,
    lead: "すべてのメンバーは、すべてのデータにアクセスできます。認証情報と Webhook がアクセスできる範囲は次のとおりです。",
    caption: (one) => `この${one}へのアクセス`,
    columns: { sees: "アクセスできる範囲", may: "許可されている操作" },
    everything: "すべて",
    ownersAccess: "所有者がアクセスできるすべてのデータ",
    nothing: "なし（ビューが存在しません）",
    receivesEvents: "Webhook：イベントの受信",
  },
  give: {
    title: (one) => `この${one}の一部へのアクセスを許可`,
    labels: { items: "対象のデータ", fields: "対象のフィールド" },
    presets: { partner: "自分で作成したデータのみ", report: "すべて（個人データを除く）" },
    own: (items) => `認証情報自身が作成した${items}のみ`,
    all: (items) => `すべての${items}`,
    matching: (items, view) => `「${view}」の${items}のみ`,
    fieldsHint: {
      partner: "ほかのフィールドは、認証情報から読み書きできません。",
      report: "個人データと思われるフィールドは選択されていません。選択内容を確認してください。",
    },
    note: (one, guide) =>
      sentence`続行すると、${one}にビューが追加され、すべてのメンバーにタブとして表示されます。次のページで認証情報を作成します。${guide}`,
    submit: "続行",
    chooseItems: "1 つ選択してください。",
  },
});
