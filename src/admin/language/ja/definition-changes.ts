import type { Catalogue } from "#admin/language/en/index.ts";
import { sentence } from "#admin/language/sentence.ts";
import { formatCount } from "#html/viewer.tsx";

type Changes = Catalogue["definitionChanges"];

const fields = (): Changes["fields"] => ({
  added: (field) => sentence`${field}を追加します。`,
  renamed: (field, from, to) =>
    sentence`${field}のキーを ${from} から ${to} に変更します。データはそのまま残ります。古いキーを使用したリクエストはエラーになり、新しいキーが通知されます。`,
  hidden: (field) =>
    sentence`${field}を非表示にします。データは保持され、フィールドを復元すると元に戻ります。`,
  restored: (field) => sentence`${field}をデータとともに復元します。`,
  retyped: (field) =>
    sentence`${field}を別の種類のフィールドに置き換えます。以前のデータは保持されます。`,
  optionsRemoved: (field, options) =>
    sentence`${field}から${options.map((option) => `「${option}」`).join("")}を削除します。保存済みのデータの値はそのまま残りますが、今後は選択できません。`,
  relabeled: (field, from) => sentence`${from} の名前を${field}に変更します。`,
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

export const definitionChanges = (): Changes => ({
  title: "変更内容",
  none: "変更はありません",
  fixFields: "強調表示されているフィールドを修正してください。",
  finish: "選択肢と計算式を入力してください。",
  fields: fields(),
  work: work(),
  webhookCount: (count) => `${formatCount(count)} 件の Webhook`,
  credentialCount: (count) => `${formatCount(count)} 件の認証情報`,
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
