import * as z from "zod/mini";
import type { Context } from "hono";
import { getCookie, setCookie, deleteCookie } from "hono/cookie";
import { isTimeZone } from "#domain/time.ts";
import type { Theme } from "#html/page.tsx";
import type { Reader } from "#html/viewer.tsx";
import { wantsJson } from "./form-input.ts";

/**
 * How a browser likes its pages. The zone that was chosen comes first, then the one that the browser told
 * (`found_zone`, by page.ts), then where Cloudflare sees it.
 */
export const Preferences = z.partial(
  z.object({
    theme: z.enum(["system", "light", "dark"]),
    zone: z.union([
      z.literal(""),
      z.string().check(z.refine(isTimeZone, "Must be an IANA time zone, like Asia/Tokyo.")),
    ]),
  }),
);

const year = 365 * 24 * 60 * 60;

export function keepPreferences(c: Context, chosen: z.infer<typeof Preferences>): void {
  for (const [name, value] of Object.entries(chosen)) {
    if (value === undefined) continue;
    setCookie(c, name, value, {
      secure: true,
      httpOnly: true,
      sameSite: "Lax",
      path: "/",
      maxAge: year,
    });
  }
}

export function themeOf(c: Context): Theme {
  const theme = getCookie(c, "theme");
  return theme === "light" || theme === "dark" ? theme : "system";
}

/** The zone that was chosen here; undefined where the browser's own is taken. */
export function chosenZone(c: Context): string | undefined {
  return zoneIn(getCookie(c, "zone"));
}

export function readerOf(c: Context): Reader {
  const seen = (c.req.raw.cf as { timezone?: string } | undefined)?.timezone;
  const zone = chosenZone(c) ?? zoneIn(getCookie(c, "found_zone")) ?? zoneIn(seen) ?? "UTC";
  return { zone, locale: localeOf(c.req.header("Accept-Language")), now: Date.now() };
}

function zoneIn(name: string | undefined): string | undefined {
  return name !== undefined && name !== "" && isTimeZone(name) ? name : undefined;
}

/** The first language that the browser asks for and the runtime knows; plain "en" would write months first. */
function localeOf(header = ""): string {
  for (const part of header.slice(0, 200).split(",")) {
    const [tag = ""] = part.trim().split(";");
    if (!/^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/.test(tag)) continue;
    try {
      const [known] = Intl.DateTimeFormat.supportedLocalesOf(tag);
      if (known !== undefined) return known === "en" ? "en-GB" : known;
    } catch {
      // No language tag after all.
    }
  }
  return "en-GB";
}

const cookie = "said";
/** As it is written in the cookie; browsers drop longer ones. */
const mostBytes = 3000;

/** What was done, told on the page that comes next: kept over the redirect, shown once. */
export function say(c: Context, text: string): void {
  if (wantsJson(c)) return;
  setCookie(c, cookie, beginningOf(text), {
    prefix: "host",
    httpOnly: true,
    sameSite: "Lax",
    maxAge: 60,
  });
}

function beginningOf(text: string): string {
  let bytes = 0;
  const characters = Array.from(text.slice(0, mostBytes).toWellFormed());
  const over = characters.findIndex((character) => {
    bytes += encodeURIComponent(character).length;
    return bytes > mostBytes;
  });
  return over === -1 ? characters.join("") : `${characters.slice(0, over).join("")}…`;
}

/** Takes what the act before said. */
export function takeSaid(c: Context): string | undefined {
  const said = getCookie(c, cookie, "host");
  if (said === undefined) return undefined;
  deleteCookie(c, cookie, { prefix: "host", secure: true, path: "/" });
  return said;
}
