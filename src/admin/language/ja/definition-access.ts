import type { Catalogue } from "#admin/language/en/index.ts";
import { sentence } from "#admin/language/sentence.ts";

export const definitionAccess = (): Catalogue["definitionAccess"] => ({
  who: {
    title: (one) => `この${one}にアクセスできるメンバーとシステム`,
    lead: "すべてのメンバーは、すべてのデータにアクセスできます。認証情報と Webhook がアクセスできる範囲は次のとおりです。",
    caption: (one) => `この${one}へのアクセス`,
    columns: { access: "アクセスできる範囲" },
    everything: "すべて",
    ownersAccess: "所有者がアクセスできるすべてのデータ",
    nothing: "なし（ビューが存在しません）",
    receivesEvents: (part) => `Webhook でイベントを受信（${part}）`,
  },
  give: {
    title: (one) => `この${one}の一部へのアクセスを許可`,
    labels: {
      where: "条件",
      fields: "対象のフィールド",
      name: "ビューの名前",
    },
    presets: {
      partner: (items) => `認証情報自身が作成した${items}のみ`,
      report: (items) => `すべての${items}（個人データを除く）`,
    },
    own: (items) => `認証情報自身が作成した${items}のみ`,
    all: (items) => `すべての${items}`,
    matching: (items, view) => `「${view}」の${items}のみ`,
    where: (items) => `条件に一致する${items}のみ`,
    nameHint: (example) =>
      `空欄の場合は、「${example}」のように条件とフィールドから名前が付きます。`,
    names: {
      own: "認証情報自身が作成したデータ",
      all: (items) => `すべての${items}`,
      without: (items, fields) => `${items}（${fields} を除く）`,
      only: (items, fields) => `${items}（${fields} のみ）`,
      allFields: (items) => `${items}（すべてのフィールド）`,
      someFields: (items, count) => `${items}（${count} 個のフィールドのみ）`,
    },
    added: (view) =>
      `ビュー「${view}」を作成しました。このビューを使用する認証情報を作成してください。`,
    reused: (view) =>
      `同じ内容のビュー「${view}」がすでにあるため、新しいビューは作成していません。このビューを使用する認証情報を作成してください。`,
    fieldsHint: {
      partner: (needed) =>
        needed.length === 0
          ? "ほかのフィールドは、認証情報から読み書きできません。"
          : `ほかのフィールドは、認証情報から読み書きできません。作成するには、${needed.map((label) => `「${label}」`).join("")}が必要です。`,
      report: () =>
        "個人データと思われるフィールドは選択されていません。選択内容を確認してください。",
    },
    note: (one, guide) =>
      sentence`続行すると、${one}にビューが追加され、すべてのメンバーにタブとして表示されます。同じ内容のビューがある場合は、それを使用します。次のページで認証情報を作成します。${guide}`,
    submit: "続行",
    fieldsFollow: "下のフィールドの選択を、このビューに合わせて変更しました。",
    checkFields: (view) =>
      `選択されていたフィールドは「${view}」のフィールドと異なります。「${view}」のフィールドを選択しました。確認してから続行してください。`,
    chooseItems: "1 つ選択してください。",
  },
});
