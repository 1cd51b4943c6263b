import type { Catalogue } from "#admin/language/en/index.ts";
import { sentence } from "#admin/language/sentence.ts";

export const signIn = (): Catalogue["signIn"] => ({
  labels: {
    name: "名前",
    email: "メールアドレス",
    password: "パスワード",
    secret: "セットアップシークレット",
  },
  nameHint: "ほかのメンバーに表示されます。",
  passwordHint: "12 文字以上で入力してください。",
  signIn: "ログイン",
  incorrect: "メールアドレスまたはパスワードが正しくありません。",
  sessionEnded: "セッションが終了しました。変更を保存するには、ログインしてください。",
  formLost:
    "セッションが終了したため、保存されませんでした。別のタブでログインしてから前の画面に戻り、もう一度送信してください。",
  resume: {
    title: "セッションを再開しました",
    text: "セッション終了前の変更は、まだ保存されていません。",
    save: "変更を保存",
    discard: "変更を破棄",
  },
  reset: {
    title: "パスワードの再設定",
    text: (email) =>
      sentence`${email} の新しいパスワードを設定してください。ほかのセッションはすべてログアウトされます。`,
    submit: "パスワードを再設定",
    done: "パスワードを再設定しました。ほかのセッションはログアウトされました。",
    endedTitle: "リンクの有効期限が切れています",
    ended:
      "パスワード再設定のリンクは、24 時間以内に 1 回だけ使用できます。オーナーまたは管理者に再発行を依頼してください。",
  },
  join: {
    title: "ようこそ",
    text: (email, role) =>
      sentence`${email} は、${role}として招待されています。名前とパスワードを設定して参加してください。`,
    textWithAccess: (email, role) =>
      sentence`${email} は、${role}として招待されています。名前を入力して参加してください。ログインには Cloudflare Access を使用します。`,
    submit: "アカウントを作成",
    done: (email) => `ようこそ。${email} としてログインしました。`,
    doneWithAccess: (email) => `ようこそ。Cloudflare Access で ${email} としてログインします。`,
    endedTitle: "この招待は無効です",
    ended:
      "招待は使用済みか、取り消されたか、発行から 7 日以上経過しています。参加済みの場合はログインしてください。それ以外の場合は、新しいリンクを依頼してください。",
  },
  access: {
    title: "Cloudflare Access でログイン",
    text: "メンバーは、パスワードではなく Cloudflare Access でログインします。このページが再び表示される場合、Cloudflare Access のメールアドレスはメンバーのものではありません。オーナーまたは管理者に招待を依頼してください。",
    open: "管理画面を開く",
  },
  setUp: {
    title: "最初のオーナーを作成",
    secretHint: "デプロイ時に設定した SETUP_SECRET です。1 回だけ使用できます。",
    rejected:
      "セットアップシークレットが正しくないか、オーナーがすでに存在します。オーナーの方はログインしてください。",
    accessHint: "Cloudflare Access へのログインに使用するメールアドレスです。",
    finishedTitle: "セットアップは完了しています",
    finished:
      "オーナーがすでに存在するため、このページは使用できません。オーナーの方はログインしてください。",
    submit: "オーナーを作成",
  },
});
