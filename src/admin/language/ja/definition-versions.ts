import type { Catalogue } from "#admin/language/en/index.ts";
import { lazy } from "#domain/lazy.ts";
import { ruleFlags, fieldProperties } from "./field-properties.ts";

const properties = lazy((): Readonly<Record<string, string>> => ({
  name: "名前",
  description: "説明",
  time_zone: "タイムゾーン",
  receipt_prefix: "レコード番号の接頭辞",
  history_days: "変更履歴の保存日数",
  state: "回答の受付",
  opens_at: "受付開始日時",
  closes_at: "受付終了日時",
  max_submissions: "回答数の上限",
  retain: "回答の保存期間",
  title_field: "タイトルのフィールド",
  view: "ビュー",
  conditions: "条件",
  sort: "並べ替え",
  fields: "表示するフィールド",
  order: "順序",
  ...fieldProperties(),
  ...ruleFlags(),
  integer: "整数のみ",
  type: "種類",
  searchable: "検索と並べ替え",
  title: "タイトル",
}));

export const definitionVersions = (): Catalogue["definitionVersions"] => ({
  title: "バージョン",
  columns: {
    version: "バージョン",
    when: "日時",
    who: "変更者",
    changes: "変更内容",
    compare: "比較",
  },
  current: "現在",
  noFieldsOrSettings: "フィールドと設定の変更なし",
  seeComparison: "比較を表示",
  changesIn: (version) => `バージョン ${version} の変更内容`,
  kept: "最新の 100 件まで保存され、30 件まで表示されます。",
  andMore: (named, more) => `${named}、ほか ${more} 件`,
  version: (version) => `バージョン ${version}`,
  compare: {
    title: "バージョンを比較",
    from: "比較元",
    to: "比較先",
    submit: "バージョンを比較",
  },
  between: (from, to) => `バージョン ${from} から ${to} への変更`,
  all: "すべてのバージョン",
  notStored: "これらのバージョンは、すでに保存されていません。",
  noChanges: "変更はありません",
  diffs: {
    title: "変更内容",
    columns: { field: "フィールド", property: "設定項目", before: "変更前", after: "変更後" },
  },
  settings: "設定",
  retain: (days, isAll) => `${days} 日間（${isAll ? "すべての回答" : "クローズ済みの回答のみ"}）`,
  sorted: (field, isDescending) => `${field}（${isDescending ? "降順" : "昇順"}）`,
  property: (name) => properties()[name] ?? name,
});
