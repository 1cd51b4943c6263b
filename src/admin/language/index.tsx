import { createContext, useContext, type PropsWithChildren } from "hono/jsx";
import type { Language } from "#domain/language.ts";
import {
  formatBytes,
  formatCount,
  formatNumber,
  type Viewer,
  ViewerContext,
} from "#html/viewer.tsx";
import { type Catalogue, en } from "./en/index.ts";
import { ja } from "./ja/index.ts";
import type { Numbers } from "./numbers.ts";

export type { Catalogue };

/** The languages by their own names. */
export const languageNames: Record<Language, string> = { en: "English", ja: "日本語" };

const catalogues: Record<Language, (numbers: Numbers) => Catalogue> = { en, ja };

/** Building a catalogue costs more than using it, so catalogues are cached. `maxCatalogues` limits the cache. */
const builtCatalogues = new Map<string, Catalogue>();
const maxCatalogues = 20;

/** Returns the texts of the area in a language, with numbers in the format of the locale. */
export function catalogueOf(language: Language, locale: string = language): Catalogue {
  const id = `${language} ${locale}`;
  const built = builtCatalogues.get(id);
  if (built) return built;
  if (builtCatalogues.size >= maxCatalogues) builtCatalogues.clear();
  const catalogue = catalogues[language]({
    formatCount: (count) => formatCount({ locale }, count),
    formatNumber: (number) => formatNumber({ locale }, number),
    formatBytes: (bytes) => formatBytes({ locale }, bytes),
  });
  builtCatalogues.set(id, catalogue);
  return catalogue;
}

const TextContext = createContext<Catalogue | undefined>(undefined);

/**
 * The language of a page. A context contains it. One context per page is enough, because rendering a page is not
 * interrupted.
 */
export interface Localization {
  viewer: Viewer;
  text: Catalogue;
}

/** Renders its children in this language. */
export function Localized({ viewer, text, children }: PropsWithChildren<Localization>) {
  return (
    <ViewerContext.Provider value={viewer}>
      <TextContext.Provider value={text}>{children}</TextContext.Provider>
    </ViewerContext.Provider>
  );
}

/** Returns the texts for a component. Functions that are not components take them as a parameter. */
export function useText(): Catalogue {
  const text = useContext(TextContext);
  if (!text) throw new Error("useText was called outside of a page.");
  return text;
}
