import type { Numbers } from "#admin/language/numbers.ts";
import type { Catalogue } from "#admin/language/en/index.ts";

export const search = ({ formatCount }: Numbers): Catalogue["search"] => ({
  title: "検索",
  titleOf: (text) => `検索：${text}`,
  pages: {
    createForm: "フォームを作成",
    createApp: "アプリを作成",
    deleted: "削除済みのフォームとアプリ",
    createCredential: "認証情報を作成",
  },
  // People also search with English words.
  words: {
    overview: "home トップ 概要 要確認 最近の操作",
    forms: "forms submissions 回答",
    apps: "apps records レコード 表",
    createForm: "new 新規 新しいフォーム",
    createApp: "new 新規 新しいアプリ",
    deleted: "trash restore ごみ箱 復元 アプリ",
    integrations: "credentials tokens API keys 連携 認証情報 トークン キー",
    createCredential: "new token API key 新規 トークン キー",
    webhooks: "events endpoints イベント 送信先 通知",
    reference: "OpenAPI REST リファレンス",
    guides: "documentation help ドキュメント ヘルプ マニュアル 使い方",
    members: "people users roles ユーザー 招待 役割 権限",
    people: "privacy GDPR プライバシー 個人情報 完全に削除 検索",
    settings: "設定 環境",
    databases: "settings 設定 容量 保存場所",
    audit: "log history 履歴 ログ 変更",
    account: "password アカウント パスワード 名前 タイムゾーン 言語 セッション ログアウト",
  },
  groups: {
    items: "データ",
    collections: "フォームとアプリ",
    pages: "ページ",
  },
  kinds: {
    app: "アプリ",
    form: "フォーム",
    view: (collection) => `「${collection}」のビュー`,
    page: "ページ",
    credential: "認証情報",
    webhook: "Webhook",
    member: "メンバー",
  },
  searchItems: (items, collection, text) => `「${collection}」の${items}から「${text}」を検索`,
  allIn: (collection) => `「${collection}」の結果をすべて表示`,
  value: (label, value) => `${label}：${value}`,
  hint: "探しているものを入力してください。",
  finds: "次のものを検索できます：",
  nothing: (text) => `「${text}」は見つかりませんでした。`,
  ways: [
    "レコード：ORD-000042、ORD-42、000042 のようなレコード番号（レコードごとに自動で付けられます）",
    "回答とレコード：画面からコピーした ID、またはその末尾 8 文字",
    "回答とレコード：検索できるフィールドに含まれる言葉、氏名、メールアドレス、電話番号、URL",
    "フォーム、アプリ、ビュー：名前の一部",
    "API 連携、Webhook、メンバー：名前の一部またはメールアドレス",
    "ページ：単語の先頭",
  ],
  scope: (values) =>
    `すべての言葉に一致するものを探します。値は先頭から入力すると必ず見つかります。途中の言葉は、最初の ${formatCount(values)} 件の値から探します。すべてのフィールドとデータを検索するには、フォームまたはアプリを開いてください。`,
});
