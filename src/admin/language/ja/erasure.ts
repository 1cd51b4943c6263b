import type { Numbers } from "#admin/language/numbers.ts";
import type { Catalogue } from "#admin/language/en/index.ts";

export const erasure = ({ formatCount }: Numbers): Catalogue["erasure"] => ({
  title: (item) => `「${item}」を完全に削除`,
  warning: (item) =>
    `この${item}を、変更履歴、ファイル、保存された応答とともに直ちに削除します。元に戻すことはできません。`,
  values: (fields) => `${formatCount(fields)} 個のフィールドの値`,
  changes: (count, hasMore) =>
    `${formatCount(count)} 回${hasMore ? "以上" : ""}の編集で変更される前の値`,
  response: "プログラムから送信された内容の一時的なコピー（通常は最長 24 時間残ります）",
  note: (item) =>
    `連携先のシステムには、${item}が削除されたことが通知されます。監査ログには、削除した人、日時、ID が残ります。`,
  erase: "完全に削除",
  done: (title) => `「${title}」を完全に削除しました`,
});
