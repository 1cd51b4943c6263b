import type { Catalogue } from "#admin/language/en/index.ts";
import { sentence } from "#admin/language/sentence.ts";

export const definitionJson = (): Catalogue["definitionJson"] => ({
  lead: (items) => `アクセス権のある認証情報を使って、HTTP で${items}を読み書きできます。`,
  reference: "API リファレンス",
  openApi: "OpenAPI ドキュメント",
  edit: "JSON で編集",
  credentials: "認証情報",
  url: "API の URL",
  example: "リクエストの例",
  assistants: "AI アシスタント",
  mcp: (guide) =>
    sentence`この URL で、AI アシスタントを Model Context Protocol に接続できます。${guide}`,
  mcpGuide: "接続方法（英語）",
  title: "JSON の定義",
  description: (request, renamedFrom) =>
    sentence`${request} で送信するドキュメントです。フィールドのキーを変更するには、${renamedFrom} に現在のキーを指定します。ドキュメントにないフィールドは削除されますが、データは保持され、復元できます。`,
  labels: { document: "定義" },
  back: "戻る",
  saved: "定義を保存しました",
  notAnObject: "オブジェクトを入力してください。",
  invalid: "JSON の形式が正しくありません。",
  invalidAt: (position) =>
    `JSON の形式が正しくありません。位置 ${position} に構文エラーがあります。`,
});
