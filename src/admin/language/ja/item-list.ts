import type { Numbers } from "#admin/language/numbers.ts";
import type { Catalogue } from "#admin/language/en/index.ts";

type ItemList = Catalogue["itemList"];

/** 「日本語」 or 「英語（イギリス）」. */
const nameLocale = (locale: string): string =>
  locale.startsWith("ja")
    ? "日本語"
    : (
        new Intl.DisplayNames("ja", { type: "language", languageDisplay: "standard" }).of(locale) ??
        locale
      ).replace(/ ?\((.*)\)$/, "（$1）");

const downloads = (): ItemList["downloads"] => ({
  menu: "ダウンロード",
  more: "その他",
  spreadsheet: "表計算ソフト用",
  spreadsheetHint: (zone) => `ラベル付きの CSV。日時は ${zone}`,
  local: "表計算ソフト用（お使いの形式）",
  localHint: (locale, zone) => `日付と小数点は${nameLocale(locale)}の形式。日時は ${zone}`,
  lines: "表計算ソフト用（明細行ごと）",
  linesHint: (zone) => `明細行 1 行を 1 行にした CSV。日時は ${zone}`,
  csv: "CSV（元の値のまま）",
  csvHint: "見出しはキー、日時は UTC。再インポート用",
  ndjson: "NDJSON（元の値のまま）",
  ndjsonHint: "API と同じ形式で 1 行に 1 件",
});

const table = (): ItemList["table"] => ({
  caption: "データの一覧",
  select: "選択",
  selectPage: "このページをすべて選択",
  selectItem: (name) => `「${name}」を選択`,
  selectAll: (items) => `${items}をすべて選択`,
  edit: "編集",
  editItem: (name) => `「${name}」を編集`,
  withSelected: "選択したデータの操作",
  downloadSelected: "選択分をダウンロード",
  editSelected: "選択分を編集…",
  closeSelected: "選択分をクローズ…",
  reopenSelected: "選択分のクローズを解除…",
  deleteSelected: "選択分を削除…",
});

const tools = (): ItemList["tools"] => ({
  views: "ビュー",
  all: (items) => `すべての${items}`,
  ownFilter: "自分だけに表示されるビュー",
  columns: "表示する列",
  saveColumns: "列を保存",
  sort: "並べ替え",
  sortedBy: (field, direction) => `並べ替え：${field} ${direction === "asc" ? "↑" : "↓"}`,
  sortBy: "並べ替えの基準",
  newestFirst: "新しい順",
  direction: "順序",
  directions: { asc: "昇順", desc: "降順" },
  saveNew: "新しいビューとして保存",
  saveChanges: {
    view: (name) => `ビュー「${name}」に変更を保存`,
    filter: (name) => `ビュー「${name}」に変更を保存`,
  },
  editTab: { view: "ビューを編集", filter: "ビューを編集" },
  rename: "名前を変更",
  moveColumn: {
    up: (column) => `「${column}」を上へ移動`,
    down: (column) => `「${column}」を下へ移動`,
  },
  withColumns: "表示中の列も保存する",
  saveOwn: "自分用に保存",
  saveView: "全員用に保存",
  deleteFilter: "ビューを削除",
  deleteFilterTitle: (filter) => `ビュー「${filter}」を削除しますか？`,
  deleteFilterWarning: "このビューは自分専用です。データは変更されません。",
  shareFilter: "このビューを共有",
  shareFilterEffect: "このビューがメンバー全員に表示されます。",
  shareView: "外部システムと共有…",
  shareViewEffect: "このビューだけにアクセスできる認証情報を作成します。",
  stopSharing: "共有を解除",
  stopSharingEffect: "このビューを自分専用にします。",
  stopSharingTitle: (view) => `ビュー「${view}」の共有を解除しますか？`,
  stopSharingWarning:
    "ほかのメンバーには表示されなくなり、API からも使用できなくなります。ビューは自分専用として残ります。",
  deleteView: "ビューを削除",
  deleteViewTitle: (view) => `ビュー「${view}」を削除しますか？`,
  deleteViewWarning: (items) =>
    `すべてのメンバーの画面から、このビューが消えます。${items}は削除されません。`,
});

const saved = (): ItemList["saved"] => ({
  columns: "表示する列を自分用に保存しました",
  filter: (name) => `ビュー「${name}」を保存しました`,
  filterDeleted: "ビューを削除しました",
  view: (name) => `ビュー「${name}」を保存しました`,
  viewShared: (name) => `ビュー「${name}」をメンバー全員と共有しました`,
  viewNotShared: (name) => `ビュー「${name}」の共有を解除しました`,
  viewDeleted: (name) => `ビュー「${name}」を削除しました`,
  textInView:
    "全員用のビューにはテキスト検索を含められません。テキスト検索を解除するか、自分用に保存してください。",
  daysInView:
    "全員用のビューには固定の日付が必要です。「次の期間内」を日付の条件に変更するか、自分用に保存してください。",
});

const views = ({ formatCount }: Numbers): ItemList["views"] => ({
  inUse: "次で使用中のため、このビューは削除できません。先に変更または削除してください。",
  inUseShared:
    "次で使用中のため、このビューの共有を解除できません。先に変更または削除してください。",
  credentials: (count) => `認証情報 ${formatCount(count)} 件`,
  webhooks: (count) => `Webhook ${formatCount(count)} 件`,
  changeTitle: (view) => `ビュー「${view}」に変更を保存しますか？`,
  before: "現在",
  after: "保存後",
  changedSince: "このページを開いた後に定義が変更されました。変更内容をもう一度確認してください。",
  changeEffect: "保存すると、次の認証情報と Webhook の対象も変わります。",
});

export const itemList = (numbers: Numbers): ItemList => ({
  search: "検索",
  searchItems: (items) => `${items}を検索`,
  searchHint:
    "検索対象のフィールドのテキストを検索します。選択肢のラベルで探すには、絞り込みを追加してください。",
  searchLabel: (items) => `すべてのフィールドのテキストから${items}を検索`,
  notAllSearched: (total) => `${total}の検索は、まだ完了していません`,
  searched: (count, total) => `${total}のうち ${numbers.formatCount(count)} 件を検索しました`,
  noMatchesYet: "該当するデータはまだ見つかっていません",
  noMatches: (items) => `該当する${items}はありません`,
  noFields: "フィールドはまだありません。データを集めるには、フィールドを追加してください。",
  addFields: "フィールドを追加",
  none: (items) => `${items}はまだありません`,
  create: (item) => `${item}を作成`,
  import: "インポート",
  importItems: (items) => `${items}をインポート`,
  connect: "外部システムを接続",
  useApi: "API を使用",
  position: (first, last, total) =>
    `${total}中 ${numbers.formatCount(first)}～${numbers.formatCount(last)} 件目`,
  onlyPage: (total) => total,
  pages: "ページ",
  previous: "← 前へ",
  next: "次へ →",
  keepSearching: "検索を続ける",
  noNext: "この一覧に次のデータはありません",
  noPrevious: "この一覧に前のデータはありません",
  downloads: downloads(),
  table: table(),
  tools: tools(),
  saved: saved(),
  views: views(numbers),
});
