import type { Numbers } from "#admin/language/numbers.ts";
import type { Catalogue } from "#admin/language/en/index.ts";
import { sentence } from "#admin/language/sentence.ts";

type Changes = Catalogue["definitionChanges"];

type Affected = Parameters<Changes["fields"]["hidden"]>[1];

const keepValue = (items: Affected): string => {
  if (!items) return "値は保持され、フィールドを復元すると元に戻ります。";
  if (items.count === 0) return "このフィールドに値のあるデータはありません。";
  return `${items.text}に値があります。値は保持され、フィールドを復元すると元に戻ります。`;
};

const keepOptions = (items: Affected): string => {
  if (!items) return "保存済みのデータの値はそのまま残りますが、今後は選択できません。";
  if (items.count === 0) return "使用しているデータはありません。";
  return `${items.text}の値はそのまま残りますが、今後は選択できません。`;
};

const fields = (): Changes["fields"] => ({
  added: (field) => sentence`${field}を追加します。`,
  renamed: (field, from, to) =>
    sentence`${field}のキーを ${from} から ${to} に変更します。すべてのデータの値はそのまま残ります。古いキーを使用したリクエストはエラーになり、新しいキーが通知されます。`,
  hidden: (field, items) => sentence`${field}を削除します。${keepValue(items)}`,
  restored: (field) => sentence`${field}をデータとともに復元します。`,
  retyped: (field) =>
    sentence`${field}を別の種類のフィールドに置き換えます。以前のデータは保持されます。`,
  optionsRemoved: (field, options, items) =>
    sentence`${field}から${options.map((option) => `「${option}」`).join("")}を削除します。${keepOptions(items)}`,
  relabeled: (field, from) =>
    sentence`${from}の名前を${field}に変更します。すべてのデータの値はそのまま残り、API のキーも変わりません。`,
  becomesRequired: (field) =>
    sentence`${field}を必須にします。値のない保存済みのデータは、そのまま有効です。`,
  becomesOptional: (field) => sentence`${field}を任意にします。`,
  changed: (field) => sentence`${field}を変更します。保存済みの値は引き続き有効です。`,
});

const work = (): Changes["work"] => ({
  checksUnique: (items, names) =>
    sentence`${items}を対象に、${names}の値が重複していないか確認します。`,
  checksType: (items, names) =>
    sentence`${items}を対象に、${names}に以前の種類の値がないか確認します。`,
  indexes: (items, names) => sentence`${items}の${names}を検索インデックスに追加します。`,
  recalculates: (items, names) => sentence`${items}の${names}を再計算します。`,
});

export const definitionChanges = ({ formatCount }: Numbers): Changes => ({
  title: "変更内容",
  none: "変更はありません",
  openView: (view) => `「${view}」を開く`,
  fixFields: "強調表示されているフィールドを修正してください。",
  finish: ({ options, formulas }) => {
    const parts = [...(options ? ["選択肢"] : []), ...(formulas ? ["計算式"] : [])];
    return parts.length === 0
      ? "フィールドの設定を完了してください。"
      : `${parts.join("と")}を入力してください。`;
  },
  fields: fields(),
  work: work(),
  webhookCount: (count) => `Webhook ${formatCount(count)} 件`,
  credentialCount: (count) => `認証情報 ${formatCount(count)} 件`,
  noEvents: "Webhook は、再計算されたデータのイベントを送信しません。",
  events: (webhooks, count, events) =>
    sentence`${webhooks}が${count > 1 ? "それぞれ" : ""}最大 ${formatCount(events)} 件のイベントを送信します。`,
  views: (views) =>
    sentence`ビュー${views}に一致するデータ、または表示されるフィールドが変わります。`,
  credentials: (credentials) =>
    sentence`次の認証情報がアクセスできるデータまたはフィールドが変わります：${credentials}`,
  webhooks: (webhooks) =>
    sentence`次の Webhook の対象となるデータまたはフィールドが変わります：${webhooks}`,
});
