import type { Numbers } from "#admin/language/numbers.ts";
import type { Catalogue } from "#admin/language/en/index.ts";
import { sentence } from "#admin/language/sentence.ts";

type ItemForm = Catalogue["itemForm"];

/** Labels of fields, like 「件名」「数量」. */
const quote = (labels: readonly string[]) => labels.map((label) => `「${label}」`).join("");

const rows = ({ formatCount }: Numbers): ItemForm["rows"] => ({
  cell: (column, row) => `${column}（${row} 行目）`,
  remove: "削除",
  removeRow: (row) => `${row} 行目を削除`,
  moveUp: (row) => `${row} 行目を上に移動`,
  moveDown: (row) => `${row} 行目を下に移動`,
  add: "行を追加",
  addMore: "行をさらに追加",
  tooMany: (count) =>
    `${formatCount(count)} 行あるため、この画面では編集できません。保存しても変更されません。編集するには API を使用してください。`,
  tooManyCells: (max, cells) =>
    `この画面で編集できるセルは ${formatCount(max)} 個までですが、この明細行までに ${formatCount(cells)} 個あります。編集するには API を使用してください。`,
});

const conflict = (): ItemForm["conflict"] => ({
  changed: (distance, actor) => sentence`変更：${actor}（${distance}）`,
  mine: "入力した値",
  theirs: "保存済みの値",
  merged: (labels) => `編集中に行われた${quote(labels)}の変更も反映されています。`,
  notSaved: (labels) =>
    `保存されていません。編集中に${quote(labels)}が変更されました。残す値を選択してください。`,
});

const outcomes = (): ItemForm["outcomes"] => ({
  saved: (title) => `「${title}」を保存しました`,
  created: (title) => `「${title}」を作成しました`,
  submitted: (title) => `「${title}」を送信しました`,
  savedDraft: (title) => `「${title}」を下書きとして保存しました`,
  unchanged: (title) => `「${title}」に変更はありません`,
  merged: (title, labels) =>
    `「${title}」を保存しました。編集中に行われた${quote(labels)}の変更も反映されています。`,
});

const range =
  ({ formatNumber }: Numbers): ItemForm["range"] =>
  (minimum, maximum) => {
    const [least, most] = [minimum, maximum].map((limit) =>
      limit === undefined ? undefined : formatNumber(String(limit)),
    );
    if (least !== undefined && most !== undefined) return `${least} 以上 ${most} 以下`;
    if (least !== undefined) return `${least} 以上`;
    return most === undefined ? "" : `${most} 以下`;
  };

export const itemForm = (numbers: Numbers): ItemForm => ({
  create: (item) => `${item}を作成`,
  edit: (item) => `${item}を編集`,
  submit: "送信",
  another: "続けて作成",
  anotherHint: "選択肢、日付、参照は引き継がれ、ほかのフィールドは空になります。",
  done: "完了",
  saveDraft: "下書きとして保存",
  calculated: "計算結果",
  formerOption: (value) => `${value}（以前の選択肢）`,
  referenceHint: "レコードのタイトル、レコード番号、またはその他のテキストで検索できます。",
  duplicate: (label) => `「${label}」の値がほかのデータと重複しています。`,
  range: range(numbers),
  rows: rows(numbers),
  candidates: (labels) => `候補：${labels.join("、")}`,
  guessed: (message, records) =>
    [
      message.replace(/。$/, ""),
      ...records.map(({ text, label }) => `「${text}」は「${label}」として保存しました`),
    ].join("。"),
  conflict: conflict(),
  outcomes: outcomes(),
});
