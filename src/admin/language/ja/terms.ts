import { formatCount } from "#html/viewer.tsx";
import type { Catalogue } from "#admin/language/en/index.ts";

export const terms = (): Catalogue["terms"] => ({
  collections: {
    app: {
      one: "アプリ",
      many: "アプリ",
      item: "レコード",
      items: "レコード",
      Items: "レコード",
      itemCount: (count) => `レコード ${formatCount(count)} 件`,
    },
    form: {
      one: "フォーム",
      many: "フォーム",
      item: "回答",
      items: "回答",
      Items: "回答",
      itemCount: (count) => `回答 ${formatCount(count)} 件`,
    },
  },
  roles: { owner: "オーナー", admin: "管理者", editor: "編集者", viewer: "閲覧者" },
  statuses: { draft: "下書き", submitted: "送信済み", closed: "クローズ済み" },
  webhookStates: {
    active: "有効",
    retrying: "再試行中",
    paused: "一時停止中",
    failing: "失敗",
    disabled: "無効",
  },
  properties: {
    id: "ID",
    receiptNumber: "受付番号",
    status: "ステータス",
    createdAt: "作成日時",
    updatedAt: "更新日時",
    createdBy: "作成者",
    updatedBy: "更新者",
  },
  booleans: { true: "はい", false: "いいえ" },
  required: "必須",
  saveChanges: "変更を保存",
  cancel: "キャンセル",
});
