import { inLanguage } from "./in-language.ts";

/** The texts of page.ts and of its imports. */
export const pageText = inLanguage(
  {
    copied: "Copied",
    copy: (text: string) => `Copy ${text}`,
    found: "Found",
    nothingFound: "Nothing found",
    separator: "; ",
  },
  {
    copied: "コピーしました",
    copy: (text) => `${text} をコピー`,
    found: "検索結果",
    nothingFound: "見つかりませんでした",
    separator: "、",
  },
);
