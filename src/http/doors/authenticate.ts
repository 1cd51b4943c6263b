import { createMiddleware } from "hono/factory";
import { problem } from "../../domain/problem/problem";
import { signingKeys } from "../../domain/credential/signature";
import { readBearer } from "../../domain/credential/bearer";
import type { Presented } from "../../domain/credential/token";
import type { ApiEnv, AppEnv, Reading } from "../../env";
import type { Told } from "../../gate/own-writes";
import type { Quota, Quotas } from "../../gate/quota";
import { timely } from "../../store/db/attempt";
import { primary, Session } from "../../store/db/session";
import { callerAddress } from "../request/address";
import { actionContext, readContext } from "./action-context";
import { admit } from "./admit";
import { bar, isBarred, unbar } from "./barred";
import { declaredEffect } from "./effect";
import { askAhead, makeReader } from "./reading";
import { noteCall } from "../answers/call-log";
import { keepNews } from "../answers/news";
import { logMended } from "../answers/log";

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
