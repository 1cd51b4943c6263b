import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { createMiddleware } from "hono/factory";
import { sha256 } from "../../domain/credential/signature";
import { rightsOf } from "../../domain/credential/roles";
import { memberOfSession } from "../../actions/members/sign-in";
import type { AdminEnv, AppEnv, Reading } from "../../env";
import { actionContext } from "../../http/doors/action-context";
import { problem } from "../../domain/problem/problem";
import { memberOfAccess, usesAccess } from "./access";
import { limitAttempts } from "./attempts";
import { askBeside, noteSession } from "./beside";
import { ownPath } from "../frame/own-path";
import { wantsJson } from "../frame/negotiate";
import { keepSent } from "./kept";
import { signInAgain } from "./sign-in-page";

const cookie = "session";

export function sessionIdOf(c: Context): string | undefined {
  return getCookie(c, cookie, "host");
}

/** `__Host-session`: this host only, over TLS (or on the developer's own machine), out of reach of scripts. */
export function keepSession(c: Context, sessionId: string, maxAge: number): void {
  setCookie(c, cookie, sessionId, { prefix: "host", httpOnly: true, sameSite: "Lax", maxAge });
}

export function dropSession(c: Context): void {
  deleteCookie(c, cookie, { prefix: "host", secure: true, path: "/" });
}

/** Members only; others are sent to sign in, or told 401 where JSON is asked for. */
export const signedIn = createMiddleware<AdminEnv>(async (c, next) => {
  const sessionId = sessionIdOf(c);
  const hash = sessionId === undefined ? "" : await sha256(sessionId);
  const read = askBeside(c, hash);
  const member = await (usesAccess(c.env)
    ? memberOfAccess(c)
    : memberOfSession(c.env.DB, hash, Date.now()));
  noteSession(hash, member !== undefined);
  if (!member) {
    if (wantsJson(c)) throw problem.unauthenticated(sessionId !== undefined);
    return toSignIn(c);
  }
  c.set("member", member);
  c.set("session", hash);
  // The start of its hash tells one session from another, and is of no use to anybody else.
  const told = hash === "" ? null : hash.slice(0, 8);
  c.set("action", actionContext(c, `member:${member.id}`, rightsOf(member.role), told));
  c.set("read", read);
  await next();
  return undefined;
});

/** People are asked to sign in, and go on where they were: with the page, or with what they sent. */
async function toSignIn(c: Context<AdminEnv>): Promise<Response> {
  if (c.req.method === "GET" || c.req.method === "HEAD") {
    const { pathname, search } = new URL(c.req.url);
    const to = ownPath(pathname + search);
    const known = to !== undefined && to !== "/admin" && to !== "/admin/";
    return c.redirect(`/admin/sign-in${known ? `?to=${encodeURIComponent(to)}` : ""}`, 303);
  }
  return c.html(signInAgain(await keepSent(c)), 401);
}

/** Context for those who have not signed in yet. */
export function signInContext(c: Reading<AppEnv>) {
  const context = actionContext(c, "nobody", { permissions: [], resources: [] });
  return { ...context, random, limitAttempts: (name: string) => limitAttempts(c, name) };
}

export function random(length: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(length));
}
