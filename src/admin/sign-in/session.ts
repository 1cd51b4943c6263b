import { cloudflareAccess } from "@hono/cloudflare-access";
import type { Context } from "hono";
import type { AdminEnv, AppEnv, Reading } from "#http/env.ts";
import { findMemberByEmail, type Member } from "#store/home/members.ts";
import { problem } from "#domain/problem/problem.ts";
import { logMended } from "#http/log.ts";
import { timely } from "#store/db/retry.ts";
import { readContext, actionContext } from "#http/context.ts";
import { keepNewest } from "#http/isolate-limits.ts";
import { questionOf, type Question, type Read } from "#http/doors/question.ts";
import { ownPath, readSent, wantsJson } from "#admin/form-input.ts";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { createMiddleware } from "hono/factory";
import { sha256 } from "#domain/credential/keys.ts";
import { rightsOf } from "#domain/credential/permissions.ts";
import { memberOfSession } from "#actions/members.ts";
import { signInAgain } from "./pages.tsx";

/** Whether Cloudflare Access signs in, instead of passwords. */
export function usesAccess({ ACCESS_TEAM }: { ACCESS_TEAM?: string }): boolean {
  return ACCESS_TEAM !== undefined && ACCESS_TEAM !== "";
}

/** Keeps the team's keys for an hour, so it is made once. */
let check: { team: string; run: ReturnType<typeof cloudflareAccess> } | undefined;

/** The member whom Cloudflare Access has signed in; it checks signature, issuer, audience and expiry. */
export async function memberOfAccess(c: Context<AdminEnv>): Promise<Member | undefined> {
  const { ACCESS_TEAM: team, ACCESS_AUDIENCE: audience } = c.env;
  if (check?.team !== team) {
    const name = new URL(team).hostname.replace(/\.cloudflareaccess\.com$/, "");
    check = { team, run: cloudflareAccess(name, audience) };
  }
  let passed = false;
  await check.run(c, async () => {
    passed = true;
  });
  if (!passed) return undefined;
  const { email } = c.get("accessPayload");
  return email === undefined ? undefined : findMemberByEmail(c.env.DB, email.toLowerCase());
}

/** Counts what could be guessed; 30 in a minute. While it cannot be counted, nobody may guess. */
export async function limitAttempts(c: Reading<AppEnv>, key: string): Promise<void> {
  const { success } = await timely(() => c.env.SIGN_INS.limit({ key })).catch((error: unknown) => {
    logMended("attempts cannot be counted", error);
    throw problem.tryAgain();
  });
  if (!success)
    throw problem.rateLimited(60, "Too many attempts to sign in. Wait a minute, then try again.");
}

/** Sessions that this isolate has seen hold. */
const held = new Map<string, true>();

export function noteSession(hash: string, holds: boolean): void {
  if (!holds) held.delete(hash);
  else if (hash !== "") keepNewest(held, hash, true);
}

/**
 * Asks what the page shows beside the session itself, where that held before: nobody sees it if it holds no more. With
 * any other session nothing is asked, so that made-up ones cost the database no page.
 */
export function askBeside(c: Context, hash: string): Read {
  const ask = <T>(question: Question<T>, params = c.req.param()) =>
    question(readContext(c as Context<AppEnv>), params, c);
  const found = held.has(hash) ? questionOf(c) : undefined;
  const answer = found && ask(found.question, found.params);
  answer?.catch(() => undefined);
  return async <T>(question: Question<T>) =>
    found?.question === question ? (answer as Promise<T>) : ask(question);
}

/** What somebody sent after their session had ended: where to, and what they had written. */
export interface Kept {
  path: string;
  fields: [name: string, value: string][];
}

/** Passwords are not carried through a page; nor are files, which no page of this area sends. */
const secret = new Set(["password", "current", "secret"]);

/** Takes up a form that came without a session; undefined where it held nothing that can be sent again. */
export async function keepSent(c: Context): Promise<Kept | undefined> {
  const { pathname, search } = new URL(c.req.url);
  const path = ownPath(pathname + search);
  const sent = await readSent(c).catch(() => undefined);
  if (path === undefined || sent === undefined) return undefined;
  const fields = Object.entries(sent).flatMap(([name, value]) =>
    [value]
      .flat()
      .filter((each): each is string => typeof each === "string")
      .map((each): [string, string] => [name, each]),
  );
  return { path, fields: fields.filter(([name]) => !secret.has(name)) };
}

function isPair(each: unknown): each is [string, string] {
  return Array.isArray(each) && typeof each[0] === "string" && typeof each[1] === "string";
}

/** As it stood in a hidden input; undefined where somebody else wrote it. */
export function readKept(text: string | undefined): Kept | undefined {
  if (text === undefined || text === "") return undefined;
  try {
    const { path, fields } = JSON.parse(text) as Partial<Kept>;
    const own = typeof path === "string" ? ownPath(path) : undefined;
    if (own === undefined || !Array.isArray(fields)) return undefined;
    return { path: own, fields: fields.filter(isPair) };
  } catch {
    return undefined;
  }
}

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

/** Counts what a member changes, or tries to: 120 in a minute. While it cannot be counted, it goes on. */
export const limitChanges = createMiddleware<AdminEnv>(async (c, next) => {
  if (c.req.method !== "GET" && c.req.method !== "HEAD") {
    const key = c.var.member.id;
    const { success } = await timely(() => c.env.CHANGES.limit({ key })).catch((error: unknown) => {
      logMended("changes of members cannot be counted", error);
      return { success: true };
    });
    if (!success)
      throw problem.rateLimited(60, "Too many changes in a minute. Wait a minute, then try again.");
  }
  await next();
});
