import type { Numbers } from "#admin/language/numbers.ts";
import type { AuditDetail, ResourceAction } from "#domain/audit.ts";
import type { AuditedItemAction } from "#domain/item/change.ts";
import type { Catalogue } from "#admin/language/en/index.ts";
import { sentence } from "#admin/language/sentence.ts";

const filters = (): Catalogue["audit"]["filters"] => ({
  title: "絞り込み",
  actor: "操作者",
  actorExample: "メールまたは名前",
  action: "操作",
  anything: "すべて",
  actions: {
    record: "レコードに関する操作",
    "record.create": "レコードの作成",
    "record.update": "レコードの更新",
    "record.delete": "レコードの削除",
    "record.restore": "レコードの復元",
    "record.erase": "レコードの完全な削除",
    submission: "回答に関する操作",
    "submission.create": "回答の作成",
    "submission.update": "回答の更新",
    "submission.delete": "回答の削除",
    "submission.restore": "回答の復元",
    "submission.erase": "回答の完全な削除",
    "submission.close": "回答のクローズ",
    "submission.reopen": "回答のクローズ解除",
    definition: "フォームとアプリ",
    credential: "認証情報",
    member: "メンバー",
    person: "個人データの検索",
    webhook: "Webhook",
    database: "データベース",
    move: "データベース間の移動",
  },
  subject: "対象",
  subjectExample: "番号、ID、メール",
  collection: "フォームまたはアプリ",
  everywhere: "すべて",
  days: { today: "今日", yesterday: "昨日", week: "過去 7 日間" },
  from: "開始日",
  until: "終了日",
  showAll: "すべて表示",
});

/** The end of each sentence, after its subject. */
const phrases = (): Record<ResourceAction, string> => ({
  "credential.issue": "を作成しました",
  "credential.edit": "のアクセス権を変更しました",
  "credential.rotate": "を更新しました",
  "credential.expire_secret": "の以前のシークレットを無効にしました",
  "credential.revoke": "を失効させました",
  "definition.create": "を作成しました",
  "definition.change": "の定義を変更しました",
  "definition.delete": "を削除しました",
  "definition.restore": "を復元しました",
  "definition.erase": "を完全に削除しました",
  "index.check": "の検索インデックスを確認しました",
  "database.restore": "を復元しました",
  "move.start": "のデータの移動を開始しました",
  "move.stop": "のデータの移動を中止しました",
  "member.invite": "を招待しました",
  "member.withdraw": "の招待を取り消しました",
  "member.change": "の役割を変更しました",
  "member.remove": "をメンバーから削除しました",
  "member.reset_link": "のパスワード再設定リンクを作成しました",
  "person.search": "（個人データの検索）を実行しました",
  "webhook.create": "を作成しました",
  "webhook.change": "を変更しました",
  "webhook.rotate": "のシークレットを更新しました",
  "webhook.delete": "を削除しました",
  "webhook.fail": "の再試行を停止しました",
  "webhook.disable": "を無効にしました",
  "record.create": "を作成しました",
  "record.update": "を変更しました",
  "record.recalculate": "を再計算しました",
  "record.delete": "を削除しました",
  "record.restore": "を復元しました",
  "record.erase": "を完全に削除しました",
  "submission.create": "を作成しました",
  "submission.update": "を変更しました",
  "submission.delete": "を削除しました",
  "submission.restore": "を復元しました",
  "submission.erase": "を完全に削除しました",
  "submission.close": "をクローズしました",
  "submission.reopen": "のクローズを解除しました",
  "submission.recalculate": "を再計算しました",
});

/** The actions on a number of items. */
const countedVerbs = (): Record<AuditedItemAction, string> => ({
  "record.create": "作成",
  "record.update": "変更",
  "record.recalculate": "再計算",
  "record.delete": "削除",
  "record.restore": "復元",
  "record.erase": "完全に削除",
  "submission.create": "作成",
  "submission.update": "変更",
  "submission.delete": "削除",
  "submission.restore": "復元",
  "submission.erase": "完全に削除",
  "submission.close": "クローズ",
  "submission.reopen": "クローズ解除",
  "submission.recalculate": "再計算",
});

const accountEvents = (): Catalogue["audit"]["accountEvents"] => ({
  "member.password": (member) => sentence`${member}がパスワードを変更しました`,
  "member.reset": (member) => sentence`${member}がパスワードを再設定しました`,
  "member.name": (member, detail) =>
    detail?.name?.from
      ? sentence`${member}が名前を「${detail.name.from}」から「${detail.name.to}」に変更しました`
      : sentence`${member}が名前を変更しました`,
  "member.sign_out_session": (member) =>
    sentence`${member}が自分のセッションの 1 つをログアウトしました`,
  "member.sign_out_everywhere": (member) =>
    sentence`${member}がほかのすべてのセッションをログアウトしました`,
  "member.join": (member) => sentence`${member}が参加しました`,
  "member.setup": (member) => sentence`${member}がこのサービスをセットアップしました`,
});

const subjects = (): Catalogue["audit"]["subjects"] => ({
  credential: (name) => sentence`認証情報「${name}」`,
  webhook: (name) => sentence`Webhook「${name}」`,
  form: (name) => sentence`フォーム「${name}」`,
  app: (name) => sentence`アプリ「${name}」`,
  record: (name) => sentence`レコード「${name}」`,
  submission: (name) => sentence`回答「${name}」`,
});

const quoteAll = (names: readonly string[]) => names.map((name) => `「${name}」`).join("");

/** 「ビュー「新規注文」を保存し、ビュー「以前の注文」を削除」 */
const viewChanges = ({ saved, deleted }: NonNullable<AuditDetail["views"]>): string =>
  [
    saved.length === 0 ? "" : `ビュー${quoteAll(saved)}を保存`,
    deleted.length === 0 ? "" : `ビュー${quoteAll(deleted)}を削除`,
  ]
    .filter((part) => part !== "")
    .join("し、");

export const audit = (numbers: Numbers): Catalogue["audit"] => ({
  title: "監査ログ",
  columns: { time: "日時", event: "操作内容", details: "詳細" },
  details: {
    show: "表示",
    session: "セッション",
    sessionHint: "このメンバーの 1 回のログイン",
    request: "リクエスト ID",
    requestHint: "応答とログに記録される ID",
  },
  filters: filters(),
  noMatches: "該当する操作はありません",
  noMatchesYet: "該当する操作はまだ見つかっていません",
  older: "以前の操作を表示",
  searchedBackTo: (time) => sentence`${time} まで検索しました。`,
  searchOlder: "以前の操作を検索",
  backToAll: "監査ログ全体に戻る",
  service: "システム",
  visitor: "新規ユーザー",
  credential: "認証情報",
  unnamed: {
    form: "フォーム",
    app: "アプリ",
    webhook: "Webhook",
    member: "メンバー",
    other: "データ",
  },
  subjects: subjects(),
  untitled: {
    record: (idEnd) => `レコード …${idEnd}`,
    submission: (idEnd) => `回答 …${idEnd}`,
  },
  database: (name) => `データベース「${name}」`,
  personSearch: (id) => `検索 …${id}`,
  compareVersions: "バージョンを比較",
  event(actor, action, subject, collection) {
    const end = phrases()[action];
    return collection === null
      ? sentence`${actor}が${subject}${end}`
      : sentence`${actor}が${collection}の${subject}${end}`;
  },
  accountEvents: accountEvents(),
  viewChanges: (actor, views, collection) =>
    sentence`${actor}が${collection}の${viewChanges(views)}しました`,
  group(actor, actions, items, collection, isExact = true) {
    const verbs = countedVerbs();
    const counts = actions.map(
      ([action, count]) =>
        `${numbers.formatCount(count)} 件${isExact ? "" : "以上"}${verbs[action]}`,
    );
    return collection === null
      ? sentence`${actor}が${items}を ${counts.join("、")}しました`
      : sentence`${actor}が${collection}の${items}を ${counts.join("、")}しました`;
  },
  showGroup: (count) => `${numbers.formatCount(count)} 件をすべて表示`,
});
