import type { Exchanged } from "#domain/credential/credential.ts";
import { problem } from "#domain/problem/problem.ts";
import { type Presented, readBearer } from "#domain/credential/tokens.ts";
import type { Admission, Quota, Quotas } from "#gate/limits.ts";
import { exchangedFor, grantOf, noTicket, type Told } from "#gate/state.ts";
import { findCredential } from "#store/home/credentials.ts";
import { timely } from "#store/db/retry.ts";
import { logMended } from "./log.ts";
import { countHere, bar, isBarred, unbar } from "./isolate-limits.ts";
import { returnNews, takeNews, noteCall, keepNews } from "./gate-reports.ts";
import { createMiddleware } from "hono/factory";
import { signingKeys } from "#domain/credential/keys.ts";
import type { ApiEnv, AppEnv, Reading } from "./env.ts";
import { primary, Session } from "#store/db/session.ts";
import { callerAddress } from "./request.ts";
import { actionContext, readContext } from "./context.ts";
import { declaredEffect } from "#http/doors/effect.ts";
import { askAhead, makeReader } from "./prefetch.ts";

/**
 * Asks the credential's object. When it cannot be reached, authentication falls back to one D1 read, and limiting
 * to what this isolate has counted and the platform's rate-limit binding: the request is served, with limits that are
 * not exact for that while.
 */
export async function admit(
  env: Bindings,
  presented: Presented,
  write: boolean,
): Promise<Admission> {
  const { credentialId } = presented;
  const news = takeNews(credentialId);
  try {
    // A stub is of no use after an exception, so each request takes its own.
    return await timely<Admission>(async () =>
      env.GATE.getByName(credentialId).admit(presented, write, news),
    );
  } catch (error) {
    if (news) returnNews(credentialId, news);
    logMended("credential object unreachable", error);
    return withoutObject(env, presented, write);
  }
}

async function withoutObject(
  env: Bindings,
  presented: Presented,
  write: boolean,
): Promise<Admission> {
  const credential = await readCredential(env, presented);
  const grant = credential && grantOf(credential, presented.proof, Date.now());
  if (!grant) return { verdict: "refused" };
  const { wait, quotas } = countHere(grant.credentialId, grant.limits, write, Date.now());
  if (wait > 0) return { verdict: "limited", grant, retryAfter: Math.ceil(wait / 1000), quotas };
  const success = await countWithoutObject(env, grant.credentialId);
  if (!success) return { verdict: "limited", grant, retryAfter: 60, quotas };
  // What it wrote is not known: its reads ask the primary.
  const seen = { bookmark: null, untold: true, overdue: null };
  return { verdict: "admitted", grant, quotas, seen, ticket: write ? noTicket : null };
}

/** Exchanges a client's secret, by its object or, when that cannot be reached, by one D1 read. */
export async function exchangeSecret(
  env: Bindings,
  presented: Presented,
): Promise<Exchanged | undefined> {
  try {
    return await timely<Exchanged | undefined>(async () =>
      env.GATE.getByName(presented.credentialId).exchange(presented),
    );
  } catch (error) {
    logMended("credential object unreachable", error);
    const credential = await readCredential(env, presented);
    const exchanged = credential && exchangedFor(credential, presented.proof, Date.now());
    if (!exchanged) return undefined;
    const success = await countWithoutObject(env, `exchange ${presented.credentialId}`);
    return success ? exchanged : { retryAfter: 60 };
  }
}

async function countWithoutObject(env: Bindings, key: string): Promise<boolean> {
  const { success } = await timely(() => env.FALLBACK.limit({ key })).catch((error: unknown) => {
    logMended("fallback of the limits unreachable", error);
    throw problem.tryAgain();
  });
  return success;
}

async function readCredential(env: Bindings, { credentialId }: Presented) {
  return findCredential(env.DB, credentialId).catch((error: unknown) => {
    logMended("credential unreadable", error);
    throw problem.tryAgain();
  });
}

type Identified = AppEnv & { Variables: { presented: Presented } };

/**
 * Reads the bearer and checks its signature: a random or mistyped one ends here, without touching storage.
 * RFC 6750, section 2.1.
 */
export const identify = createMiddleware<Identified>(async (c, next) => {
  const header = c.req.header("Authorization");
  const [, bearer] = /^Bearer +([\x21-\x7e]+) *$/i.exec(header ?? "") ?? [];
  const presented =
    bearer && (await readBearer(signingKeys(c.env.TOKEN_SECRET), bearer, Date.now()));
  if (!presented) throw await unauthenticated(c, header !== undefined);
  c.set("presented", presented);
  await next();
});

/**
 * Asks the credential's object, once: is it good, what may it do, and do its limits allow this request. What the route
 * reads is asked beside it.
 */
export const authenticate = createMiddleware<ApiEnv & Identified>(async (c, next) => {
  const started = Date.now();
  const { presented, replays } = c.var;
  const { credentialId } = presented;
  const ahead = isBarred(credentialId, started) ? undefined : askAhead(c);
  const admission = await admit(c.env, presented, declaredEffect(c).write);
  if (admission.verdict === "refused") {
    bar(credentialId, started, null);
    const refused = await unauthenticated(c, true);
    noteCall(c, credentialId, started, refused.status, refused);
    throw refused;
  }
  c.set("grant", admission.grant);
  if (admission.verdict === "limited") {
    bar(credentialId, started, admission.retryAfter);
    const limited = problem.rateLimited(admission.retryAfter);
    Object.assign(limited.headers, quotaHeaders(admission.quotas));
    noteCall(c, credentialId, started, limited.status, limited);
    throw limited;
  }
  unbar(credentialId);
  const { grant, quotas, seen, ticket } = admission;
  const tell = (told: Told) => keepNews(c, credentialId, { told: [told] });
  const noteRead = (session: Session) => {
    const bookmark = session.isSure() ? session.reached() : null;
    if (seen.overdue !== null && bookmark !== null) tell({ overdue: seen.overdue, bookmark });
  };
  c.set("read", makeReader(c, seen, ticket !== null, ahead, noteRead));
  const actor = `credential:${grant.credentialId}` as const;
  // What is not read ahead is read, and all is written, at the primary.
  const own = new Session(c.env.DB, primary);
  c.set("action", actionContext(c, actor, grant, null, replays, readContext(c, own)));
  await next();
  if (ticket !== null && own.isSettled()) tell({ ticket, bookmark: own.reached() });
  noteCall(c, credentialId, started, c.res.status);
  for (const [name, value] of Object.entries(quotaHeaders(quotas))) c.res.headers.set(name, value);
});

/** 401, or 429 for an address that fails too often. */
export async function unauthenticated(c: Reading<AppEnv>, sent: boolean) {
  // A brake that cannot be reached brakes nobody.
  const { success } = await timely(() => c.env.FAILURES.limit({ key: callerAddress(c) })).catch(
    (error: unknown) => {
      logMended("failures cannot be counted", error);
      return { success: true };
    },
  );
  return success
    ? problem.unauthenticated(sent)
    : problem.rateLimited(60, "Too many requests from this address failed to authenticate.");
}

/** draft-ietf-httpapi-ratelimit-headers-11. */
function quotaHeaders(quotas: Quotas): Record<string, string> {
  const named = Object.entries(quotas) as [string, Quota][];
  return {
    "RateLimit-Policy": named.map(([name, { limit }]) => `"${name}";q=${limit};w=60`).join(", "),
    RateLimit: named.map(([name, q]) => `"${name}";r=${q.remaining};t=${q.reset}`).join(", "),
  };
}
