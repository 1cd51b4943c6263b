import type { Catalogue } from "#admin/language/en/index.ts";
import { sentence } from "#admin/language/sentence.ts";

export const files = (): Catalogue["files"] => ({
  add: "ファイルを追加",
  limits: (maxFiles, size, types) =>
    `${maxFiles} ファイルまで、1 ファイルあたり ${size} 以下${types.length > 0 ? `：${types.join(", ")}` : "です。"}`,
  formLimit: (size) => `一度に送信できるのは合計 ${size} までです。`,
  uploaded: "アップロード済み",
  remove: "削除",
  more: (count) => ` ほか ${count} 件`,
  createLink: "リンクを作成",
  createLinkTo: (name) => `${name} へのリンクを作成`,
  linkTitle: "ファイルへのリンク",
  linkText: (name, end) =>
    sentence`このリンクを知っている人は誰でも、${end} まで ${name} をダウンロードできます。ファイルが削除された場合や、あなたのアクセス権がなくなった場合は、その時点で無効になります。`,
});
