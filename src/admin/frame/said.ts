import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { wantsJson } from "./negotiate";

const cookie = "said";
const mostCharacters = 500;

/** What was done, told on the page that comes next: kept over the redirect, shown once. */
export function say(c: Context, text: string): void {
  if (wantsJson(c)) return;
  setCookie(c, cookie, text.slice(0, mostCharacters), {
    prefix: "host",
    httpOnly: true,
    sameSite: "Lax",
    maxAge: 60,
  });
}

/** Takes what the act before said. */
export function takeSaid(c: Context): string | undefined {
  const said = getCookie(c, cookie, "host");
  if (said === undefined) return undefined;
  deleteCookie(c, cookie, { prefix: "host", secure: true, path: "/" });
  return said;
}
