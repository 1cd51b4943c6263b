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
import { changePreferences } from "#actions/members.ts";
import type { Theme } from "#html/page.tsx";
import type { Viewer } from "#html/viewer.tsx";
import type { Member } from "#store/home/members.ts";
import { type Catalogue, catalogueOf, type Localization } from "./language/index.tsx";
import { lazy } from "#domain/lazy.ts";
import { adminPath } from "./form-input.ts";
import { reasonFor } from "#domain/problem/reasons.ts";

/**
 * The language and the zone belong to the member, and the theme to the browser. The cookies repeat the member's choices
 * for pages without a session. The chosen language has precedence over the languages that the browser sends. The chosen
 * zone has precedence over the browser's own zone (cookie `found_zone`, from page.ts). The zone that Cloudflare derives
 * from the address comes last.
 */
export const Preferences = lazy(() =>
  z.partial(
    z.object({
      theme: z.enum(["system", "light", "dark"]),
      language: z.enum(["", ...languages]),
      zone: z.union([
        z.literal(""),
        z.string().check(z.refine(isTimeZone, reasonFor("notTimeZone"))),
      ]),
    }),
  ),
);

const yearSeconds = 365 * 24 * 60 * 60;

function setPreferences(c: Context, preferences: z.infer<ReturnType<typeof Preferences>>): void {
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

/** Stores the choices of the signed-in member, and repeats them in the cookies of the browser. */
export async function savePreferences(
  c: Context,
  ctx: Parameters<typeof changePreferences>[0],
  preferences: z.infer<ReturnType<typeof Preferences>>,
): Promise<void> {
  const { language, zone } = preferences;
  if (language !== undefined || zone !== undefined)
    await changePreferences(ctx, { language, zone });
  setPreferences(c, preferences);
}

export function readTheme(c: Context): Theme {
  const theme = getCookie(c, "theme");
  return theme === "light" || theme === "dark" ? theme : "system";
}

/** Returns the choice of the member. Without a choice or a session, returns the choice of the browser. */
function readChoice(c: Context, name: "language" | "zone"): string | undefined {
  const member = c.get("member") as Partial<Pick<Member, "language" | "zone">> | undefined;
  return member?.[name] ?? getCookie(c, name);
}

/** Repeats the choices of the signed-in member in the cookies of this browser. */
export function repeatPreferences(c: Context, member: Pick<Member, "language" | "zone">): void {
  for (const name of ["language", "zone"] as const) {
    const value = member[name];
    if (value !== null && value !== (getCookie(c, name) ?? ""))
      setPreferences(c, { [name]: value });
  }
}

/** Returns the chosen zone. Undefined when the browser's own zone applies. */
export function readChosenZone(c: Context): string | undefined {
  return validZone(readChoice(c, "zone"));
}

/** Returns the chosen language. Undefined when the browser's own language applies. */
export function readChosenLanguage(c: Context): Language | undefined {
  const language = readChoice(c, "language");
  return isLanguage(language) ? language : undefined;
}

export const readLanguage = (c: Context): Language =>
  readChosenLanguage(c) ?? negotiateLanguage(c.req.header("Accept-Language"));

/** Returns the texts of the area in the language of the request. */
export const readTexts = (c: Context): Catalogue => {
  const language = readLanguage(c);
  return catalogueOf(language, negotiateLocale(language, c.req.header("Accept-Language")));
};

export function viewerOf(c: Context): Viewer {
  const edgeZone = (c.req.raw.cf as { timezone?: string } | undefined)?.timezone;
  const zone =
    readChosenZone(c) ?? validZone(getCookie(c, "found_zone")) ?? validZone(edgeZone) ?? "UTC";
  const language = readLanguage(c);
  const locale = negotiateLocale(language, c.req.header("Accept-Language"));
  return { zone, language, locale, now: c.env.clock.now() };
}

/** Returns the language, the texts, the zone and the locale of a page. */
export const localize = (c: Context): Localization => ({
  viewer: viewerOf(c),
  text: readTexts(c),
});

function validZone(name: string | undefined): string | undefined {
  return name !== undefined && name !== "" && isTimeZone(name) ? name : undefined;
}

const flashCookie = "said";
/** The maximum length after URL encoding. Browsers drop longer cookies. */
const maxFlashBytes = 2500;

/** A form that reverts an action. */
export interface Undo {
  /** A path of the area. */
  action: string;
  values: Record<string, string>;
}

/** The result of an action. A partial result names the omitted items. */
export interface Flash {
  text: string;
  isPartial: boolean;
  undo?: Undo | undefined;
  /** The path of the created object, if it differs from the next page. */
  link?: string | undefined;
  /** The name of the link. The default is “View”. */
  linkName?: string | undefined;
}

/** Marks a partial result in the cookie. */
const partialMark = "!";
/** Marks a result with a form that reverts it, or with a link. */
const detailsMark = "~";

/** Stores a result for the next page. A cookie carries it across the redirect. */
export function setFlash(c: Context, { text, isPartial, ...details }: Flash): void {
  const shown = (isPartial ? partialMark : "") + truncateFlash(text);
  const hasDetails = details.undo || details.link;
  const value = hasDetails ? detailsMark + JSON.stringify({ shown, ...details }) : shown;
  setCookie(c, flashCookie, value, {
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
  const value = getCookie(c, flashCookie, "host");
  if (value === undefined) return undefined;
  deleteCookie(c, flashCookie, { prefix: "host", secure: true, path: "/" });
  const { shown, ...details } = value.startsWith(detailsMark)
    ? readDetails(value.slice(detailsMark.length))
    : { shown: value };
  const isPartial = shown.startsWith(partialMark);
  return { ...details, text: isPartial ? shown.slice(partialMark.length) : shown, isPartial };
}

type FlashDetails = Pick<Flash, "undo" | "link" | "linkName"> & { shown: string };

/** Accepts only paths of the area, because it does not trust the cookie. */
function readDetails(json: string): FlashDetails {
  try {
    const { shown, undo, link, linkName } = JSON.parse(json) as FlashDetails;
    const action = adminPath(undo?.action);
    return {
      shown,
      undo: undo && action ? { ...undo, action } : undefined,
      link: adminPath(link),
      linkName,
    };
  } catch {
    return { shown: "" };
  }
}
