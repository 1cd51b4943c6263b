import type { Catalogue } from "#admin/language/en/index.ts";

type Texts = Catalogue["credentialAccess"];

const purposes = (): Texts["purposes"] => ({
  read: { name: "レポート作成", hint: "データと定義を読み取ります。" },
  website_form: {
    name: "Web サイトのフォーム",
    hint: "回答を作成します。読み取りはできません。",
  },
  sync: {
    name: "双方向の同期",
    hint: "ほかのシステムと内容を一致させます。データの読み取り、作成、編集ができ、削除はできません。",
  },
  code: {
    name: "定義のコード管理",
    hint: "フォームとアプリの定義をファイルで管理する開発者向けです。定義を作成、編集します。データにはアクセスできません。",
  },
  partner: {
    name: "取引先との連携",
    hint: "社外の取引先向けです。データを作成し、この認証情報で作成したデータだけを読み取り、編集します。同じ内容のビューがなければ、現在のすべてのフィールドを含むビューを追加し、すべてのメンバーにタブとして表示します。Web サイトには使用しないでください。",
  },
  part_report: {
    name: "フォームまたはアプリの一部の読み取り",
    hint: "選択したビュー、またはデータとフィールドだけを読み取ります。Web サイトには使用しないでください。",
  },
  custom: { name: "カスタム", hint: "アクセス権を個別に選択します。" },
});

const resources = (): Texts["resources"] => ({
  all: "すべてのフォームとアプリ",
  allHint: "今後作成されるものも含みます。",
  selected: "選択したフォームとアプリのみ",
  search: "フォームとアプリを検索",
  searchExample: "名前で検索",
  parts:
    "フォームやアプリの一部だけを対象にするには、ビューを選択するか、データとフィールドを選択してください。",
  noViews:
    "共有ビューはまだありません。フォームやアプリの一部だけを対象にするには、データとフィールドを選択してください。ビューが作成されます。",
  chooseParts: "データとフィールドを選択",
  choosePartsOf: (collection) => `「${collection}」のデータとフィールドを選択`,
  omitsViews: "このページにはすべてのビューを表示できません。",
  listViews: (collection) => `「${collection}」のビューを表示`,
  tooLong: "ビューが長いため、ここには内容を表示できません。",
  view: (collection, view) => `${collection}：「${view}」のみ`,
});

const expiry = (): Texts["expiry"] => ({
  recommended: "推奨",
  recommendedHint: "90 日後です。Web サイトのフォームでは無期限になります。",
  keep: "現在の有効期限を維持",
  otherViews:
    "この認証情報は期限切れです。その後ビューが変更された可能性があるため、上に表示されたアクセス範囲を確認してください。",
  currentNever: "無期限",
  on: (day) => `${day} まで`,
  choices: { "30d": "30 日後", "90d": "90 日後", "365d": "1 年後" },
  day: "日付を指定",
  dayHint: (zone) => `${zone} の時刻で、この日の終わりに有効期限が切れます。`,
  never: "無期限",
  neverHint: "失効させるまで有効です。",
});

const limits = (): Texts["limits"] => ({
  title: "レート制限",
  hints: {
    requests: "読み取りと書き込みの合計です。",
    writes: "リクエスト数にも含まれます。",
  },
  hintWithDefaults: (hint, usual, website) =>
    `${hint}空欄の場合は ${usual}、Web サイトのフォームでは ${website} になります。`,
});

const errors = (): Texts["errors"] => ({
  purpose: "選択してください。",
  atLeastOne: "1 つ以上選択してください。",
  noResources: "すべてのフォームとアプリを選択するか、1 つ以上を個別に選択してください。",
  allAndSome: "「すべて」と個別の選択は、どちらか一方だけを指定してください。",
  notViews:
    "フォームやアプリ全体ではなく、ビューを選択してください。ビューを作成するには、フォームまたはアプリの横にある「データとフィールドを選択」を押します。",
  tooManyWhole: (maximum) =>
    `フォームやアプリ全体を選択できるのは ${maximum} 件までです。ビューはさらに選択できます。`,
  allOfPart: "アクセスを許可するフォーム、アプリ、またはビューを選択してください。",
  originsOfPart: "ページの認証情報は訪問者全員で共有されるため、空欄にしてください。",
  expiry: "30d、90d、365d、日付、never のいずれかを指定してください。",
  resource: "app:KEY、form:KEY、または form:KEY/VIEW の形式でビューを指定してください。",
  resources: '"all"、または app:KEY と form:KEY の一覧を指定してください。',
  origin:
    "https://shop.example のように、https:// とホスト名だけを指定してください。パス、ワイルドカード、末尾のスラッシュは使用できません。",
  name: "使用できない文字が含まれています。",
  zone: "タイムゾーンの名前を入力してください。例：Asia/Tokyo",
});

export const credentialAccess = (): Texts => ({
  purposes: purposes(),
  resources: resources(),
  kindHints: {
    token:
      "リクエストごとに送信するトークンです。作成したメンバーが削除されると使用できなくなります。",
    client:
      "OAuth 2.0 の ID とシークレットです。作成したメンバーが削除されても引き続き使用できます。",
  },
  nameHint: "空欄の場合は、用途が名前になります。",
  expiry: expiry(),
  limits: limits(),
  browserAccess: "ブラウザーからのアクセス",
  originsHint:
    "https://shop.example のようなオリジンを 1 行に 1 つ入力します。訪問者は誰でも認証情報を取り出せるため、作成のアクセス権だけを付与してください。",
  noOrigin:
    "まだどのページもレスポンスを読み取れません。「ブラウザーからのアクセス」にページのオリジンを入力してください。",
  errors: errors(),
  saved: "アクセス権を保存しました",
  revoked: "この認証情報は失効しています。失効前のアクセス権：",
  added: (permission) =>
    `下の「${permission}」を選択しました。付与するには、変更を保存してください。`,
  summary: {
    title: "この認証情報でできること",
    places: "対象：",
    origins: "次のオリジンのページから：",
    everything:
      "ページの訪問者は、だれでもこの認証情報を使用できます。ページのフォームだけを選択してください。",
    nothing: "用途と、フォームまたはアプリを選択してください。",
  },
  otherSelection: "選択内容が変更されました。下で選択した範囲にアクセスできるようになります。",
  viewRule: "この選択では、この範囲外のデータとフィールドは表示されず、書き込むこともできません。",
  viewGuide: "範囲外のデータについて推測できること（英語）",
});
