import { inLanguage } from "./in-language.ts";

/** The texts of complete-names.ts. */
export const formulaText = inLanguage(
  { names: "Names", insert: (name: string) => `Insert ${name}` },
  { names: "名前の候補", insert: (name) => `${name} を挿入` },
);
