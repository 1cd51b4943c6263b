import type { Numbers } from "#admin/language/numbers.ts";
import type { Catalogue } from "#admin/language/en/index.ts";
import { sentence } from "#admin/language/sentence.ts";

export const people = ({ formatCount }: Numbers): Catalogue["people"] => ({
  titleOf: (text) => `個人データの検索：${text}`,
  labels: { text: "対象者" },
  textHint:
    "メールアドレス、電話番号、または名前。空白、ハイフン、全角・半角、ひらがな・カタカナ、「髙」と「高」などの異体字は区別しません。すべてのフォームとアプリの値を、変更履歴も含めて検索します。",
  search: "すべてのデータを検索",
  searches: "検索の一覧",
  columns: {
    person: "対象者",
    result: "結果",
    started: "開始日時",
    erased: "自動削除",
    delete: "削除",
  },
  running: (found, searched) =>
    `検索中：${formatCount(searched)} 件を確認し、${formatCount(found)} 件が見つかりました`,
  noneFound: "該当するデータは見つかりませんでした",
  found: (found) => `${formatCount(found)} 件が見つかりました`,
  firstFound: (found) => `最初の ${formatCount(found)} 件が見つかりました`,
  status: (progress) => sentence`${progress}。`,
  refresh: "表示を更新",
  moreMatches:
    "ほかにも該当するデータがある可能性があります。見つかったデータを完全に削除するか、別の言葉で検索してください。",
  foundItems: "見つかったデータ",
  groupTitle: (name, items) => sentence`${name}：${items}`,
  searchedPlaces:
    "検索した範囲：すべてのデータの現在の値、ファイル名、変更履歴に残る以前の値、削除したフィールド、復元できる削除済みのデータ、フォーム、アプリ。",
  otherPlaces:
    "検索していない範囲：ファイルの内容、メンバーのアカウント、監査ログ、ダウンロード済みのデータ、Webhook で送信済みのデータ。",
  itemColumns: {
    item: "データ",
    created: "作成日時",
    place: "見つかった場所",
    erase: "完全に削除",
  },
  deletedItem: "削除済み",
  values: "現在の値",
  formerValues: "変更前の値",
  deletedWith: { app: "アプリと一緒に削除済み", form: "フォームと一緒に削除済み" },
  erase: "完全に削除…",
  nothingYet: "まだ見つかっていません",
  tryAgain: "名前の一部、メールアドレス、または電話番号で検索してください。",
  nothingLeft: "完全に削除するデータはありません",
  gone: (count) => `${formatCount(count)} 件はすでに存在しません。`,
  more: "続きを表示",
  expiry: (day) => sentence`この検索と検索語は ${day} に完全に削除されます。`,
  deleteSearch: "検索を削除",
  deleted: "検索を削除しました",
});
