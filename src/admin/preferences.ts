import * as z from "zod/mini";
import type { Context } from "hono";
import { getCookie, setCookie, deleteCookie } from "hono/cookie";
import {
  isLanguage,
  type Language,
  languages,
  negotiateLanguage,
  negotiateLocale,
} from "#domain/language.ts";
import { isTimeZone } from "#domain/time.ts";
import type { Theme } from "#html/page.tsx";
import type { Viewer } from "#html/viewer.tsx";
import { type Catalogue, catalogueOf, type Localization } from "./language/index.tsx";
import { lazy } from "#domain/lazy.ts";

/**
 * The preferences of one browser. The chosen language wins over the languages that the browser sends. The chosen zone wins over the browser's own zone (cookie `found_zone`, from page.ts).
 * The zone that Cloudflare derives from the address comes last.
 */
export const Preferences = lazy(() =>
  z.partial(
    z.object({
      theme: z.enum(["system", "light", "dark"]),
      language: z.enum(["", ...languages]),
      zone: z.union([
        z.literal(""),
        z.string().check(z.refine(isTimeZone, "Must be an IANA time zone, like Asia/Tokyo.")),
      ]),
    }),
  ),
);

const yearSeconds = 365 * 24 * 60 * 60;

export function setPreferences(
  c: Context,
  preferences: z.infer<ReturnType<typeof Preferences>>,
): void {
  for (const [name, value] of Object.entries(preferences)) {
    if (value === undefined) continue;
    setCookie(c, name, value, {
      secure: true,
      httpOnly: true,
      sameSite: "Lax",
      path: "/",
      maxAge: yearSeconds,
    });
  }
}

export function readTheme(c: Context): Theme {
  const theme = getCookie(c, "theme");
  return theme === "light" || theme === "dark" ? theme : "system";
}

/** The zone that the member chose. Undefined when the browser's own zone applies. */
export function readChosenZone(c: Context): string | undefined {
  return validZone(getCookie(c, "zone"));
}

/** The language that the member chose. Undefined when the browser's own language applies. */
export function readChosenLanguage(c: Context): Language | undefined {
  const language = getCookie(c, "language");
  return isLanguage(language) ? language : undefined;
}

const readLanguage = (c: Context): Language =>
  readChosenLanguage(c) ?? negotiateLanguage(c.req.header("Accept-Language"));

/** The texts of the area in the language of the request. */
export const readTexts = (c: Context): Catalogue => catalogueOf(readLanguage(c));

export function viewerOf(c: Context): Viewer {
  const edgeZone = (c.req.raw.cf as { timezone?: string } | undefined)?.timezone;
  const zone =
    readChosenZone(c) ?? validZone(getCookie(c, "found_zone")) ?? validZone(edgeZone) ?? "UTC";
  const language = readLanguage(c);
  const locale = negotiateLocale(language, c.req.header("Accept-Language"));
  return { zone, language, locale, now: c.env.clock.now() };
}

/** The language, the texts, the zone and the locale of a page. */
export const localize = (c: Context): Localization => ({
  viewer: viewerOf(c),
  text: readTexts(c),
});

function validZone(name: string | undefined): string | undefined {
  return name !== undefined && name !== "" && isTimeZone(name) ? name : undefined;
}

const flashCookie = "said";
/** The limit after URL encoding. Browsers drop longer cookies. */
const maxFlashBytes = 3000;

/** The result of an action. A partial one names what was left out. */
export interface Flash {
  text: string;
  isPartial: boolean;
}

/** Marks a partial result in the cookie. */
const partialMark = "!";

/** Stores a result for the next page. A cookie carries it across the redirect. */
export function setFlash(c: Context, { text, isPartial }: Flash): void {
  setCookie(c, flashCookie, (isPartial ? partialMark : "") + truncateFlash(text), {
    prefix: "host",
    httpOnly: true,
    sameSite: "Lax",
    maxAge: 60,
  });
}

function truncateFlash(text: string): string {
  let bytes = 0;
  const characters = Array.from(text.slice(0, maxFlashBytes).toWellFormed());
  const limit = characters.findIndex((character) => {
    bytes += encodeURIComponent(character).length;
    return bytes > maxFlashBytes;
  });
  return limit === -1 ? characters.join("") : `${characters.slice(0, limit).join("")}…`;
}

/** Returns the result of the previous action and deletes it. */
export function takeFlash(c: Context): Flash | undefined {
  const text = getCookie(c, flashCookie, "host");
  if (text === undefined) return undefined;
  deleteCookie(c, flashCookie, { prefix: "host", secure: true, path: "/" });
  const isPartial = text.startsWith(partialMark);
  return { text: isPartial ? text.slice(partialMark.length) : text, isPartial };
}
