import type { Numbers } from "#admin/language/numbers.ts";
import type { Catalogue } from "#admin/language/en/index.ts";

export const erasure = ({ formatCount }: Numbers): Catalogue["erasure"] => ({
  title: (item) => `「${item}」を完全に削除`,
  warning: (item) => `この${item}と次のデータを完全に削除します。元に戻すことはできません。`,
  values: (fields) => `${formatCount(fields)} 個のフィールドの値と、その検索インデックス`,
  changes: (count, hasMore) =>
    `変更履歴 ${formatCount(count)} 件${hasMore ? "以上" : ""}に含まれる変更前の値`,
  response: "プログラムから送信された内容の控え（「削除」では最長 24 時間残ります）",
  note: (item) =>
    `連携しているシステムには、${item}が削除されたことだけが伝わります。監査ログには、削除した人、日時、ID が残ります。`,
  erase: "完全に削除",
  done: (title) => `「${title}」を完全に削除しました`,
});
