/** Returns the texts of a script in the language of the page. TypeScript reports texts that a language lacks. */
export function inLanguage<Texts>(en: Texts, ja: NoInfer<Texts>): Texts {
  return document.documentElement.lang === "ja" ? ja : en;
}
