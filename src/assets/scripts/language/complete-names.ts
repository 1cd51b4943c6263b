import { inLanguage } from "./in-language.ts";

/** The texts of complete-names.ts. */
export const formulaText = inLanguage(
  { insert: (name: string) => `Insert ${name}`, names: "Names" },
  { insert: (name) => `${name} を挿入`, names: "フィールドと関数" },
);
