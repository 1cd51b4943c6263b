import type { Numbers } from "#admin/language/numbers.ts";
import type { Catalogue } from "#admin/language/en/index.ts";
import type { Place, Right, Thing } from "#admin/credentials/access-sentence.ts";
import { beforeNoun } from "./view-description.ts";
import { joinWords } from "./words.ts";
import { sentence } from "#admin/language/sentence.ts";

type Texts = Catalogue["credentials"];

const itemAccess: Texts["access"]["items"] = ({ kind, actions }) => {
  const verbs = { read: "読み取り", create: "作成", write: "作成・編集", delete: "削除" };
  const items = { app: "レコード", form: "回答" };
  const subject = kind === null ? "データ" : items[kind];
  return `${subject}の${actions.map((action) => verbs[action]).join("・")}`;
};

const selection = (
  { forms, apps, views }: Parameters<Texts["access"]["selection"]>[0],
  { formatCount }: Numbers,
) => {
  const counts = [
    ...(forms > 0 ? [`フォーム ${formatCount(forms)} 件`] : []),
    ...(apps > 0 ? [`アプリ ${formatCount(apps)} 件`] : []),
  ].join("、");
  if (views === 0) return counts;
  return views === forms + apps ? `${counts}の一部` : `${counts}（うち ${views} 件は一部のみ）`;
};

const verbs = { read: "読み取り", create: "作成", edit: "編集", delete: "削除", manage: "管理" };
const things: Record<Thing, string> = {
  records: "レコード",
  submissions: "回答",
  definitions: "定義",
  webhooks: "Webhook",
};

const maxListedPlaces = 4;

const ability = (isPast: boolean) => (isPast ? "ができました。" : "ができます。");

/** The access to whole apps and forms. */
function wholeSentence(
  rights: readonly Right[],
  places: "all" | readonly Place[],
  isPast: boolean,
): string {
  const clauses = rights.map((right) =>
    joinWords(
      right.things.map((thing) => things[thing]).join("と"),
      "の",
      right.verbs.map((verb) => verbs[verb]).join("・"),
    ),
  );
  const listed =
    places === "all"
      ? "すべてのフォームとアプリ"
      : places
          .slice(0, maxListedPlaces)
          .map(({ name }) => `「${name}」`)
          .join("、");
  const hidden = places === "all" ? 0 : Math.max(0, places.length - maxListedPlaces);
  const othersText = hidden > 0 ? `、ほか ${hidden} 件` : "";
  return `${listed}${othersText}で、${clauses.join("、")}${ability(isPast)}`;
}

/** 「「Orders」のうち、State が「New」のレコードの読み取りができます（ビュー「新規」）。Email は対象外です。」 */
function partSentence(
  { name, kind, part }: Place,
  allowed: readonly (keyof typeof verbs)[],
  isPast: boolean,
): string {
  if (part === null || part === "gone")
    return `「${name}」はビューが削除されたため、アクセスできません。`;
  const items = kind === "app" ? "レコード" : "回答";
  const acts = allowed.map((verb) => verbs[verb]).join("・");
  if (part === "long")
    return `「${name}」の${items}の一部の${acts}${ability(isPast)}ビューが長いため、ここには内容を表示できません。`;
  const { view, conditions, fields } = part;
  const which =
    conditions === null
      ? `「${name}」のすべての${items}`
      : joinWords(`「${name}」のうち、`, beforeNoun(conditions), items);
  const can = `${which}の${acts}${isPast ? "ができました" : "ができます"}（ビュー「${view}」）。`;
  if (fields === null) return can;
  const labels = fields.labels.join("、");
  return fields.isHidden
    ? `${can}${joinWords(labels, "は対象外です。")}`
    : `${can}${joinWords("対象のフィールドは", labels, "のみです。")}`;
}

const noAccess = "選択した対象に対するアクセス権がないため、何もできません。";

const accessSentence: Texts["access"]["sentence"] = ({ rights, places, isPast }) => {
  if (rights.length === 0) return noAccess;
  const parts = places === "all" ? [] : places.filter(({ part }) => part !== null);
  const whole = places === "all" ? places : places.filter(({ part }) => part === null);
  if (whole === "all" || parts.length === 0) return wholeSentence(rights, whole, isPast);
  const verbsFor = (thing: Thing) =>
    rights.find((right) => right.things.includes(thing))?.verbs ?? [];
  const sentences = parts.slice(0, maxListedPlaces).flatMap((place) => {
    const allowed = verbsFor(place.kind === "app" ? "records" : "submissions");
    return allowed.length === 0 ? [] : [partSentence(place, allowed, isPast)];
  });
  const hidden = parts.length - maxListedPlaces;
  if (hidden > 0) sentences.push(`ほか ${hidden} 件の一部も対象です。`);
  if (whole.length > 0) sentences.push(wholeSentence(rights, whole, isPast));
  else {
    for (const thing of ["definitions", "webhooks"] as const) {
      const acts = verbsFor(thing).map((verb) => verbs[verb]);
      if (acts.length > 0)
        sentences.push(
          `${joinWords(things[thing], "の")}${acts.join("・")}も${isPast ? "できました" : "できます"}。`,
        );
    }
  }
  return sentences.length === 0 ? noAccess : sentences.join("");
};

const access = (numbers: Numbers): Texts["access"] => ({
  summary: (permitted, selected) => `${selected}：${permitted}`,
  sentence: accessSentence,
  none: "アクセス権なし",
  items: itemAccess,
  itemsAndDefinitions: (items) => `${itemAccess(items)}、定義の編集`,
  editDefinitions: "定義の編集",
  readDefinitions: "定義の読み取り",
  manageWebhooks: "Webhook の管理",
  everything: "すべてのフォームとアプリ",
  selection: (selected) => selection(selected, numbers),
});

const permissions = (): Texts["permissions"] => ({
  "records:read": "レコードの読み取りと検索",
  "records:create": "レコードの作成",
  "records:write": "レコードの作成と編集",
  "submissions:read": "回答の読み取りと検索",
  "submissions:create": "回答の作成と検証",
  "submissions:write": "回答の作成と編集",
  "submissions:delete": "回答の削除",
  "schema:read": "定義と OpenAPI ドキュメントの読み取り",
  "schema:write": "フォームとアプリの作成と編集",
  "webhooks:manage": "Webhook の管理と送信履歴の表示",
});

const list = (): Texts["list"] => ({
  caption: "認証情報",
  columns: {
    name: "名前",
    kind: "種類",
    access: "アクセス権",
    lastUsed: "最終使用",
    requests: "リクエスト（24 時間）",
    expires: "有効期限",
    state: "状態",
  },
  anyKind: "すべての種類",
  kinds: { token: "パーソナルトークン", client: "API クライアント" },
  states: {
    current: "失効済みを除く",
    ends_soon: "14 日以内に期限切れ",
    expired: "期限切れ",
    revoked: "失効済み",
    all: "すべて",
  },
  none: "認証情報はまだありません",
  purpose: "認証情報を使うと、ほかのシステムが API を通じてデータを読み書きできます。",
  noMatches: "該当する認証情報はありません",
  older: "以前の認証情報を表示",
});

const newSecret = (): Texts["newSecret"] => ({
  titles: { token: "新しいトークン", client: "新しいクライアントシークレット" },
  clientId: "クライアント ID",
  names: { token: "トークン", client: "クライアントシークレット" },
  tryIt: "動作確認",
  runnable: "このリクエストはそのまま実行できます。データは変更されません。",
  assistant: "AI アシスタントとの接続",
  assistants: (path) =>
    sentence`AI アシスタントは ${path} に接続し、この認証情報のアクセス権の範囲で、アプリとフォームをツールとして使用できます。`,
  assistantGuide: "接続方法を見る（英語）",
  assistantSettings: "MCP の設定",
  website: "Web ページからの送信",
  changeAccess: "アクセス権を変更",
  websiteRequest: "このリクエストは回答を作成します。",
  websiteExample: "ページ全体の例（英語）",
  websiteComment: "キーは表示ごとに 1 つ。ダブルクリックしても回答は 1 件だけ作成されます。",
});

export const credentials = (numbers: Numbers): Texts => ({
  title: "API 連携",
  create: "認証情報を作成",
  labels: {
    purpose: "用途",
    permissions: "アクセス権",
    resources: "対象のフォームとアプリ",
    kind: "種類",
    name: "名前",
    expires: "有効期限",
    expires_on: "期限日",
    requests: "1 分あたりのリクエスト数",
    writes: "1 分あたりの書き込み数",
    origins: "許可するオリジン",
  },
  kinds: { token: "パーソナルトークン", client: "API クライアント" },
  states: {
    active: "有効",
    ends_soon: "まもなく期限切れ",
    expired: "期限切れ",
    revoked: "失効済み",
  },
  permissions: permissions(),
  access: access(numbers),
  list: list(),
  tabsLabel: "認証情報",
  tabs: {
    requests: "リクエスト",
    access: "アクセス権",
    secrets: { token: "トークン", client: "クライアントシークレット" },
  },
  facts: {
    clientId: "クライアント ID",
    expires: "有効期限",
    revoked: "失効日時",
    lastUsed: "最終使用",
    created: "作成日",
    limits: "レート制限",
  },
  neverUsed: "未使用",
  neverExpires: "無期限",
  details: "詳細",
  limits: (requests, writes) =>
    `1 分あたり ${numbers.formatCount(requests)} 件（うち書き込み ${numbers.formatCount(writes)} 件）`,
  readLimit: (requests) => `1 分あたり ${numbers.formatCount(requests)} 件`,
  rejected: (count) => `（拒否 ${numbers.formatCount(count)} 件）`,
  revoke: "認証情報を失効させる",
  revokeTitle: (name) => `「${name}」を失効させますか？`,
  revokeWarning: (kind) =>
    `この認証情報の${kind === "token" ? "トークン" : "クライアントシークレットやアクセストークン"}を使用したリクエストは、すぐにエラーになります。書き込まれたデータとリクエストの記録は残ります。この操作は元に戻せません。`,
  revoked: "認証情報を失効させました",
  expiresWithCredential: "認証情報と同じ",
  newSecret: newSecret(),
});
