import type { Numbers } from "#admin/language/numbers.ts";
import { maxMovedCollections } from "#domain/move.ts";
import type { Catalogue } from "#admin/language/en/index.ts";
import { sentence } from "#admin/language/sentence.ts";

const phases = (): Catalogue["moves"]["phases"] => ({
  requested: "準備中",
  copying: "コピー中",
  checking: "照合中",
  following: "変更を反映中",
  flipping: "切り替え中",
  retiring: "切り替え中",
  kept: "移動済み",
  done: "移動済み",
  stopping: "中止処理中",
  stopped: "中止済み",
});

const problems = (): Catalogue["moves"]["problems"] => ({
  unknown_collection: "この名前のフォームまたはアプリはありません。",
  moved_meanwhile: "同時に移動または削除されました。もう一度お試しください。",
  unknown_database: "このデータベースはこの環境にありません。",
  same_database: "データはすでにこのデータベースにあります。",
  database_not_ready: "このデータベースは追加処理中です。1 分後にもう一度お試しください。",
  other_location:
    "作成時に選択した保存場所は変更できません。このデータベースは別の保存場所にあります。",
  too_many_collections: `参照でつながるフォームとアプリは ${maxMovedCollections} 件までしか同時に移動できません。`,
  busy: "別の移動を実行中です。同時に実行できる移動は 1 つだけです。",
  owned_by_target: "移動先のデータベースが、対象のフォームまたはアプリをすでに所有しています。",
  unequal_copy: "コピーが元のデータと一致しませんでした。",
  restored: "移動中にデータベースが復元されました。",
  waits_for_repairs: "アップグレードまたは復元後の全行の処理が終わるまで待機します。",
  carries_files: "ファイルを移動先のデータベースの国や地域へ移しています。",
  waits_for_isolates: "移動の通知がすべての拠点に届くまで、約 1 分待機します。",
  waits_for_definition: "未反映の定義の変更が有効になるまで待機します。",
  linked_meanwhile: "別のフォームまたはアプリと参照でつながったため、最初からやり直します。",
  too_many_changes: "最後の段階で変更が多かったため、もう一度実行します。",
});

const collections = (count: number, { formatCount }: Numbers) =>
  `フォーム・アプリ ${formatCount(count)} 件`;
const items = (count: number, { formatCount }: Numbers) => `データ ${formatCount(count)} 件`;

export const moves = (numbers: Numbers): Catalogue["moves"] => ({
  title: "データの移動",
  columns: { name: "フォームまたはアプリ", to: "移動先", state: "状態", started: "開始日時" },
  phases: phases(),
  problems: problems(),
  progress: (done, total) => `${numbers.formatCount(total)} 件中 ${numbers.formatCount(done)} 件`,
  others: (count) => `ほか ${numbers.formatCount(count)} 件（参照でつながるもの）`,
  from: (source, target) => sentence`${source} → ${target}`,
  startedBy: (time, actor) => sentence`${time}（${actor}）`,
  keptUntil: (time) => sentence`移動元のコピーは ${time} まで保持されます。`,
  stop: "移動を中止",
  stopping: "移動を中止し、コピーを削除します。データは現在の場所に残ります。",
  stopped: "移動を中止しています",
  cannotStop: "この移動はもう中止できません。元に戻すには、データを移動し直してください。",
  move: "フォームまたはアプリを移動",
  moveLink: (link) => sentence`使用中のまま、別のデータベースに移動できます：${link}`,
  input: {
    collection: "フォームまたはアプリ",
    collectionHint: "例：form:purchase",
    to: "データベース",
    toEmpty: "データベースを選択",
    review: "移動内容を確認",
  },
  did: (name) => `「${name}」ではありませんか？`,
  single:
    "データベースは 1 つだけです。フォームやアプリを移動するには、データベースを追加してください。",
  review: (name, target) => `「${name}」を ${target} に移動`,
  what: (count, total, source, target) =>
    `${collections(count, numbers)}（${items(total, numbers)}）を、変更履歴とともに ${source} から ${target} に移動します。`,
  linked: () =>
    "参照でつながるフォームとアプリは、同じデータベースを使用するため、一緒に移動します。",
  how: "移動中もリクエストは処理されます。最後に書き込みが最大 2 秒待機します。それまでは移動を中止できます。移動元のコピーは 7 日間保持されます。",
  delays: "移動の前に、次の待機があります：",
  itemColumn: "データの件数",
  start: (count, total) => `${collections(count, numbers)}（${items(total, numbers)}）を移動`,
  started: (name, target) => `「${name}」を ${target} に移動しています`,
  underWay: (name, target) => `「${name}」はすでに ${target} に移動中です`,
  elsewhere: "データを移動",
});
