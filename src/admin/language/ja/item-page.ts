import type { Numbers } from "#admin/language/numbers.ts";
import type { Child } from "hono/jsx";
import type { Catalogue } from "#admin/language/en/index.ts";
import { sentence } from "#admin/language/sentence.ts";

type ItemPage = Catalogue["itemPage"];

const actions = (): ItemPage["actions"] => ({
  edit: "編集",
  submit: "送信",
  close: "クローズ",
  reopen: "クローズを解除",
  delete: "削除",
  deleteTitle: (item) => `この${item}を削除しますか？`,
  deleteConfirm: "7 日以内であれば復元できます。",
  eraseInstead: (erase) =>
    sentence`本人から個人データの削除を求められた場合は、${erase} を選択してください。変更履歴、ファイル、保存された応答とともに直ちに削除され、元に戻すことはできません。`,
  erase: "完全に削除…",
  previous: "← 前へ",
  next: "次へ →",
  neighbors: "一覧内の移動",
});

const outcomes = (): ItemPage["outcomes"] => ({
  closed: (title) => `「${title}」をクローズしました`,
  reopened: (title) => `「${title}」のクローズを解除しました`,
  reverted: (title, fields) => `「${title}」の${fields}を元に戻しました`,
  deleted: (title) => `「${title}」を削除しました`,
});

const actors = (): ItemPage["actors"] => ({
  you: "あなた",
  otherMember: "ほかのメンバー",
  recalculation: "システム（再計算）",
  integration: "API 連携",
});

const by = (verb: string) => (actor: Child, time: Child) => sentence`${verb}：${actor}（${time}）`;

const recalculated = (_: Child, time: Child) => sentence`自動で再計算（${time}）`;

const historyEntries = (): ItemPage["history"]["entries"] => ({
  "record.create": by("作成"),
  "record.update": by("更新"),
  "record.recalculate": recalculated,
  "record.delete": by("削除"),
  "record.restore": by("復元"),
  "record.erase": by("完全に削除"),
  "submission.create": by("作成"),
  "submission.update": by("更新"),
  "submission.close": by("クローズ"),
  "submission.reopen": by("クローズを解除"),
  "submission.recalculate": recalculated,
  "submission.delete": by("削除"),
  "submission.restore": by("復元"),
  "submission.erase": by("完全に削除"),
});

const history = (): ItemPage["history"] => ({
  title: "変更履歴",
  reverted: by("変更を取り消し"),
  entries: historyEntries(),
  older: "これより前の変更は表示されません。",
  notStored: "変更前の値は保存されていません。",
  revert: "元に戻す",
  revertField: (label) => `「${label}」を元に戻す`,
  revertAll: "すべて元に戻す",
  notRevertible: "変更前の値が残っている変更のバージョンを指定してください。",
});

export const itemPage = ({ formatCount }: Numbers): ItemPage => ({
  actions: actions(),
  outcomes: outcomes(),
  untitled: {
    app: (idEnd) => `レコード …${idEnd}`,
    form: (idEnd) => `回答 …${idEnd}`,
  },
  closed: "この回答はクローズ済みです。編集するには、クローズを解除してください。",
  closedForViewers:
    "この回答はクローズ済みです。クローズを解除できるのは、オーナー、管理者、編集者です。",
  data: "データ",
  noFields: "フィールドはまだありません",
  addFields: "フィールドを追加",
  about: (item) => `この${item}の情報`,
  summary: {
    id: "ID",
    created: "作成日時",
    changed: "更新日時",
    by: (actor) => actor,
    changedBy: (actor, version) => sentence`${actor}、バージョン ${version}`,
  },
  actors: actors(),
  rowCount: (count) => `${formatCount(count)} 行`,
  firstRows: (shown, count) =>
    `${formatCount(count)} 行のうち最初の ${formatCount(shown)} 行を表示しています。すべての行は、一覧からダウンロードできます。`,
  tooManyRows: (count) =>
    `${formatCount(count)} 行あります。すべての行は、一覧からダウンロードできます。`,
  history: history(),
  became: "変更後",
  changedRows: {
    added: (row, cells) => sentence`${row} 行目を追加：${cells}`,
    removed: (row, cells) => sentence`${row} 行目を削除：${cells}`,
    changed: (row, cells) => sentence`${row} 行目：${cells}`,
  },
  cellSeparator: "、",
  moreRows: (count) => `ほか ${formatCount(count)} 行を変更`,
  referrers: {
    title: "このレコードの参照元",
    notSearchable: "検索できません",
    moreThan: (count) => `${formatCount(count)} 件超`,
  },
});
