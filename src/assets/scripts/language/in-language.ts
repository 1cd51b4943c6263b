/** The texts of a script in the language of the page. TypeScript rejects a language that lacks one. */
export function inLanguage<Texts>(en: Texts, ja: NoInfer<Texts>): Texts {
  return document.documentElement.lang === "ja" ? ja : en;
}
