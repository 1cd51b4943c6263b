import type { Numbers } from "#admin/language/numbers.ts";
import type { Catalogue } from "#admin/language/en/index.ts";

type Bulk = Catalogue["bulk"];

/** Nouns that become verbs with 「する」. */
const verbs = { edit: "変更", close: "クローズ", reopen: "クローズ解除", delete: "削除" };

const skipped = {
  edit: "クローズ済み",
  close: "下書きとクローズ済み",
  reopen: "クローズされていない",
  delete: "クローズ済み",
};

const undoneVerbs = {
  edit: "を元に戻しました",
  close: "のクローズを解除しました",
  reopen: "を再びクローズしました",
  delete: "を復元しました",
};

const hadValue = (count: number, { formatCount }: Numbers) =>
  count > 0 ? `${formatCount(count)} 件はすでにこの値でした。` : "";

const results = (numbers: Numbers): Bulk["results"] => ({
  all(act, items, { unchanged }, what) {
    const text = what === undefined ? `${items}を${verbs[act]}しました` : `${items}の${what}`;
    return unchanged === 0 ? text : `${text}。${hadValue(unchanged, numbers)}`;
  },
  partial(act, items, { done, unchanged }, named, others) {
    const names = named.map(({ title, reason }) => `${title}（${reason}）`).join("、");
    const more = others > 0 ? `、ほか ${numbers.formatCount(others)} 件` : "";
    return `${items}のうち ${numbers.formatCount(done)} 件を${verbs[act]}しました。${hadValue(unchanged, numbers)}${verbs[act]}できなかったデータ：${names}${more}`;
  },
  title: (act, items) => `${items}を${verbs[act]}しました`,
  counts: (act, { done, refused }) =>
    `${numbers.formatCount(done)} 件を${verbs[act]}しました。${numbers.formatCount(refused)} 件は${verbs[act]}できませんでした。`,
  refused: (act) => `${verbs[act]}できなかったデータ`,
  reason: "理由",
  listed: (count, total) =>
    `${numbers.formatCount(total)} 件のうち、最初の ${numbers.formatCount(count)} 件を表示しています。`,
  back: (item) => `${item}の一覧に戻る`,
});

export const bulk = (numbers: Numbers): Bulk => ({
  labels: { value: "新しい値", field: "フィールド" },
  nothingSelected: "先にデータを 1 件以上選択してください",
  appliesToNone(act, selected) {
    if (selected === 0) return "選択したデータは削除されたか、条件に一致しなくなりました";
    if (act === "reopen") return "選択した回答の中に、クローズ済みのものはありません";
    return act === "close"
      ? "選択した回答は、すべてクローズ済みか下書きです"
      : `選択した回答はすべてクローズ済みのため、${verbs[act]}できません`;
  },
  concernsAll: (items) => `すべての${items}が対象です。`,
  noFields: "一括で編集できるフィールドがありません。",
  actions: {
    edit: (items) => `${items}を編集`,
    close: (items) => `${items}をクローズ`,
    reopen: (items) => `${items}のクローズを解除`,
    delete: (items) => `${items}を削除`,
  },
  setField: (field, items) => `${items}の「${field}」を変更`,
  question: (action) => `${action}しますか？`,
  explanations: {
    close: "クローズした回答は、クローズを解除するまで編集できません。",
    reopen: "クローズを解除した回答は、再び編集できます。",
    delete: "7 日以内であれば復元できます。",
  },
  leftOut: (act, count, items) =>
    `${items}のうち、${skipped[act]}${act === "reopen" ? "" : "の"}回答 ${numbers.formatCount(count)} 件は対象外です。`,
  set: (field, value) => `「${field}」を「${value}」に変更しました`,
  cleared: (field) => `「${field}」の値を消去しました`,
  undone: (act, items, omitted, left) => {
    const others = [
      omitted > 0
        ? `${numbers.formatCount(omitted)} 件はその後に変更されたため、そのままです。`
        : "",
      left > 0
        ? `残りの ${numbers.formatCount(left)} 件は、もう一度「元に戻す」を押してください。`
        : "",
    ].join("");
    const result = `${items}${undoneVerbs[act]}`;
    return others === "" ? result : `${result}。${others}`;
  },
  notRestored: (restored, items, named, others) => {
    const names = named.map(({ title, reason }) => `${title}（${reason}）`).join("、");
    const more = others > 0 ? `、ほか ${numbers.formatCount(others)} 件` : "";
    return `${items}のうち ${numbers.formatCount(restored)} 件を復元しました。復元できなかったデータ：${names}${more}`;
  },
  present: {
    title: (field) => `「${field}」の現在の値`,
    count: "件数",
    none: "値なし",
    others: (count) => `ほかの値 ${numbers.formatCount(count)} 種類`,
    first: (count) => `最初の ${numbers.formatCount(count)} 件の値です。`,
  },
  clear: "フィールドの値を消去する",
  blank: "値を入力するか、「フィールドの値を消去する」を選択してください。",
  progress: {
    title: (act, items) => `${items}を${verbs[act]}しています`,
    counts: (act, done, items, refused) =>
      `${items}のうち ${numbers.formatCount(done)} 件を処理しました。${refused > 0 ? `${numbers.formatCount(refused)} 件は${verbs[act]}できませんでした。` : ""}`,
    stop: "中止",
  },
  stopped(act, { done, refused }) {
    if (done + refused === 0) return `${verbs[act]}していません`;
    const others =
      refused > 0 ? `${numbers.formatCount(refused)} 件は${verbs[act]}できませんでした。` : "";
    return `途中で停止しました。${numbers.formatCount(done)} 件を${verbs[act]}しました。${others}`;
  },
  results: results(numbers),
  reasons: {
    gone: "すでに存在しません",
    closed: "すでにクローズ済みです",
    open: "クローズされていません",
    changed: "処理中に変更されました",
    draft: "下書きです",
    noMatch: "条件に一致しなくなりました",
  },
});
