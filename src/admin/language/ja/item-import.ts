import type { Numbers } from "#admin/language/numbers.ts";
import type { Catalogue } from "#admin/language/en/index.ts";

type ItemImport = Catalogue["itemImport"];

const forecast = (
  { created, updated, unchanged, refused }: Parameters<ItemImport["forecast"]>[0],
  { formatCount }: Numbers,
) => {
  const parts = [
    [created, "追加"],
    [updated, "更新"],
    [unchanged, "変更なし"],
    [refused, "エラー"],
  ] as const;
  const total = created + updated + unchanged + refused;
  const counts = parts
    .filter(([count]) => count > 0)
    .map(([count, text]) => `${text} ${formatCount(count)} 行`);
  return `全 ${formatCount(total)} 行：${counts.join("、")}`;
};

const reasons = (): ItemImport["reasons"] => ({
  columns: "列ごとにフィールドまたは空の文字列を指定してください。",
  filledTwice: "このフィールドには、すでにほかの列が割り当てられています。",
  unknownField: "このフィールドは存在しません。",
  noFile: "ファイルを選択するか、行を貼り付けてください。",
  notUtf8:
    "ファイルの文字コードが UTF-8 でも Shift_JIS でもありません。Excel では「CSV UTF-8」形式で保存してください。",
  uneven: (cells, columns) => `行のセル数は ${cells}、ヘッダーの列数は ${columns} です。`,
  atLine: (line, reason) => `${line} 行目：${reason}`,
  value: (column, value) => `${column}「${value}」`,
  at: (place, reason) => `${place}：${reason}`,
  row: (number) => `${number} 行目`,
  date: (example) => `${example} の形式で日付を入力してください。`,
  dateTime: (date) => `日付（${date}）と時刻（10:00 など）を入力してください。`,
  noSuchDate: "存在しない日付です。",
  sameAsLine: (line) => `このファイルの ${line} 行目と値が重複しています。`,
  chooseOption: (options) => `次のいずれかを入力してください：${options}`,
  noRows: "ヘッダーの下に 1 行以上のデータを追加してください。",
  notAllowed: (allowed) => `次のいずれかを指定してください：${allowed}`,
  tooLarge: "ファイルのサイズが 1 MB を超えています。",
  tooManyColumns: (max) => `ファイルの列は ${max} 列までです。`,
  tooManyCells: (cells, max) =>
    `ファイルには入力済みのセルが ${cells} 個あります。一度にインポートできるのは ${max} 個までです。`,
});

const scope = (): ItemImport["scope"] => ({
  title: "インポートできるデータ",
  points: [
    "「CSV（元の値のまま）」でダウンロードしたファイルは、そのままインポートできます。「表計算ソフト用」のファイルも、明細行を除いてそのままインポートできます。",
    "明細行は、1 つのセルに JSON で入力します。選択肢には値とラベルのどちらも使用できます。",
    "計算フィールド、レコード番号、バージョン、および作成者や更新者に関する列はインポートされません。",
    "新しい回答は下書きまたは送信済みとして追加できますが、クローズ済みとしては追加できません。",
  ],
});

export const itemImport = (numbers: Numbers): ItemImport => ({
  title: (items) => `${items}をインポート`,
  labels: {
    file: "ファイル",
    csv: "テキスト",
    columns: "列",
    delimiter: "区切り文字",
    numbers: "数値",
    dates: "日付",
  },
  fileHint: (rows, columns) =>
    `ヘッダー行のある UTF-8 または Shift_JIS の CSV ファイル。区切り文字はカンマ、セミコロン、タブのいずれかです。1 MB、${numbers.formatCount(rows)} 行、${columns} 列までインポートできます。`,
  paste: "または行を貼り付け",
  pasteHint: "ファイルや表計算ソフトから、ヘッダー行を含めてコピーしてください。",
  review: "内容を確認",
  cancel: "キャンセル",
  reviewable: "インポートする前に、すべての変更内容を確認できます。",
  scope: scope(),
  reasons: reasons(),
  formats: {
    delimiter: { auto: "自動判定", comma: "カンマ", semicolon: "セミコロン", tab: "タブ" },
    numbers: { auto: "自動判定", point: "1,234.56", comma: "1.234,56" },
    dates: {
      iso: "2026-12-31、2026/12/31 または 2026年12月31日",
      day_first: "31.12.2026 または 31/12/2026",
      month_first: "12/31/2026",
    },
  },
  formatsHint: "値が正しく読み取られていない場合は、変更して内容を再確認してください。",
  unreadable: "ファイルを読み取れませんでした。",
  shiftJis: "ファイルの文字コードは Shift_JIS として読み取られました。",
  forecast: (counts) => forecast(counts, numbers),
  leftOut: (count, items) =>
    `${numbers.formatCount(count)} 行は既存の${items}の行のため、値が異なっていてもインポートされません。更新するには、下の「既存の${items}」を変更して、内容を再確認してください。`,
  zone: (zone) => `タイムゾーンのない時刻は ${zone} として扱われます。`,
  importRows: (count) => `${numbers.formatCount(count)} 行をインポート`,
  checkAgain: "内容を再確認",
  downloadRejected: "エラーの行をダウンロード",
  downloadUpdates: "更新内容をダウンロード",
  notImported: "インポートしない",
  status: "ステータス",
  column: "列",
  unnamedColumn: (position) => `${position} 列目`,
  firstRow: "最初のデータ",
  field: "フィールド",
  fieldFor: (column) => `「${column}」のフィールド`,
  existing: (items) => `既存の${items}`,
  keepExisting: (items) => `変更しない（新しい${items}のみ追加）`,
  updateExisting: (field) => `「${field}」が同じデータを更新し、それ以外を追加`,
  rejectedRows: "エラーの行",
  viewRejected: "エラーの行を表示",
  line: "行",
  content: "内容",
  reason: "理由",
  rejectionReason: "エラーの理由",
  otherRejected: (count) =>
    `残りの ${numbers.formatCount(count)} 行は、エラーの行をダウンロードして確認してください。`,
  updates: "更新",
  changedFields: "変更されるフィールド",
  otherUpdates: (count) =>
    `残りの ${numbers.formatCount(count)} 行は、更新内容をダウンロードして確認してください。`,
  item: "データ",
  before: "変更前",
  after: "変更後",
  badges: { created: "追加", updated: "更新", unchanged: "変更なし", deleted: "削除済み" },
  firstRows: (count) => `先頭の ${numbers.formatCount(count)} 行`,
  firstColumns: (shown, columns) =>
    `${numbers.formatCount(columns)} 列のうち ${numbers.formatCount(shown)} 列を表示しています。`,
  result: "結果",
  importing: (items) => `${items}をインポートしています`,
  progress: "インポート",
  importedSoFar: (count, total) =>
    `${numbers.formatCount(total)} 行中 ${numbers.formatCount(count)} 行をインポートしました。`,
  tryAgain: "再試行",
  continue: "続行",
  resumable:
    "中断しても、あとで再開できます。インポート済みの行が重複して追加されることはありません。",
  finished: "インポートが完了しました",
  imported: (count) => `${numbers.formatCount(count)} 行をインポートしました。`,
  partlyImported: (count, total, rejected) =>
    `${numbers.formatCount(total)} 行中 ${numbers.formatCount(count)} 行をインポートしました。${numbers.formatCount(rejected)} 行はエラーのためインポートされませんでした。`,
  rejectionsUnknown:
    "すべての行をもう一度確認するには時間がかかりすぎるため、エラーの行は表示できません。理由を確認するには、行数を減らしてインポートしてください。",
  outcomes: { created: "追加", updated: "更新", unchanged: "変更なし", refused: "エラー" },
  view: (items) => `${items}を表示`,
  importMore: "続けてインポート",
});
