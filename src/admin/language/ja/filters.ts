import type { Numbers } from "#admin/language/numbers.ts";
import type { Catalogue } from "#admin/language/en/index.ts";
import { joinWords } from "./words.ts";

type Filters = Catalogue["filters"];
type Comparison = keyof Filters["comparisons"];

const comparisons = (): Filters["comparisons"] => ({
  is_empty: "未入力",
  filled: "入力済み",
  contains: "次を含む",
  is: "次と一致",
  is_not: "次と一致しない",
  starts_with: "次で始まる",
  in_period: "次の期間内",
  on: "指定した日",
  on_or_after: "指定した日以降",
  on_or_before: "指定した日以前",
  after: "次より後",
  before: "次より前",
  between: "次の範囲内",
  at_least: "次の値以上",
  at_most: "次の値以下",
  more_than: "次の値より大きい",
  less_than: "次の値未満",
  one_of: "次のいずれか",
  none_of: "次のいずれでもない",
  has_any: "次のいずれかを含む",
  has_all: "次をすべて含む",
  has_none: "次のいずれも含まない",
});

/** Values in quotation marks: 「東京」「大阪」. */
const quoted = (values: readonly string[]) => values.map((value) => `「${value}」`).join("");

type Predicate = (values: readonly string[]) => string;

/** The predicate after the name of a field, as in 「ステータスが「下書き」「送信済み」のいずれか」. */
const predicates = (): Record<Comparison, Predicate> => ({
  is_empty: () => `が未入力`,
  filled: () => `が入力済み`,
  contains: (values) => `に${quoted(values)}を含む`,
  is: (values) => `が${quoted(values)}`,
  is_not: (values) => `が${quoted(values)}以外`,
  starts_with: (values) => `が${quoted(values)}で始まる`,
  in_period: (values) => `が${values.join("、")}`,
  on: (values) => `が ${values.join("、")}`,
  on_or_after: (values) => `が ${values.join("、")} 以降`,
  on_or_before: (values) => `が ${values.join("、")} 以前`,
  after: (values) => `が ${values.join("、")} より後`,
  before: (values) => `が ${values.join("、")} より前`,
  between: (values) => `が ${values.join("～")}`,
  at_least: (values) => `が ${values.join("、")} 以上`,
  at_most: (values) => `が ${values.join("、")} 以下`,
  more_than: (values) => `が ${values.join("、")} より大きい`,
  less_than: (values) => `が ${values.join("、")} 未満`,
  one_of: (values) => `が${quoted(values)}のいずれか`,
  none_of: (values) => `が${quoted(values)}のいずれでもない`,
  has_any: (values) => `に${quoted(values)}${unlessOne(values, "のいずれか")}を含む`,
  has_all: (values) => `に${quoted(values)}を${unlessOne(values, "すべて")}含む`,
  has_none: (values) =>
    values.length === 1 ? `に${quoted(values)}を含まない` : `に${quoted(values)}のいずれも含まない`,
});

const unlessOne = (values: readonly string[], words: string) => (values.length === 1 ? "" : words);

export const filters = ({ formatCount }: Numbers): Filters => ({
  comparisons: comparisons(),
  describe: (name, comparison, values) => joinWords(name, predicates()[comparison](values)),
  noNumber: "数値を入力してください。",
  describeOther: (name, operator, values) => `${name} ${operator} ${quoted(values)}`,
  days: {
    today: "今日",
    yesterday: "昨日",
    last: (count) => `過去 ${formatCount(count)} 日間`,
    next: (count) => `今後 ${formatCount(count)} 日間`,
  },
  booleans: { true: "はい", false: "いいえ" },
  me: "自分",
  text: (text) => `テキスト「${text}」`,
  view: (name) => `ビュー「${name}」`,
  advanced: "詳細",
  conditions: "JSON の条件",
  active: "適用中の絞り込み",
  edit: "絞り込みを編集",
  remove: (filter) => `絞り込みを解除：${filter}`,
  clearAll: "すべて解除",
  menu: "+ 絞り込み",
  findField: "フィールドを検索",
  form: (field) => `「${field}」で絞り込む`,
  conditionsForm: "条件で絞り込む",
  conditionsHint: "API と同じ形式です。グループや明細行の条件も指定できます：",
  add: "絞り込みを追加",
  update: "絞り込みを更新",
  operands: {
    value: "値",
    text: "テキスト",
    day: "日付",
    period: "期間",
    and: "まで",
    person: "メンバー",
    storedValue: "保存されている値",
    options: (field) => `「${field}」の選択肢`,
    record: "レコード",
    recordHint: "レコードの ID。タイトルを入力して検索できます。",
  },
  failed: (reasons) => `検索できませんでした。${reasons.join(" ")}`,
});
