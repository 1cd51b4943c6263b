import type { Catalogue } from "#admin/language/en/index.ts";
import { sentence } from "#admin/language/sentence.ts";

type Texts = Catalogue["secrets"];

/** The texts about one kind of secret, with the name of that kind. */
const secretTexts = (noun: string): Texts["token"] => ({
  title: noun,
  column: noun,
  none: `有効な${noun}はありません`,
  alreadyShown: `この${noun}はすでに表示されました。コピーしていない場合は、${noun}を更新して新しいものを取得してください。`,
  view: `${noun}を表示`,
  rotate: `${noun}を更新`,
  rotation: `新しい${noun}を作成します。現在の${noun}は選択した期間だけ引き続き使用でき、それより古いものはすぐに無効になります。`,
  overlap: `現在の${noun}を無効にする時期`,
  oldUntil: (time) =>
    sentence`以前の${noun}は ${time} まで使用できます。それまでに、新しい${noun}へ切り替えてください。`,
  expireTitle: (name) => `${name} を今すぐ無効にしますか？`,
  expireWarning: `以前の${noun}を使用したリクエストは、すぐにエラーになります。新しい${noun}は引き続き使用できます。`,
  expired: `以前の${noun}を無効にしました`,
});

export const secrets = (): Texts => ({
  token: secretTexts("トークン"),
  client: secretTexts("クライアントシークレット"),
  webhook: secretTexts("シークレット"),
  columns: { created: "作成日時", expires: "有効期限", actions: "操作" },
  copyNow: "今すぐコピーしてください。この画面を閉じると、二度と表示できません。",
  done: "完了",
  expireNow: "今すぐ無効にする",
  overlapUntil: (overlap, time) => `${overlap}（${time}）`,
  overlaps: { none: "今すぐ", "1h": "1 時間後", "24h": "24 時間後", "7d": "7 日後" },
});
