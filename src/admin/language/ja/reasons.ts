import { type ReasonTexts, translateReason } from "#admin/language/reason-texts.ts";
import { fieldProperties } from "./field-properties.ts";
import { formulaReasons } from "./formula-reasons.ts";
import { roles } from "./terms.ts";

const properties: Record<string, string> = fieldProperties();

/** Choices like `"a", "b" and 3 more`. */
const listChoices = (choices: string): string => {
  const [, listed = choices, more] = /^(.*?)(?: and (\d+) more)?$/s.exec(choices) ?? [];
  const names = [...listed.matchAll(/"(.*?)"(?=, "|$)/gs)].map(([, name = ""]) => `「${name}」`);
  return names.join("") + (more === undefined ? "" : `ほか ${more} 件`);
};

const nameRole = (role: string): string =>
  Object.entries(roles()).find(([name]) => name === role)?.[1] ?? role;

/** Converts a collection like `form purchase` or `form:purchase`. */
const nameCollection = (name: string): string => {
  const [, kind, key = name] = /^(app|form)[ :](.*)$/s.exec(name) ?? [];
  return `${kind === "app" ? "アプリ" : "フォーム"}「${key}」`;
};

const nameUser = (noun: string): string => (noun === "webhook" ? "Webhook " : "認証情報");

const chooseOne = "選択肢の中から選択してください。";

const values = {
  valueRequired: "入力してください。",
  wrongFormat: "形式が正しくありません。",
  notText: "テキストを入力してください。",
  notNumber: "数値を入力してください。",
  notWholeNumber: "整数を入力してください。",
  notBoolean: "「はい」または「いいえ」を選択してください。",
  notArray: "リストの形式が正しくありません。",
  notTextArray: "リストの形式が正しくありません。",
  notRows: "明細行の形式が正しくありません。",
  notObject: "形式が正しくありません。",
  notOfType: "形式が正しくありません。",
  notOneOf: ({ choices }) =>
    choices === "" ? chooseOne : `次のいずれかを指定してください：${listChoices(choices)}`,
  empty: "入力してください。",
  noEntries: "1 つ以上指定してください。",
  tooFewEntries: ({ minimum }) => `${minimum} 個以上指定してください。`,
  tooManyEntries: ({ maximum }) => `${maximum} 個以内で指定してください。`,
  tooShort: ({ minimum }) => `${minimum} 文字以上で入力してください。`,
  tooLong: ({ maximum }) => `${maximum} 文字以内で入力してください。`,
  tooSmall: ({ minimum }) => `${minimum} 以上の数値を入力してください。`,
  tooLarge: ({ maximum }) => `${maximum} 以下の数値を入力してください。`,
  noMultiple: ({ divisor }) => `${divisor} の倍数を入力してください。`,
  notEmail: "正しいメールアドレスを入力してください。",
  notStorable: "使用できない文字が含まれています。",
  unknownProperty: "使用できない項目です。",
  unknownPropertyOf: ({ choices }) =>
    `使用できない項目です。使用できる項目：${listChoices(choices)}`,
  inexactNumber: "桁数が多すぎるため、正確に保存できません。桁数を減らしてください。",
  inexactNumberNear: "桁数が多すぎるため、正確に保存できません。桁数を減らしてください。",
  mismatch: ({ pattern }) => `正規表現 ${pattern} に一致するように入力してください。`,
  oneDecimal: "小数点以下は 1 桁までです。",
  tooManyDecimals: ({ decimals }) =>
    decimals === "0" ? "整数を入力してください。" : `小数点以下は ${decimals} 桁までです。`,
  notDate: "正しい日付を入力してください。例：2026-11-21",
  notDateLike: ({ example }) => `正しい日付を入力してください。例：${example.slice(0, 10)}`,
  notDateTime: ({ example }) => `正しい日時を入力してください。例：${example}`,
  noOffset: ({ example }) => `日時の末尾に時差を付けてください。例：${example}`,
  notUrl: "http:// または https:// で始まる URL を入力してください。",
  notPhone:
    "5～15 桁の数字で入力してください。先頭の +、スペース、ピリオド、ハイフン、かっこも使用できます。",
  unknownReference:
    "該当するレコードを特定できません。入力を変更するか、候補から選択してください。",
  listedTwice: ({ value }) => `「${value}」が重複しています。`,
  tooFewRows: ({ rows }) => `${rows} 行以上入力してください。`,
  noRows: "1 行以上入力してください。",
  tooManyRows: ({ rows }) => `${rows} 行以内で入力してください。`,
  notTimeZone: "タイムゾーンの名前を入力してください。例：Asia/Tokyo",
  hasControls: "改行などの制御文字は使用できません。",
  notOneLine: "改行などの制御文字は使用できません。",
  notFuture: "現在より後の日時を指定してください。",
} satisfies Partial<ReasonTexts>;

const definitions = {
  keyFormat: ({ pattern }) =>
    `半角の英小文字、数字、${pattern.includes("-]") ? "ハイフン、" : ""}アンダースコアを使用し、63 文字以内で入力してください。先頭は英小文字にしてください。`,
  notAppKey: "アプリのキーを入力してください。",
  notMediaType:
    "ファイル形式は、application/pdf や image/* のように半角の英小文字で入力してください。",
  notOffsetDateTime: "正しい日時を入力してください。",
  receiptPrefixFormat:
    "半角英数字、ピリオド、ハイフン、アンダースコアを使用し、20 文字以内で入力してください。",
  receiptPrefixReserved: "「rec_」で始まる文字列は使用できません。",
  closesBeforeOpening: "受付開始日時より後の日時を指定してください。",
  otherKeyInPath: ({ key }) => `「${key}」を指定するか、省略してください。`,
  conditionsTooDeep: ({ maximum }) => `条件の入れ子は ${maximum} 段までです。`,
  definitionTooDeep: ({ maximum }) => `定義の入れ子は ${maximum} 段までです。`,
  tooManyDefinitionValues: ({ maximum }) => `定義の値は ${maximum} 個までです。`,
  tooManyFields: ({ maximum, fields }) =>
    `フィールドは、削除したものも含めて ${maximum} 個までです（現在 ${fields} 個）。`,
  definitionTooLarge: ({ maximum }) =>
    `定義の大きさは、削除したフィールドも含めて ${maximum} バイトまでです。`,
  noMoreFields:
    "これ以上フィールドを追加できません。以前に削除したフィールドも上限の対象になります。",
  tooManyCells: ({ maximum, cells }) =>
    `明細行のセル数（列数 × 最大行数）は、合計 ${maximum} 個までです（現在 ${cells} 個）。`,
  defaultsTooLarge: ({ maximum, bytes }) =>
    `初期値の大きさは、合計 ${maximum} バイトまでです（現在 ${bytes} バイト）。`,
  keyTwice: ({ key }) => `キー「${key}」が重複しています。`,
  optionTwice: ({ option }) => `選択肢「${option}」が重複しています。`,
  optionNotNormal: "文字の形式が正しくありません。選択肢を入力し直してください。",
  exceedsRule: ({ rule, maximum }) =>
    `${properties[rule] ?? rule}（${maximum}）以下の数値を入力してください。`,
  decimalsOfIntegers: "整数の場合は、小数点以下の桁数を 0 にするか、空欄にしてください。",
  decimalsOfNonNumber: "小数点以下の桁数は、計算結果の種類が「数値」の場合にだけ指定できます。",
  uniqueColumn: "明細行の列には「重複禁止」を設定できません。",
  sectionColumn: "明細行の列にはセクションの見出しを設定できません。",
  notTitleField: ({ key }) => `「${key}」は、検索できるテキストのフィールドではありません。`,
  notTitleFieldOf: ({ key, choices }) =>
    `「${key}」は、検索できるテキストのフィールドではありません。指定できるフィールド：${listChoices(choices)}`,
  titleFieldRemoved: ({ key }) =>
    `レコードのタイトルに使用しているフィールド「${key}」は削除できません。先に、設定でほかのフィールドを選択してください。`,
  locationIsFixed: "データの保存場所は、あとから変更できません。",
  noLocationIsFixed: "データの保存場所は、あとから変更できません。",
  noDatabaseThere: "この保存場所のデータベースはありません。",
  noSuchDatabase: "この保存場所のデータベースはありません。",
  fieldsNotPatched: "この操作ではフィールドを変更できません。",
  renamedToItself: ({ key }) => `「${key}」とは別のキーを指定するか、省略してください。`,
  renamedOverAnother: ({ oldKey, key }) =>
    `「${oldKey}」と「${key}」の両方があるため、キーを変更できません。`,
  noFieldToRename: ({ key }) => `変更前のフィールド「${key}」がありません。`,
  setByServer: ({ name }) => `「${name}」は自動で設定されるため、指定できません。`,
  acceptingSetByServer:
    "「accepting」は自動で設定されるため、指定できません。代わりに「state」を変更してください。",
  noAppToReferTo: ({ app }) => `アプリ「${app}」が存在しないか、アクセス権がありません。`,
  retentionNotAllowed: "保存期間を設定または短縮できるのは、オーナーと管理者だけです。",
  historyNotAllowed: "履歴の保存日数を短縮できるのは、オーナーだけです。",
} satisfies Partial<ReasonTexts>;

/** The error messages of V8 for patterns. */
const patternErrors: Record<string, string> = {
  "Unterminated group": "かっこが閉じられていません",
  "Unmatched ')'": "対応する開きかっこがありません",
  "Unterminated character class": "「[」が閉じられていません",
  "Range out of order in character class": "「[ ]」の中の範囲の順序が逆です",
  "Nothing to repeat": "繰り返しの対象がありません",
  "Lone quantifier brackets": "「{ }」または「[ ]」の使い方が正しくありません",
  "numbers out of order in {} quantifier": "「{ }」の中の数値の順序が逆です",
  "Invalid escape": "「\\」の使い方が正しくありません",
  "\\ at end of pattern": "「\\」で終わることはできません",
};

const patterns = {
  notPattern: ({ detail }) =>
    `正規表現が正しくありません${patternErrors[detail] === undefined ? "" : `（${patternErrors[detail]}）`}。`,
  backReference: "正規表現に後方参照は使用できません。",
  lookAround: "正規表現に先読み、後読み、フラグは使用できません。",
  unclosedGroup: ({ group }) => `正規表現の「${group}」が閉じられていません。`,
  tooManyStates: "正規表現が複雑すぎます。{n,m} の数値を小さくしてください。",
  textsTooLongForPattern: ({ maximum }) =>
    `この正規表現を使用する場合は、最大文字数を ${maximum} 以下にしてください。`,
  tooManyStatesTogether: "正規表現の合計が複雑すぎます。正規表現を短くするか、減らしてください。",
  tooManyClasses: "正規表現で使用している文字の種類が多すぎます。",
} satisfies Partial<ReasonTexts>;

const views = {
  inView: ({ view, reason }) =>
    `ビュー「${view}」：${explainReason(reason) ?? "正しくありません。"}`,
  viewUsesRemovedField: ({ view, field }) =>
    `ビュー「${view}」が「${field}」を使用しています。フィールドを削除する前に、ビューを変更または削除してください。`,
  viewsTooLong: "ビューの条件が長すぎます。ビューまたは条件を減らしてください。",
  viewConditions: ({ maximum, count }) =>
    `すべてのビューの条件は合計${maximum}個までです（現在${count}個）。条件またはビューを減らしてください。`,
  viewWithMatches: "ビューの条件では、参照先の値で絞り込むことはできません。",
  sharedViewOfCaller: ({ view, credential }) =>
    `ビュー「${view}」には、閲覧者によって変わる条件（$me）を使用できません。Web ページの訪問者全員が認証情報「${credential}」を共有するためです。`,
  viewInUse: ({ noun, view }) =>
    `${nameUser(noun)}がビュー「${view}」を使用しているため、表示するデータやフィールドを変更できるのはオーナーと管理者だけです。`,
  pendingViewInUse: ({ noun, view }) =>
    `${nameUser(noun)}が使用しているビュー「${view}」に関わる変更を確認中です。この変更を置き換えたり取り消したりできるのはオーナーと管理者だけです。完了してから、もう一度お試しください。`,
  viewWithSameMarks: ({ view, other }) =>
    `ビュー「${view}」の変更をビュー「${other}」の変更と区別できません。どちらかの条件を変更してください。`,
  unknownView: ({ view }) => `ビュー「${view}」はありません。`,
  viewsOfExpired:
    "この認証情報は期限切れです。その後ビューが変更された可能性があるため、確認してから対象を選択し直してください。",
  definitionChangedSince: ({ collection }) =>
    `このページを開いた後に、${nameCollection(collection)}の定義が変更されました。ビューで表示される内容を確認して、もう一度お試しください。`,
  allOrView: ({ collection }) =>
    `${nameCollection(collection)}は、全体または 1 つのビューのどちらかを選択してください。`,
  wholePermissions:
    "ビューを対象にする場合、定義の変更と Webhook の管理のアクセス権は付与できません。",
  originsOfCallerView: ({ view }) =>
    `許可するオリジンを指定した場合、閲覧者によって変わるビュー「${view}」は使用できません。`,
  noFieldsChosen: "フィールドを 1 つ以上選択してください。",
  noOptionChosen: "選択肢を選択してください。",
  noViewChosen: "ビューを選択してください。",
} satisfies Partial<ReasonTexts>;

const rights = {
  tokensOnly: ({ role }) => `${nameRole(role)}が作成できるのは、パーソナルトークンだけです。`,
  exceedsRole: ({ role }) =>
    `パーソナルトークンには、自分の役割（${nameRole(role)}）を超えるアクセス権を付与できません。`,
  limitTooHigh: ({ maximum }) =>
    `${maximum} 以下の数値を入力してください。それより大きい値は、オーナーと管理者だけが設定できます。`,
  wrongConfirmation: ({ key }) => `確認のため、キー「${key}」を入力してください。`,
  tooManyMonths: ({ maximum }) => `期間は ${maximum} か月以内で選択してください。`,
  startsAfterEnd: "終了月以前の月を選択してください。",
  notMonth: "年月を入力してください。例：2026-11",
  notDay: "日付を入力してください。例：2026-11-21",
  searchTooLong: ({ maximum }) => `${maximum} 文字以内で入力してください。`,
  selectionChanged:
    "このページを開いた後に、ビューかフィールドが変更されたか、日付が変わったため、対象のデータが変わった可能性があります。件数を確認して、もう一度実行してください。",
  chooseFewerColumns: "表示する列を減らしてください。",
  damagedCursor: "ページの位置が正しくありません。一覧の先頭から開き直してください。",
  repeatedParameter: "同じ項目が複数指定されています。",
} satisfies Partial<ReasonTexts>;

const details = {
  appElsewhere: ({ app }) =>
    `アプリ「${app}」のデータは別のデータベースにあります。参照し合うアプリとフォームは、同じデータベースに保存してください。`,
  referredAppElsewhere:
    "参照するアプリのデータが別の保存場所にあります。参照し合うアプリとフォームは、同じデータベースに保存してください。",
  removedViewInUse: ({ noun, name, view }) =>
    `${nameUser(noun)}「${name}」がビュー「${view}」を使用しています。ビューを削除する前に、${nameUser(noun)}の対象を変更してください。`,
  removedViewInUseByOthers: ({ noun, view }) =>
    `${nameUser(noun)}がビュー「${view}」を使用しているため、削除できません。先に${nameUser(noun)}の対象を変更するよう、オーナーまたは管理者に依頼してください。`,
  referredApp: ({ field, collection }) =>
    `${nameCollection(collection)}のフィールド「${field}」がこのアプリを参照しています。先にそのフィールドを削除してください。`,
  keyOfDeleted: ({ key, kind, until }) =>
    `キー「${key}」は、削除された${kind === "app" ? "アプリ" : "フォーム"}で使用されています。${until.slice(0, 10)} 以降に使用できます。それまでは、オーナーまたは管理者が復元できます。`,
  typeIsChanging: ({ field }) =>
    `フィールド「${field}」の種類を変更しているため、変更が終わるまで入力できません。`,
  typeInUse: ({ fields }) =>
    `値が保存されているため、${listChoices(fields)}の種類は変更できません。`,
  valuesNotUnique: ({ field, items }) =>
    `「${field}」を重複禁止にできません。値が同じデータがあります：${items.replace(" and ", "、")}`,
  conditionsNotList: "条件の形式が正しくありません。API と同じ JSON のリストで指定してください。",
  dataNotObject: "入力内容の形式が正しくありません。",
} satisfies Partial<ReasonTexts>;

const webhooks = {
  notAbsoluteUrl: "https:// で始まる URL を入力してください。",
  urlWithUser:
    "ユーザー名とパスワードは使用できません。シークレットは、パスまたはパラメーターに含めてください。",
  notHttps: "https:// で始まる URL を入力してください。",
  wrongPort: "ポートには 443 または 8443 だけを使用できます。",
  noHost: "ホスト名を含めてください。",
  ipAddress: "IP アドレスではなく、ホスト名を指定してください。",
  localHost: "インターネットからアクセスできる URL を指定してください。",
  collectionNameFormat: "アプリまたはフォームの指定が正しくありません。",
  notCollections: ({ maximum }) =>
    `すべて、または ${maximum} 個以内のアプリとフォームを選択してください。`,
  changedFieldFormat: "フィールドの指定が正しくありません。",
  unknownChangedField: ({ key }) =>
    `選択したアプリやフォームに、フィールド「${key}」はありません。`,
  unseenCollection: ({ collection }) =>
    `${nameCollection(collection)}が存在しないか、アクセス権がありません。`,
  tooManyWebhooks: ({ maximum }) =>
    `Webhook は ${maximum} 個までです。先に不要なものを削除してください。`,
} satisfies Partial<ReasonTexts>;

const reasons: ReasonTexts = {
  ...values,
  ...definitions,
  ...patterns,
  ...formulaReasons,
  ...views,
  ...rights,
  ...details,
  ...webhooks,
};

/** Translates a sentence of the API to Japanese. Returns undefined for unknown sentences. */
export const explainReason = (sentence: string): string | undefined =>
  translateReason(reasons, sentence);
