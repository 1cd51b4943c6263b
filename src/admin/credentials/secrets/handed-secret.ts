import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { Issued } from "../../../actions/credentials/credentials";
import { signingKeys } from "../../../domain/credential/signature";
import type { AdminEnv } from "../../../env";

const cookie = "handed_secret";
const maxAge = 300;
const pathOf = (id: string) => `/admin/integrations/${id}/secret`;

/**
 * Hands a new secret to the page that shows it: sealed, in a cookie of that page alone, for the session that made it.
 * So a reload of the page makes no second one, and nothing is kept here.
 */
export async function handSecret(
  c: Context<AdminEnv>,
  { credential, secret }: Issued,
): Promise<Response> {
  const { id } = credential;
  const sealed = await signingKeys(c.env.TOKEN_SECRET).seal(secret, about(c, id));
  const options = { httpOnly: true, secure: true, sameSite: "Strict", path: pathOf(id) } as const;
  setCookie(c, cookie, sealed, { ...options, maxAge });
  return c.redirect(pathOf(id), 303);
}

/** The secret, once; undefined where it was shown before. */
export async function takeSecret(c: Context<AdminEnv>, id: string): Promise<string | undefined> {
  const sealed = getCookie(c, cookie);
  if (sealed === undefined) return undefined;
  deleteCookie(c, cookie, { path: pathOf(id), secure: true });
  return signingKeys(c.env.TOKEN_SECRET).open(sealed, about(c, id));
}

const about = (c: Context<AdminEnv>, id: string) =>
  `secret of ${id} for ${c.var.member.id} ${c.var.session}`;
