import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { signingKeys } from "../../domain/credential/signature";
import type { AdminEnv } from "../../env";

const cookie = "handed_secret";
const maxAge = 300;
const pageOf = (place: string) => `${place}/secret`;

/**
 * Hands a new secret to the page that shows it, below the place of what it is of: sealed, in a cookie of that page
 * alone, for the session that made it. So a reload of the page makes no second one, and nothing is kept here.
 */
export async function handSecret(
  c: Context<AdminEnv>,
  place: string,
  secret: string,
): Promise<Response> {
  const path = pageOf(place);
  const sealed = await signingKeys(c.env.TOKEN_SECRET).seal(secret, about(c, place));
  const options = { httpOnly: true, secure: true, sameSite: "Strict", path } as const;
  setCookie(c, cookie, sealed, { ...options, maxAge });
  return c.redirect(path, 303);
}

/** The secret, once; undefined where it was shown before. */
export async function takeSecret(c: Context<AdminEnv>, place: string): Promise<string | undefined> {
  const sealed = getCookie(c, cookie);
  if (sealed === undefined) return undefined;
  deleteCookie(c, cookie, { path: pageOf(place), secure: true });
  return signingKeys(c.env.TOKEN_SECRET).open(sealed, about(c, place));
}

const about = (c: Context<AdminEnv>, place: string) =>
  `secret of ${place} for ${c.var.member.id} ${c.var.session}`;
