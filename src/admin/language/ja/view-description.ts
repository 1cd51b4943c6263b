import type { Catalogue } from "#admin/language/en/index.ts";
import { joinWords } from "./words.ts";

type Texts = Catalogue["viewDescription"];

const compare =
  (particle: string, predicate: string, separator = "、"): Texts["comparisons"]["eq"] =>
  (field, values) =>
    joinWords(field, particle, values.join(separator), predicate);

const comparisons = (): Texts["comparisons"] => ({
  eq: compare("が", "である"),
  ne: compare("が", "でない"),
  gt: compare("が", "より大きい"),
  gte: compare("が", "以上である"),
  lt: compare("が", "未満である"),
  lte: compare("が", "以下である"),
  between: (field, values) => joinWords(field, "が", values.join("～"), "の範囲にある"),
  in: compare("が", "である", "または"),
  not_in: compare("が", "のいずれでもない"),
  contains: compare("に", "が含まれる"),
  starts_with: compare("が", "で始まる"),
  has_any: compare("に", "のいずれかが含まれる"),
  has_all: compare("に", "がすべて含まれる"),
  has_none: compare("に", "のいずれも含まれない"),
});

const nounEnd = "である";

/** A condition before the noun that it describes: 「State が「New」の」. */
export const beforeNoun = (condition: string): string =>
  condition.endsWith(nounEnd) ? `${condition.slice(0, -nounEnd.length)}の` : condition;

/** A condition before another one: 「Total が 100 以上で、」. */
const beforeClause = (condition: string): string[] =>
  condition.endsWith(nounEnd)
    ? [`${condition.slice(0, -nounEnd.length)}で`, "、"]
    : [condition, "、かつ"];

const separated = (separator: string) => (condition: string, index: number) =>
  index === 0 ? [condition] : [separator, condition];

export const viewDescription = (): Texts => ({
  shows: (items, fields) => `${items}、${fields}`,
  allItems: (items) => `すべての${items}`,
  items: (conditions, items) => `${beforeNoun(conditions)}${items}のみ`,
  allFields: "すべてのフィールド",
  allFieldsExcept: (labels) => joinWords(labels.join("、"), "以外のすべてのフィールド"),
  fields: (keys) => joinWords("フィールドは", keys.join("、"), "のみ"),
  all: (conditions) =>
    joinWords(
      ...conditions.flatMap((condition, index) =>
        index === conditions.length - 1 ? [condition] : beforeClause(condition),
      ),
    ),
  any: (conditions) => joinWords(...conditions.flatMap(separated("、または"))),
  group: (conditions) => `（${conditions}）`,
  not: (condition) => `「${condition}」に当てはまらない`,
  isEmpty: (field) => joinWords(field, "が未入力である"),
  isNotEmpty: (field) => joinWords(field, "が入力済みである"),
  hasRow: (field, conditions) => joinWords(field, "に、", beforeNoun(conditions), "行がある"),
  hasNoRow: (field, conditions) => joinWords(field, "に、", beforeNoun(conditions), "行がない"),
  comparisons: comparisons(),
  systemFields: {
    $created_by: "作成者",
    $updated_by: "更新者",
    $created_at: "作成日時",
    $updated_at: "更新日時",
    $status: "ステータス",
    $id: "ID",
    $receipt_number: "レコード番号",
  },
  more: (count) => `ほか ${count} 件`,
  moreConditions: (count) => `ほか ${count} 件の条件に当てはまる`,
  quote: (value) => `「${value}」`,
  caller: "この認証情報自身",
  unknown: "…",
});
