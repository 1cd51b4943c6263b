import type { Catalogue } from "#admin/language/en/index.ts";
import { sentence } from "#admin/language/sentence.ts";

const locations = (): Catalogue["databases"]["locations"] => ({
  eu: "欧州連合",
  us: "アメリカ合衆国",
  fedramp: "米国政府（FedRAMP）",
  weur: "西ヨーロッパ",
  eeur: "東ヨーロッパ",
  wnam: "北米西部",
  enam: "北米東部",
  apac: "アジア太平洋",
  oc: "オセアニア",
});

export const databases = (): Catalogue["databases"] => ({
  title: "データベース",
  columns: {
    database: "データベース",
    location: "保存場所",
    size: "サイズ",
    share: "使用率（上限 10 GB）",
    collections: "フォームとアプリ",
    writes: "1 分あたりの書き込み",
    reported: "最終報告",
  },
  home: "既定のデータベース",
  nearlyFull: "残りわずか",
  notYet: "未報告",
  note: "データは 1 分ごとに更新されます。",
  add: {
    title: "容量の拡張",
    operators: "サービスの運用担当者の方へ",
    single:
      "1 つのデータベースの容量は 10 GB で、書き込みは 1 件ずつ処理されます。使用率が 70% に達したとき、またはフォームのデータを特定の国や地域に保存するときは、サービスの運用担当者にデータベースの追加を依頼してください。",
    several:
      "新しいフォームとアプリは、空き容量が最も多いデータベース、または選択した保存場所に作成されます。",
    command: (command) =>
      sentence`データベースを追加するには、デプロイに使用するフォルダーで ${command} を実行します。`,
    guide: "1 つの環境をどこまで拡張できるか（英語）",
  },
  locations: locations(),
});
