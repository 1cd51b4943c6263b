import type { Catalogue } from "#admin/language/en/index.ts";

export const deletedItems = (): Catalogue["deletedItems"] => ({
  title: "削除済みのデータ",
  none: (items) => `削除した${items}は 7 日間ここに表示され、復元できます。`,
  note: (items) =>
    `これらの${items}は、完全に削除されるまで復元できます。連携先のシステムには表示されません。`,
  columns: {
    item: "データ",
    deleted: "削除日時",
    erased: "完全削除日",
  },
  by: (actor) => actor,
  restore: "復元",
  restoreItem: (title) => `「${title}」を復元`,
  restored: (title) => `「${title}」を復元しました`,
  refusals: {
    gone: () => "すでに存在しません",
    changed: () => "その後に復元され、再び削除されました",
    exists: () => "同じ ID のデータが存在します",
    full: () => "フォームの回答数が上限に達しています",
    taken: (field, value) =>
      `重複できない「${field}」の値「${value}」を、ほかのデータが使用しています`,
    retyped: (field) => `「${field}」の種類を変更している途中です`,
    too_large: () => "現在の定義ではサイズが大きすぎます",
  },
  notRestored: (reason) => `復元できませんでした。${reason}。`,
  erase: "完全に削除",
  eraseTitle: (title) => `「${title}」を完全に削除しますか？`,
  eraseConfirm:
    "変更履歴、ファイル、保存された応答とともに直ちに削除します。元に戻すことはできません。",
  more: "これより前に削除したデータ",
  view: "削除済みのデータを表示",
});
