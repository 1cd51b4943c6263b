import type { Catalogue } from "#admin/language/en/index.ts";
import { sentence } from "#admin/language/sentence.ts";

type Members = Catalogue["members"];

const invitations = (): Members["invitations"] => ({
  title: "招待",
  columns: {
    email: "メールアドレス",
    role: "役割",
    expires: "有効期限",
    link: "リンク",
    actions: "操作",
  },
  invite: "メンバーを招待",
  labels: { email: "メールアドレス", role: "役割" },
  create: "招待を作成",
  validity:
    "作成したリンクは、自分で相手に送ってください。リンクは 1 回だけ使用でき、7 日後に有効期限が切れます。有効期限が切れたら、もう一度招待すると新しいリンクを取得できます。",
  ownersOnly: "このリンクを表示できるのはオーナーだけです。",
  linkFor: (email) => `${email} への招待リンク`,
  newLinkFor: (email) => `${email} の新しいリンク`,
  copyLink: "リンクをコピー",
  revoke: "招待を取り消す",
  revokeTitle: (email) => `${email} への招待を取り消しますか？`,
  revokeConfirm: "招待リンクは無効になります。いつでも再び招待できます。",
  changeRule:
    "役割を変更すると新しいリンクが作成され、以前のリンクは無効になります。新しいリンクを送ってください。",
  created: (email) =>
    `招待を作成しました。下のリンクを ${email} に送ってください。7 日以内に 1 回だけ使用できます。`,
  revoked: (email) => `${email} への招待を取り消しました`,
});

const reset = (): Members["reset"] => ({
  create: "パスワード再設定リンクを作成",
  title: "パスワード再設定リンク",
  text: (email) =>
    sentence`このリンクを ${email} に送ってください。24 時間以内に 1 回だけ使用でき、使用するとすべてのセッションからログアウトされます。`,
  copyNow: "今すぐコピーしてください。このリンクは再表示できません。",
});

export const members = (): Members => ({
  columns: { member: "メンバー", role: "役割", joined: "参加日", actions: "操作" },
  you: "あなた",
  removed: "削除済み",
  roleOf: (name) => `「${name}」の役割`,
  changeRole: "役割を変更",
  roles: {
    title: "役割ごとにできること",
    meanings: {
      viewer: "すべてのデータと定義の閲覧とダウンロード、読み取り用パーソナルトークンの作成",
      editor:
        "閲覧者の操作に加えて、データの追加、編集、インポート、削除、フォームとアプリの作成と編集",
      admin:
        "編集者の操作に加えて、認証情報、Webhook、閲覧者と編集者の管理、監査ログの閲覧、フォームとアプリの削除",
      owner: "管理者の操作に加えて、管理者とオーナーの管理",
    },
  },
  roleChanged: (role) => `役割を「${role}」に変更しました。本人は再度ログインする必要があります。`,
  unchanged: "変更はありません",
  remove: "削除",
  removeTitle: (name) => `「${name}」をメンバーから削除しますか？`,
  removeConfirm:
    "このメンバーはログアウトされ、パーソナルトークンは完全に失効します。作成したデータは残ります。",
  memberRemoved: "メンバーを削除しました",
  restore: "アクセスを復元",
  restored: "アクセスを復元しました",
  ownersOnly: "変更できるのはオーナーだけです。",
  invitations: invitations(),
  reset: reset(),
  access: {
    title: "シングルサインオンと多要素認証",
    used: "メンバーは Cloudflare Access でログインします。Cloudflare Access では多要素認証を必須にできます。",
    unused:
      "メンバーはパスワードでログインします。シングルサインオンや多要素認証を使用するには、この管理画面を Cloudflare Access で保護してください。",
    setUp: "Cloudflare Access を設定（英語）",
  },
});
