import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { wantsJson } from "./negotiate";

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
