import { createContext, useContext, type PropsWithChildren } from "hono/jsx";
import type { Language } from "#domain/language.ts";
import { type Viewer, ViewerContext } from "#html/viewer.tsx";
import { type Catalogue, en } from "./en/index.ts";
import { ja } from "./ja/index.ts";

export type { Catalogue };

/** The languages by their own names. */
export const languageNames: Record<Language, string> = { en: "English", ja: "日本語" };

const catalogues: Record<Language, () => Catalogue> = { en, ja };

/** The texts of the area in a language. A catalogue is built when it is first read. */
export const catalogueOf = (language: Language): Catalogue => catalogues[language]();

const TextContext = createContext<Catalogue | undefined>(undefined);

/** The language of a page. A context knows it: one per page, since pages are rendered without interruption. */
export interface Localization {
  viewer: Viewer;
  text: Catalogue;
}

/** Everything inside is in this language. */
export function Localized({ viewer, text, children }: PropsWithChildren<Localization>) {
  return (
    <ViewerContext.Provider value={viewer}>
      <TextContext.Provider value={text}>{children}</TextContext.Provider>
    </ViewerContext.Provider>
  );
}

/** The texts, for components. Functions that are not components take them as a parameter. */
export function useText(): Catalogue {
  const text = useContext(TextContext);
  if (!text) throw new Error("useText was called outside of a page.");
  return text;
}
