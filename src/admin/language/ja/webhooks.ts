import type { Numbers } from "#admin/language/numbers.ts";
import type { Catalogue } from "#admin/language/en/index.ts";
import { sentence } from "#admin/language/sentence.ts";
import { explainReason } from "./reasons.ts";

type Texts = Catalogue["webhooks"];

const types = (): Texts["types"] => ({
  "record.created": "レコードの作成",
  "record.updated": "レコードの更新",
  "record.deleted": "レコードの削除",
  "record.left_view": "レコードがビューの条件から外れたとき",
  "submission.created": "回答の作成",
  "submission.updated": "回答の更新",
  "submission.deleted": "回答の削除",
  "submission.closed": "回答のクローズ",
  "submission.left_view": "回答がビューの条件から外れたとき",
});

const events = (): Texts["types"] => ({
  "record.created": "作成",
  "record.updated": "更新",
  "record.deleted": "削除",
  "record.left_view": "ビューの条件から外れたとき",
  "submission.created": "作成",
  "submission.updated": "更新",
  "submission.deleted": "削除",
  "submission.closed": "クローズ",
  "submission.left_view": "ビューの条件から外れたとき",
});

const typeSummary: Texts["typeSummary"] = (typesOfKinds) => {
  const texts = events();
  const items = { app: "レコード", form: "回答" };
  return typesOfKinds
    .map(({ kind, chosen }) => `${items[kind]}：${chosen.map((type) => texts[type]).join("、")}`)
    .join(" / ");
};

const inputs = (): Texts["inputs"] => ({
  urlHint:
    "POST でイベントを受信する URL です。https://shop.example/hooks のように、https とホスト名で指定してください。",
  payloads: {
    item: { name: "データ全体", hint: "送信時点で保存されている内容を送信します。" },
    ids: {
      name: "ID のみ",
      hint: "受信側は、残りの内容を API で取得します。サービスの外に出せないデータに使用します。",
    },
  },
  recalculationsHint:
    "計算式を変更すると、保存済みの多くのデータが一度に更新されることがあります。その場合の動作です。",
  recalculations: { true: "データごとにイベントを送信する", false: "イベントを送信しない" },
  changedFieldsHint:
    "「更新」のイベントを、選択したフィールドの変更に限定します。選択しない場合は、すべてが対象です。",
  searchFields: "フィールドを検索",
  moreFields: "フィールドの一部だけを表示しています。ほかのフィールドは API で指定してください。",
  errors: {
    types: "イベントを 1 つ以上選択してください。",
    resources: "すべてのフォームとアプリを選択するか、1～100 件を個別に選択してください。",
  },
  newWebhookRule: "あなたがアクセスできるデータだけを送信します。",
  changeRule:
    "名前以外を変更すると、あなたが所有者になります。その後は、あなたがアクセスできるデータだけを送信します。",
  saved: "Webhook を保存しました",
});

/** Returns the reason why an attempt failed. The stored error is English. */
function explainFailure(error: string): string {
  const [, status] = /^The receiver answered (\d+)\.$/.exec(error) ?? [];
  if (status !== undefined) return `送信先が ${status} を返しました。`;
  const [, seconds] = /^The receiver did not respond within ([\d.]+) seconds\.$/.exec(error) ?? [];
  if (seconds !== undefined) return `送信先が ${seconds} 秒以内に応答しませんでした。`;
  const [, urlReason] = /^The URL is not allowed: (.*)$/s.exec(error) ?? [];
  if (urlReason !== undefined)
    return `この URL は使用できません。${explainReason(urlReason) ?? ""}`;
  if (error === "Redirects are not followed.") return "リダイレクトには対応していません。";
  return error.startsWith("The receiver could not be reached")
    ? "送信先に接続できないか、接続が切断されました。"
    : error;
}

const deliveries = (numbers: Numbers): Texts["deliveries"] => ({
  caption: "送信履歴",
  columns: {
    time: "日時",
    event: "イベント",
    status: "結果",
    response: "レスポンス",
    milliseconds: "処理時間（ミリ秒）",
    attempt: "回数",
    actions: "操作",
  },
  none: "送信履歴はまだありません",
  explanation:
    "送信の結果は数秒以内にここに表示され、30 日間保存されます。ここからイベントを再送信できます。",
  retrying: (attempts, next) =>
    sentence`送信に ${numbers.formatCount(attempts)} 回失敗しました。以降のイベントは、次の再試行（${next}）まで待機します。`,
  retry: "今すぐ再試行",
  noResponse: "レスポンスなし",
  error: ({ error }) => explainFailure(error ?? ""),
  responseBody: "レスポンスの本文",
  manual: "手動で再送信",
  resend: "再送信",
  results: { sent: "送信済み", failed: "失敗" },
  test: "テストイベント",
  older: "以前の送信履歴を表示",
  delivered: (status, milliseconds) =>
    `イベントを送信しました（${status}、${milliseconds} ミリ秒）`,
  failed: (error) => `イベントを送信できませんでした。${error}`,
});

const ownerGone =
  "所有者である認証情報またはメンバーが、失効、削除、または期限切れになっています。";

/** Returns the reason why the webhook stopped. The stored reason is English. */
function explainStop(reason: string | null): string {
  const [, tries, error = ""] =
    /^(\d+) attempts failed\. Last error: (.*)$/s.exec(reason ?? "") ?? [];
  if (tries !== undefined)
    return `送信に ${tries} 回失敗したため、送信を停止しました（最後のエラー：${explainFailure(error)}）。`;
  return reason?.includes("410 Gone") === true
    ? "送信先が 410 Gone を返したため、送信を停止しました。"
    : "送信を停止しました。";
}

const explain: Texts["layout"]["explanation"] = ({ state, reason }, isOwnerGone) => {
  if (isOwnerGone) return ownerGone;
  if (state === "retrying") return "失敗したイベントを再試行しています。";
  return state === "failing" || state === "disabled" ? explainStop(reason) : undefined;
};

const describeStop: Texts["layout"]["stopped"] = (status, isOwnerGone) => {
  if (isOwnerGone) return `${ownerGone}待機中のイベントを送信するには、所有権を取得してください。`;
  return `${explain(status, false) ?? ""}待機中のイベントを送信するには、Webhook を再開してください。`;
};

const layout = (): Texts["layout"] => ({
  details: "詳細",
  created: "作成日",
  owner: "所有者",
  you: "あなた",
  id: "ID",
  test: "テストイベントを送信",
  pause: "Webhook を一時停止",
  resume: "Webhook を再開",
  takeOwnership: "所有権を取得",
  ownershipTitle: (name) => `「${name}」の所有権を取得しますか？`,
  ownershipWarning: (owner) =>
    `Webhook は有効になり、${owner ?? "現在の所有者"} ではなく、あなたがアクセスできるデータだけを送信します。`,
  remove: "Webhook を削除",
  removeTitle: (name) => `「${name}」を削除しますか？`,
  removeWarning: "待機中のイベントは送信されません。送信履歴とシークレットは完全に削除されます。",
  removed: "Webhook を削除しました",
  tabsLabel: "Webhook",
  tabs: { deliveries: "送信履歴", settings: "設定", secrets: "シークレット" },
  explanation: explain,
  stopped: describeStop,
  paused:
    "一時停止中のため、イベントは送信されません。再開すると、待機中のイベントが順番に送信されます。",
  retrying: (next) =>
    sentence`送信先がイベントを受け付けていません。次の再試行は${next}で、以降のイベントはそれまで待機します。`,
  states: { active: "Webhook を有効にしました", paused: "Webhook を一時停止しました" },
  stillDisabled: () => `Webhook は無効のままです。${ownerGone}`,
});

export const webhooks = (numbers: Numbers): Texts => ({
  title: "Webhook",
  create: "Webhook を作成",
  none: "Webhook はまだありません",
  purpose:
    "Webhook を使うと、レコードや回答が変更されたときに、ほかのシステムへイベントを送信できます。",
  columns: { delivered: "成功率（24 時間）", queue: "待機中のイベント", state: "状態" },
  deliveredLabel: "成功率",
  successRate: (percent, attempts) => `${percent}（${numbers.formatCount(attempts)} 回）`,
  nextAttempt: (time) => sentence`次の再試行：${time}`,
  labels: {
    name: "名前",
    url: "送信先 URL",
    types: "イベント",
    resources: "フォームとアプリ",
    include: "ペイロード",
    recalculations: "再計算",
    changed_fields: "次のフィールドが変更された場合のみ",
  },
  types: types(),
  leftViewHint:
    "ビューの条件を満たさなくなったときに送信します。ビューを対象とする Webhook だけで使用します。",
  typeSummary,
  layout: layout(),
  inputs: inputs(),
  deliveries: deliveries(numbers),
  secrets: {
    newTitle: "Webhook のシークレット",
    secret: "シークレット",
    verify: "受信側でイベントを検証するために使用します。",
    examples: "例を見る（英語）",
    signing: "Webhook は、これらのシークレットすべてを使ってイベントに署名します。",
    current: "現在",
    previous: "以前",
    expiresWithWebhook: "Webhook と同じ",
  },
});
