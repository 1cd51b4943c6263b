import type { Numbers } from "#admin/language/numbers.ts";
import type { Catalogue } from "#admin/language/en/index.ts";
import { sentence } from "#admin/language/sentence.ts";

const attention = ({ formatCount }: Numbers): Catalogue["overview"]["attention"] => ({
  title: "要確認",
  nothing: "対応が必要なものはありません",
  states: {
    rejected: "拒否",
    expired: "期限切れ",
    expiring: "まもなく期限切れ",
    form: "フォーム",
    erases: "削除予定",
    nearlyFull: "残りわずか",
  },
  links: {
    requests: "リクエストを表示",
    expiry: "有効期限を延長",
    deliveries: "Webhook を表示",
    editForm: "フォームを編集",
    viewForm: "フォームを表示",
    editRetention: "保存期間を変更",
    viewRetention: "フォームを表示",
    databases: "データベースを表示",
  },
  rejected: (name, refusals, requests) =>
    sentence`${name}：過去 24 時間のリクエスト ${formatCount(requests)} 件のうち ${formatCount(refusals)} 件が拒否されました。`,
  expired: (name, distance) => sentence`${name}の有効期限が切れました（${distance}）。`,
  expires: (name, distance) => sentence`${name}の有効期限が ${distance}に切れます。`,
  retrying: (name) =>
    sentence`Webhook${name}は、失敗したイベントを再試行しています。以降のイベントは待機中です。`,
  paused: (name) =>
    sentence`Webhook${name}は一時停止中です。イベントは保持され、再開すると順番に送信されます。`,
  stopped: (name) => sentence`Webhook${name}は、再開するまで送信されません。`,
  full: (name, count, most) =>
    sentence`${name}は回答数の上限に達しました（${formatCount(count)} / ${formatCount(most)} 件）。`,
  nearlyFull: (name, count, most) =>
    sentence`${name}はまもなく回答数の上限に達します（${formatCount(count)} / ${formatCount(most)} 件）。`,
  closes: (name, distance) => sentence`${name}は ${distance}に受付を終了します。`,
  erases: (name, count, isMinimum) =>
    sentence`${name}の回答 ${formatCount(count)} 件${isMinimum ? "以上" : ""}が 7 日以内に完全に削除されます。`,
  largeDatabase: (name, size, most) =>
    sentence`データベース${name}は ${most} のうち ${size} を使用しています。`,
});

const firstSteps = (): Catalogue["overview"]["firstSteps"] => ({
  title: "はじめに",
  toDo: "次の手順",
  form: "表示中のフォームとアプリはサンプルです。回答を集めるには自分のフォームを、レコードを表で管理するには自分のアプリを作成します。",
  createForm: "フォームを作成",
  credential: "自分の認証情報を作成して、Web サイトやほかのシステムと連携します。",
  createCredential: "認証情報を作成",
  colleague: "ほかのメンバーを招待します。",
  inviteMember: "メンバーを招待",
});

export const overview = (numbers: Numbers): Catalogue["overview"] => ({
  title: "ホーム",
  createCredential: "認証情報を作成",
  attention: attention(numbers),
  firstSteps: firstSteps(),
  collections: {
    title: "フォームとアプリ",
    none: "フォームやアプリはまだありません",
    allForms: "すべてのフォーム",
    allApps: "すべてのアプリ",
  },
  activity: {
    title: "最近の操作",
    none: "操作はまだありません",
    audit: "監査ログ",
  },
  webhooks: "Webhook",
  traffic: {
    title: "過去 30 日間",
    requests: "リクエスト",
    requestTotal: (count) => `合計 ${numbers.formatCount(count)} 件`,
    submissions: "回答",
    submissionTotal: (count) => `全フォーム合計 ${numbers.formatCount(count)} 件`,
    note: (zone) =>
      zone === "UTC"
        ? "日付の区切りは UTC です。リクエストは 1 分以内に反映されます。"
        : `回答の日付は ${zone.replaceAll("_", " ")}、リクエストの日付は UTC で区切ります。リクエストは 1 分以内に反映されます。`,
  },
});
