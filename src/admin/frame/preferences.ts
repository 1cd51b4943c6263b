import type { Context } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import * as z from "zod/mini";
import { isTimeZone } from "../../domain/time-zone";
import type { Theme } from "../../html/page";

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
