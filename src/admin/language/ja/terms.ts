import type { Numbers } from "#admin/language/numbers.ts";
import type { Catalogue } from "#admin/language/en/index.ts";
import { sentence } from "#admin/language/sentence.ts";

const itemCounter =
  ({ formatCount }: Numbers, item: string) =>
  (count: number, isExact = true) =>
    `${item} ${formatCount(count)} 件${isExact ? "" : "以上"}`;

export const roles = (): Catalogue["terms"]["roles"] => ({
  owner: "オーナー",
  admin: "管理者",
  editor: "編集者",
  viewer: "閲覧者",
});

export const terms = (numbers: Numbers): Catalogue["terms"] => ({
  collections: {
    app: {
      one: "アプリ",
      many: "アプリ",
      item: "レコード",
      items: "レコード",
      Items: "レコード",
      itemCount: itemCounter(numbers, "レコード"),
    },
    form: {
      one: "フォーム",
      many: "フォーム",
      item: "回答",
      items: "回答",
      Items: "回答",
      itemCount: itemCounter(numbers, "回答"),
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
  roles: roles(),
  statuses: { draft: "下書き", submitted: "送信済み", closed: "クローズ済み" },
  webhookStates: {
    active: "有効",
    retrying: "再試行中",
    paused: "一時停止中",
    failing: "失敗のため停止",
    disabled: "無効",
  },
  list: (parts) => parts.join("、"),
  quote: (name) => sentence`「${name}」`,
  key: "キー",
  properties: {
    id: "ID",
    receiptNumber: "レコード番号",
    status: "ステータス",
    createdAt: "作成日時",
    updatedAt: "更新日時",
    createdBy: "作成者",
    updatedBy: "更新者",
  },
  booleans: { true: "はい", false: "いいえ" },
  recordLabel: (title, receiptNumber) => `${title}（${receiptNumber}）`,
  name: "名前",
  cancel: "キャンセル",
  continue: "続行",
  saveChanges: "変更を保存",
  applyFilters: "絞り込む",
  clearFilters: "絞り込みを解除",
  empty: "（未入力）",
  required: "必須",
});
