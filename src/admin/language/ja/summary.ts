import type { Catalogue } from "#admin/language/en/index.ts";

export const summary = (): Catalogue["summary"] => ({
  tooLarge: (items) =>
    `この期間の${items}は多すぎるため、集計できません（20 万件または 200 MB を超えています）。`,
  showMonths: (from, to) => (from === to ? `${from}を表示` : `${from}～${to}を表示`),
  monthTooLarge: "条件付きの集計 API を使うと、一部を集計できます。",
  note: (items, zone) =>
    `${items}は作成日を基準に集計します。月の区切りは ${zone.replaceAll("_", " ")} の時刻です。検索対象外のフィールドは集計されません。`,
  changeZone: "タイムゾーンを変更",
  from: "開始月",
  to: "終了月",
  show: "表示",
  recent: (months) => (months === 1 ? "今月" : `過去 ${months} か月`),
  longest: (months) => `${months} か月まで指定できます。`,
  none: (items) => `この期間に作成された${items}はありません。`,
  onlyValue: (_, items, value) => `${items}。値はすべて「${value}」です。`,
  noValues: (_, items) => `${items}。すべて未入力です。`,
  byMonth: (items) => `月別の${items}数`,
  figures: "月別の数値",
  month: "月",
  sums: "合計",
  sumsCaption: (item) => `${item}の数値の合計`,
  field: "フィールド",
  sum: "合計",
  byValue: (items, field) => `「${field}」別の${items}数`,
  otherValues: "その他の値",
  pages: "ほかのフィールドの数値",
  previousPage: "前のフィールド",
  nextPage: "次のフィールド",
  position: (page, count) => `${count} ページ中 ${page} ページ目`,
  noValue: "未入力",
});
