import type { Numbers } from "#admin/language/numbers.ts";
import type { Catalogue } from "#admin/language/en/index.ts";
import { sentence } from "#admin/language/sentence.ts";

type Definitions = Catalogue["definitions"];

const acceptance = ({ formatCount }: Numbers): Definitions["acceptance"] => ({
  open: "受付中",
  closed: { not_open_yet: "受付開始前", closed: "受付終了", full: "上限に到達" },
  closes: (distance) => sentence`受付終了：${distance}`,
  ofMost: (count, most) => `${formatCount(count)} / ${formatCount(most)} 件`,
});

const list = (): Definitions["list"] => ({
  none: (many) => `${many}はまだありません`,
  whoCreates: "作成できるのは、オーナー、管理者、編集者です。",
  deleted: "削除済み",
  state: "受付状況",
  lastCreated: "最新の作成日時",
  fields: "フィールド",
  fieldsOf: (name) => `「${name}」のフィールド`,
});

export const definitions = (numbers: Numbers): Definitions => ({
  tabs: {
    summary: "集計",
    fields: "フィールド",
    settings: "設定",
    access: "アクセス権",
    api: "API",
  },
  acceptance: acceptance(numbers),
  dataIn: (location) => `データの保存場所：${location}`,
  indexing: (done, total) =>
    `検索と計算式を更新しています：${numbers.formatCount(done)} / ${numbers.formatCount(total)} 件`,
  create: (one) => `${one}を作成`,
  timeZone: "タイムゾーン",
  timeZoneHint: "インポート、ダウンロード、計算式、日付に使用されます。例：Asia/Tokyo",
  conflict:
    "ほかのユーザーが変更したため、保存されていません。入力した内容は残っています。変更内容を確認して、もう一度保存してください。",
  list: list(),
});
