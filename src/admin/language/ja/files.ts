import type { Catalogue } from "#admin/language/en/index.ts";
import { sentence } from "#admin/language/sentence.ts";
import { fileTypes } from "./words.ts";

export const files = (): Catalogue["files"] => ({
  add: "ファイルを追加",
  limits: (maxFiles, size, types) =>
    `ファイルは ${maxFiles} 個まで、1 個あたり ${size} 以下です。${types.length > 0 ? `形式：${fileTypes(types)}。` : ""}`,
  formLimit: (size) => `一度に送信できるのは合計 ${size} までです。`,
  uploaded: "アップロード済み",
  remove: "削除",
  more: (count) => ` ほか ${count} 件`,
  createLink: "リンクを作成",
  createLinkTo: (name) => `「${name}」へのリンクを作成`,
  linkTitle: "ファイルへのリンク",
  linkText: (name, end) =>
    sentence`このリンクを知っている人は誰でも、${end} まで ${name} をダウンロードできます。ファイルが削除された場合や、自分のアクセス権がなくなった場合は、その時点で無効になります。`,
});
