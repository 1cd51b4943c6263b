import type { Catalogue } from "#admin/language/en/index.ts";

export const settings = (): Catalogue["settings"] => ({
  links: {
    databases: {
      name: "データベース",
      about: "各データベースのサイズと保存場所、データベース間の移動",
    },
    deleted: {
      name: "削除済みのフォームとアプリ",
      about: "過去 7 日間に削除したものを復元",
    },
    people: {
      name: "個人データの検索",
      about: "個人に関するデータを検索して完全に削除",
    },
    signIn: {
      name: "シングルサインオンと多要素認証",
      about: "ログインするすべてのユーザーに Cloudflare Access を設定",
    },
    account: {
      name: "個人設定",
      about: "名前、言語、タイムゾーン、パスワード、セッション",
    },
  },
});
