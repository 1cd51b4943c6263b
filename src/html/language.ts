import type { Language } from "#domain/language.ts";

/** The texts of the page frame and of inputs. All pages share them. */
const en = {
  skip: "Skip to content",
  breadcrumbs: "Breadcrumbs",
  copy: "Copy",
  cancel: "Cancel",
  justNow: "just now",
  /** Separates a label from its text. */
  colon: ": ",
  notSaved: (errors: number) => `Not saved. Fix ${errors === 1 ? "1 error" : `${errors} errors`}.`,
};

type PartTexts = typeof en;

const ja: PartTexts = {
  skip: "本文へ移動",
  breadcrumbs: "パンくずリスト",
  copy: "コピー",
  cancel: "キャンセル",
  justNow: "たった今",
  colon: "：",
  notSaved: (errors) => `保存できませんでした。${errors} 件のエラーを修正してください。`,
};

const texts: Record<Language, PartTexts> = { en, ja };

export const partTexts = (language: Language): PartTexts => texts[language];
