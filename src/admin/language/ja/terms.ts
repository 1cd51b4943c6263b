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
  fieldTypes: {
    text: "テキスト",
    multiline_text: "複数行テキスト",
    number: "数値",
    boolean: "はい / いいえ",
    date: "日付",
    datetime: "日時",
    email: "メールアドレス",
    url: "URL",
    phone: "電話番号",
    select: "単一選択",
    multi_select: "複数選択",
    reference: "参照",
    line_items: "明細行",
    files: "ファイル",
    computed: "計算",
  },
  roles: { owner: "オーナー", admin: "管理者", editor: "編集者", viewer: "閲覧者" },
  webhookStates: {
    active: "有効",
    retrying: "再試行中",
    paused: "一時停止中",
    failing: "失敗",
    disabled: "無効",
  },
  list: (parts) => parts.join("、"),
  name: "名前",
  key: "キー",
  saveChanges: "変更を保存",
  cancel: "キャンセル",
});
