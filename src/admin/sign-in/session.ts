import type { Context } from "hono";
import type { CollectionKind } from "#domain/definition/collection.ts";
import type { AdminEnv, AppEnv, RequestContext, PagePrefetch, ReadPage } from "#http/env.ts";
import { problem } from "#domain/problem/problem.ts";
import { describeDevice } from "#domain/device.ts";
import { logRecovered } from "#domain/events.ts";
import { callerNetworks, countByKey, countByNetwork } from "#http/request.ts";
import { maxBodyBytes } from "#http/body.ts";
import { maxAnonymousBodyBytes } from "#http/read-body.ts";
import { readContext, actionContext, adminContext } from "#http/context.ts";
import { memoryPart, type Memory } from "#domain/memory.ts";
import type { Service } from "#http/service.ts";
import { keepNewest } from "#http/isolate-limits.ts";
import { adminPath, readForm, wantsJson } from "#admin/form-input.ts";
import { localize, repeatPreferences, viewerOf } from "#admin/preferences.ts";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { createMiddleware } from "hono/factory";
import { sha256, openSignedSecret } from "#domain/credential/keys.ts";
import type { Member } from "#store/home/members.ts";
import { findAccessMember, findSessionMember, recordSessionUse } from "#actions/members.ts";
import { findAccessEmail, usesAccess } from "./access.ts";
import { renderSignIn } from "./pages.tsx";

/** Allows 30 attempts to guess a secret per minute. Rejects all attempts while the limiter is unreachable. */
export async function limitAttempts(c: RequestContext<AppEnv>, key: string): Promise<void> {
  await requireAttempt(c, () => countByKey(c, "signIns", key));
}

async function requireAttempt(
  c: RequestContext<AppEnv>,
  count: () => Promise<boolean>,
): Promise<void> {
  const isWithinLimit = await count().catch((error: unknown) => {
    logRecovered(c.env, "sign-in limiter unavailable", error);
    throw problem.tryAgain();
  });
  if (!isWithinLimit)
    throw problem.rateLimited(60, "Too many sign-in attempts. Wait a minute, then try again.");
}

/** Sessions that were valid when this isolate last checked them. */
const validSessionsIn = memoryPart(() => new Map<string, true>());

function recordSession(memory: Memory, hash: string, isValid: boolean): void {
  const validSessions = validSessionsIn(memory);
  if (!isValid) validSessions.delete(hash);
  else if (hash !== "") keepNewest(validSessions, hash, true);
}

/**
 * Declares the read of a list. Must precede `requireSession`, so that the read runs in parallel with the session check.
 */
export const startsEarly = (prefetch: PagePrefetch<unknown>, kind: CollectionKind) =>
  createMiddleware<AdminEnv>(async (c, next) => {
    const key = c.req.param("key") ?? "";
    c.set("earlyPage", { prefetch, key, list: `${kind}:${key}` });
    await next();
  });

/** Every member sees all apps and forms. */
const unknownMember = { actor: "nobody", resources: "all" } as const;

/**
 * Starts the page's read in parallel with the session check, if the session was valid before. Discards the result if
 * the session has ended. Starts no read for unknown sessions, so that invented ones cost nothing.
 */
function prefetchPage(c: Context<AdminEnv>, hash: string): ReadPage {
  const { earlyPage } = c.var;
  const { zone } = viewerOf(c);
  const runRead = <Data>(prefetch: PagePrefetch<Data>, key: string) =>
    prefetch(readContext(c, unknownMember), key, c);
  const early = validSessionsIn(c.env.memory).has(hash) ? earlyPage : undefined;
  const result = early && runRead(early.prefetch, early.key);
  result?.catch(() => undefined);
  // The member may have chosen another zone than this browser. Days in that zone begin at other times.
  return async <Data>(prefetch: PagePrefetch<Data>) =>
    early?.prefetch === prefetch && viewerOf(c).zone === zone
      ? (result as Promise<Data>)
      : runRead(prefetch, c.req.param("key") ?? "");
}

/** A form that a member sent after the session ended, with its path and its fields. */
export interface SavedForm {
  path: string;
  fields: [name: string, value: string][];
}

/** Fields that a saved form never contains. A saved form contains no files either. */
const secretFields = new Set(["password", "current", "secret"]);

/** The space for the other fields of the sign-in form. */
const signInFieldsLength = 4096;

/** Saves a form that arrived without a session. Returns undefined if it cannot be resubmitted. */
async function saveForm(c: Context<AdminEnv>): Promise<SavedForm | undefined> {
  const { pathname, search } = new URL(c.req.url);
  const path = adminPath(pathname + search);
  const form = await readForm(c).catch(() => undefined);
  if (path === undefined || form === undefined) return undefined;
  const fields = Object.entries(form).flatMap(([name, value]) =>
    [value]
      .flat()
      .filter((text): text is string => typeof text === "string")
      .map((text): [string, string] => [name, text]),
  );
  const savedForm = { path, fields: fields.filter(([name]) => !secretFields.has(name)) };
  // The sign-in form contains the saved form and its own fields.
  const { length } = new URLSearchParams({ kept: JSON.stringify(savedForm) }).toString();
  const most = (await isKnownCaller(c)) ? maxBodyBytes : maxAnonymousBodyBytes;
  return length + signInFieldsLength <= most ? savedForm : undefined;
}

function isPair(field: unknown): field is [string, string] {
  return Array.isArray(field) && typeof field[0] === "string" && typeof field[1] === "string";
}

/** Parses a saved form from a hidden input. Returns undefined for invalid or tampered input. */
export function readSavedForm(text: string | undefined): SavedForm | undefined {
  if (text === undefined || text === "") return undefined;
  try {
    const { path, fields } = JSON.parse(text) as Partial<SavedForm>;
    const safePath = typeof path === "string" ? adminPath(path) : undefined;
    if (safePath === undefined || !Array.isArray(fields)) return undefined;
    return { path: safePath, fields: fields.filter(isPair) };
  } catch {
    return undefined;
  }
}

const cookieName = "session";

/** Returns the session ID of the cookie if the service signed it. The session may have ended. */
export async function findSignedSession(c: Context): Promise<string | undefined> {
  const sessionId = getCookie(c, cookieName, "host");
  const { keys } = c.env as Service;
  const isSigned =
    sessionId !== undefined && (await openSignedSecret(keys, "session", sessionId)) !== undefined;
  return isSigned ? sessionId : undefined;
}

/** Whether the caller has a signed session or a verified token of Access. Reads no storage. */
export async function isKnownCaller(c: Context<AdminEnv>): Promise<boolean> {
  const identity = usesAccess(c.env) ? await findAccessEmail(c) : await findSignedSession(c);
  return identity !== undefined;
}

/** Sets `__Host-session`, which is limited to this host and TLS (or localhost) and hidden from scripts. */
export function setSessionCookie(c: Context, sessionId: string, maxAge: number): void {
  setCookie(c, cookieName, sessionId, { prefix: "host", httpOnly: true, sameSite: "Lax", maxAge });
}

export function clearSessionCookie(c: Context): void {
  deleteCookie(c, cookieName, { prefix: "host", secure: true, path: "/" });
}

async function findMember(c: Context<AdminEnv>, sessionHash: string) {
  const { clock, databases } = c.env;
  const list = c.var.earlyPage?.list;
  if (!usesAccess(c.env)) {
    const session = await findSessionMember(databases.home, sessionHash, clock.now(), list);
    if (session) recordUseAfterResponse(c, sessionHash, session.seenAt);
    return session?.member;
  }
  const email = await findAccessEmail(c);
  return email === undefined ? undefined : findAccessMember(databases.home, email, list);
}

/** Returns the signed-in member, for pages outside of the area. Undefined without a session. */
export async function findReader(c: Context<AdminEnv>): Promise<Member | undefined> {
  const sessionId = await findSignedSession(c);
  if (sessionId === undefined && !usesAccess(c.env)) return undefined;
  return findMember(c, sessionId === undefined ? "" : await sha256(sessionId));
}

function recordUseAfterResponse(c: Context<AdminEnv>, sessionHash: string, seenAt: number): void {
  const { clock, databases } = c.env;
  const work = recordSessionUse(databases.home, sessionHash, { seenAt, now: clock.now() });
  c.executionCtx.waitUntil(
    work.catch((error: unknown) => logRecovered(c.env, "background work failed", error)),
  );
}

/** Admits only members. Other callers get the sign-in page, or a 401 if they accept JSON. */
export const requireSession = createMiddleware<AdminEnv>(async (c, next) => {
  const sessionId = await findSignedSession(c);
  const hash = sessionId === undefined ? "" : await sha256(sessionId);
  const read = prefetchPage(c, hash);
  const listingMember = await findMember(c, hash);
  recordSession(c.env.memory, hash, listingMember !== undefined);
  if (!listingMember) {
    if (wantsJson(c)) throw problem.unauthenticated(sessionId !== undefined);
    return sendToSignIn(c);
  }
  const { settings, ...member } = listingMember;
  c.set("member", member);
  repeatPreferences(c, member);
  c.set("listSettings", settings);
  c.set("session", hash);
  c.set("action", adminContext(c, member, hash));
  c.set("read", read);
  await next();
  return undefined;
});

/** Sends the sign-in page. After signing in, members return to their page or resubmit their form. */
async function sendToSignIn(c: Context<AdminEnv>): Promise<Response> {
  if (c.req.method === "GET" || c.req.method === "HEAD") {
    const { pathname, search } = new URL(c.req.url);
    const returnPath = adminPath(pathname + search);
    const hasReturnPath =
      returnPath !== undefined && returnPath !== "/admin" && returnPath !== "/admin/";
    return c.redirect(
      `/admin/sign-in${hasReturnPath ? `?to=${encodeURIComponent(returnPath)}` : ""}`,
      303,
    );
  }
  // Only the page of a sign-in with a password can resubmit a form.
  const savedForm = usesAccess(c.env) ? undefined : await saveForm(c);
  return c.html(renderSignIn(localize(c), savedForm, savedForm === undefined), 401);
}

/** Builds the context of actions before sign-in. */
export function signInContext(c: RequestContext<AppEnv>) {
  const context = actionContext(c, "nobody", { permissions: [], resources: [] });
  return {
    ...context,
    keys: c.env.keys,
    passwords: c.env.passwords,
    network: callerNetworks(c).narrow,
    device: describeDevice(c.req.header("User-Agent") ?? ""),
    limitAttempts: (name: string) => limitAttempts(c, name),
    limitAttemptsOfNetwork: () => requireAttempt(c, () => countByNetwork(c, "signIns", "address ")),
  };
}

/** Allows a member 120 attempted changes per minute, and all changes while the limiter is unreachable. */
export const limitChanges = createMiddleware<AdminEnv>(async (c, next) => {
  if (c.req.method !== "GET" && c.req.method !== "HEAD") {
    const isWithinLimit = await countByKey(c, "changes", c.var.member.id).catch(
      (error: unknown) => {
        logRecovered(c.env, "admin limiter unavailable", error);
        return true;
      },
    );
    if (!isWithinLimit)
      throw problem.rateLimited(60, "Too many changes. Wait a minute, then try again.");
  }
  await next();
});
