/** The languages of the administration area. The first one is the default. */
export const languages = ["en", "ja"] as const;
export type Language = (typeof languages)[number];

export const isLanguage = (text: string | undefined): text is Language =>
  languages.some((language) => language === text);

/** The locale for readers who request a language without a region. Plain `en` would write the month first. */
const defaultLocales: Record<Language, string> = { en: "en-GB", ja: "ja" };

const languageOf = (tag: string): string => tag.split("-")[0]?.toLowerCase() ?? "";

const maxHeaderLength = 200;
const tagPattern = /^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/;
const weightPattern = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/** Returns the language tags of an `Accept-Language` header, most preferred first (RFC 9110, section 12.5.4). */
function requestedTags(header: string): string[] {
  const ranges = header
    .slice(0, maxHeaderLength)
    .split(",")
    .map((part) => {
      const [tag = "", ...parameters] = part.split(";").map((text) => text.trim());
      const quality = parameters.find((parameter) => /^q=/i.test(parameter))?.slice(2) ?? "1";
      return { tag, weight: weightPattern.test(quality) ? Number(quality) : 0 };
    });
  return ranges
    .filter(({ tag, weight }) => weight > 0 && tagPattern.test(tag))
    .toSorted((a, b) => b.weight - a.weight)
    .map(({ tag }) => tag);
}

/** Returns the first requested language that the administration area supports. */
export function negotiateLanguage(header = ""): Language {
  return requestedTags(header).map(languageOf).find(isLanguage) ?? languages[0];
}

/**
 * Returns the locale for dates and numbers: the first requested one that fits the language. If the administration area
 * does not support a person's language, the person sees English with dates in their own locale.
 */
export function negotiateLocale(language: Language, header = ""): string {
  for (const tag of requestedTags(header)) {
    const requested = languageOf(tag);
    const fits = requested === language || (language === "en" && !isLanguage(requested));
    if (!fits) continue;
    try {
      const [locale] = Intl.DateTimeFormat.supportedLocalesOf(tag);
      if (locale !== undefined) return locale === language ? defaultLocales[language] : locale;
    } catch {
      // Ignores an invalid language tag.
    }
  }
  return defaultLocales[language];
}
