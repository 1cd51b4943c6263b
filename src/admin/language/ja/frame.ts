import type { Numbers } from "#admin/language/numbers.ts";
import type { Catalogue } from "#admin/language/en/index.ts";

export const frame = ({ formatCount }: Numbers): Catalogue["frame"] => ({
  administration: "管理画面",
  menu: "メニュー",
  searchForm: "全体検索",
  search: "すべてから検索",
  undo: "元に戻す",
  view: "表示",
  signOut: "ログアウト",
  theme: "テーマ",
  themes: { system: "システム", light: "ライト", dark: "ダーク" },
  language: "言語",
  navigation: { data: "データ", connect: "連携", manage: "管理" },
  pages: {
    overview: "ホーム",
    forms: "フォーム",
    apps: "アプリ",
    integrations: "API 連携",
    webhooks: "Webhook",
    reference: "API リファレンス",
    guides: "ガイド",
    members: "メンバー",
    audit: "監査ログ",
    people: "個人データの検索",
    settings: "設定",
    account: "個人設定",
  },
  shortNames: { integrations: "API 連携" },
  chart: {
    rejected: (count) => `（拒否 ${formatCount(count)} 件）`,
    description: (totals, first, last, peak) =>
      `${totals}、期間 ${first}～${last}、最大 ${formatCount(peak)} 件`,
    title: (title, totals) => `${title}：${totals}`,
    none: "この期間のデータはありません。",
    accepted: "成功",
    rejectedKey: "拒否",
  },
});
