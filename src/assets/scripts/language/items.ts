import type { ErrorFacts, FieldFacts } from "#admin/language/field-facts.ts";
import { explainDetails } from "#admin/language/ja/field-errors.ts";
import { sharedProblemTexts } from "#admin/language/ja/problem-texts.ts";
import { inLanguage } from "./in-language.ts";

/** A problem document. */
export interface ProblemDocument {
  code?: string;
  detail?: string;
  errors?: ErrorFacts[];
}

const problemsInJapanese: Record<string, string> = {
  ...sharedProblemTexts,
  unauthenticated: "セッションが終了しました。もう一度ログインしてください。",
};

/** Returns the reasons why a request was rejected: the reasons of its fields, or the problem. */
export const reasonsOf = inLanguage(
  ({ detail, errors }: ProblemDocument, _field?: FieldFacts) =>
    (errors ?? []).map(({ reason }) => reason).join(" ") || detail || "",
  ({ code = "", detail, errors }, field) =>
    (errors ?? [])
      .map((error) => explainDetails(error, field) ?? "入力内容が正しくありません。")
      .join("") ||
    (problemsInJapanese[code] ?? detail ?? ""),
);

/** The texts of items.ts. */
export const itemsText = inLanguage(
  {
    allSelected: "All selected",
    selected: (count: number) => `${count} selected`,
    notEditable: "This can't be edited now. Reload the page.",
    saved: (label: string) => `${label} saved`,
    notSaved: (label: string, reasons: string) => `Not saved. ${label}: ${reasons}`,
    gone: (label: string, own: string) =>
      `Not saved. Someone else changed ${label}. You entered “${own}”.`,
    changed: (label: string, from: string, to: string, own: string) =>
      `Not saved. Someone else changed ${label} from “${from}” to “${to}”. You entered “${own}”.`,
    keepsChanging: "Not saved. Others keep changing this item. Try again.",
  },
  {
    allSelected: "すべて選択中",
    selected: (count) => `${count} 件選択中`,
    notEditable: "現在この値は編集できません。ページを再読み込みしてください。",
    saved: (label) => `「${label}」を保存しました`,
    notSaved: (label, reasons) => `保存できませんでした。${label}：${reasons}`,
    gone: (label, own) =>
      `保存できませんでした。ほかのユーザーが「${label}」を変更しました。入力した値は「${own}」です。`,
    changed: (label, from, to, own) =>
      `保存できませんでした。ほかのユーザーが「${label}」を「${from}」から「${to}」に変更しました。入力した値は「${own}」です。`,
    keepsChanging:
      "保存できませんでした。ほかのユーザーが変更を続けています。もう一度お試しください。",
  },
);

/** The texts of upload-files.ts. */
export const uploadText = inLanguage(
  {
    waiting: "waiting",
    uploading: "uploading",
    uploadingFile: (name: string) => `Uploading ${name}`,
    uploaded: "uploaded",
    remove: "Remove",
    dismiss: "Dismiss",
    dismissFile: (name: string) => `Dismiss ${name}`,
    tooLarge: "The file is too large for this field.",
    noConnection: "The connection failed. Try again.",
    failed: "The upload failed. Try again.",
  },
  {
    waiting: "待機中",
    uploading: "アップロード中",
    uploadingFile: (name) => `「${name}」をアップロード中`,
    uploaded: "アップロード済み",
    remove: "削除",
    dismiss: "閉じる",
    dismissFile: (name) => `「${name}」のエラーを閉じる`,
    tooLarge: "ファイルのサイズが上限を超えています。",
    noConnection: "接続に失敗しました。もう一度お試しください。",
    failed: "アップロードに失敗しました。もう一度お試しください。",
  },
);
