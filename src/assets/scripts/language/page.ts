import { inLanguage } from "./in-language.ts";

/** The texts of page.ts and of what it imports. */
export const pageText = inLanguage(
  {
    copied: "Copied",
    copy: (text: string) => `Copy ${text}`,
    search: (keys: string) => `Find anything (${keys})`,
    found: "Found",
    nothingFound: "Nothing found",
    separator: "; ",
  },
  {
    copied: "コピーしました",
    copy: (text) => `${text} をコピー`,
    search: (keys) => `すべてから検索（${keys}）`,
    found: "検索結果",
    nothingFound: "見つかりませんでした",
    separator: "、",
  },
);
