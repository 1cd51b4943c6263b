import { lazy } from "#domain/lazy.ts";
import { nameFileTypes } from "#admin/language/file-types.ts";
import type { Numbers } from "#admin/language/numbers.ts";

const rules = lazy(() => new Intl.PluralRules("en"));

/** “request” for 1, otherwise “requests”. */
export const plural = (count: number, one: string, many = `${one}s`): string =>
  rules().select(count) === "one" ? one : many;

/** The functions that texts with numbers use. */
export interface Words extends Numbers {
  /** Formats like “1 request” and “1,204 requests”. */
  quantity: (count: number, one: string, many?: string) => string;
}

export const wordsWith = (numbers: Numbers): Words => ({
  ...numbers,
  quantity: (count, one, many) => `${numbers.formatCount(count)} ${plural(count, one, many)}`,
});

/** “A”, “A and B”, “A, B and C”. */
export const listing = (words: readonly string[], conjunction = "and"): string =>
  words.length < 2
    ? words.join("")
    : `${words.slice(0, -1).join(", ")} ${conjunction} ${words.at(-1) ?? ""}`;

/** “images, PDF or Word”. */
export const fileTypes = (types: readonly string[]): string =>
  listing(
    nameFileTypes(types, {
      image: "images",
      audio: "audio",
      video: "videos",
      text: "text files",
      any: "all types",
    }),
    "or",
  );
