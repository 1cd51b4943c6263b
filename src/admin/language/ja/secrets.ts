import type { Catalogue } from "#admin/language/en/index.ts";
import { sentence } from "#admin/language/sentence.ts";

export const secrets = (): Catalogue["secrets"] => ({
  title: "シークレット",
  columns: { secret: "シークレット", created: "作成日時", expires: "有効期限" },
  copyNow: "今すぐコピーしてください。この画面を閉じると、二度と表示できません。",
  alreadyShown:
    "このシークレットはすでに表示されました。コピーしていない場合は、シークレットを更新して新しいものを取得してください。",
  view: "シークレットを表示",
  done: "完了",
  rotate: "シークレットを更新",
  rotation:
    "新しいシークレットを作成します。現在のシークレットは選択した期間だけ引き続き使用でき、それより古いものはすぐに無効になります。",
  overlap: "現在のシークレットを無効にする時期",
  overlapUntil: (overlap, time) => `${overlap}（${time}）`,
  oldUntil: (time) =>
    sentence`以前のシークレットは ${time} まで使用できます。それまでに、新しいシークレットへ切り替えてください。すぐに無効にするには、もう一度シークレットを更新してください。`,
  overlaps: { none: "今すぐ", "1h": "1 時間後", "24h": "24 時間後", "7d": "7 日後" },
});
