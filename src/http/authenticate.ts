import type { ExchangeResult, Grant } from "#domain/credential/credential.ts";
import { problem, type Problem } from "#domain/problem/problem.ts";
import { type PresentedCredential, decodeBearer } from "#domain/credential/tokens.ts";
import type { Admission, Quota, Quotas, RejectedAdmission } from "#gate/limits.ts";
import { exchangeProof, findGrant } from "#gate/state.ts";
import { noTicket, type WriteReport } from "#gate/pending-writes.ts";
import { findCredential } from "#store/home/credentials.ts";
import { withTimeout } from "#store/db/retry.ts";
import { logRecovered } from "#domain/events.ts";
import { countLocally, blockCredential, isBlocked, recordAdmission } from "./isolate-limits.ts";
import { requeueReport, takeReport, recordCall, queueReport, reportNow } from "./gate-reports.ts";
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import type { Service } from "./service.ts";
import type { ApiEnv, AppEnv, RequestContext } from "./env.ts";
import { primary, type Session } from "#store/db/session.ts";
import { countByNetwork } from "./request.ts";
import { actionContext, readContext } from "./context.ts";
import { startPrefetch, createReader, forgetUnused, type RequestPlan } from "./prefetch.ts";

/**
 * Admits a request through the credential's object. When the object is unreachable, one D1 read authenticates.
 * This isolate's counts and the platform's rate limiter then limit the request, so limits are approximate.
 */
async function admit(
  service: Service,
  presentedCredential: PresentedCredential,
  isWrite: boolean,
): Promise<Admission> {
  const { credentialId } = presentedCredential;
  const report = takeReport(service.memory, credentialId);
  try {
    // A stub is unusable after an exception, so each request gets its own.
    return await withTimeout<Admission>(service, async () =>
      service.gates.getByName(credentialId).admit(presentedCredential, isWrite, report),
    );
  } catch (error) {
    if (report) requeueReport(service.memory, credentialId, report);
    logRecovered(service, "credential object unreachable", error);
    return admitWithoutObject(service, presentedCredential, isWrite);
  }
}

async function admitWithoutObject(
  service: Service,
  presentedCredential: PresentedCredential,
  isWrite: boolean,
): Promise<Admission> {
  const credential = await loadCredential(service, presentedCredential);
  const now = service.clock.now();
  const grant = credential && findGrant(credential, presentedCredential.proof, now);
  if (!grant) return { verdict: "refused" };
  const { waitMs, quotas } = countLocally(service.memory, grant, isWrite, now);
  if (waitMs > 0)
    return { verdict: "limited", grant, retryAfter: Math.ceil(waitMs / 1000), quotas };
  const isWithinLimit = await countWithoutObject(service, grant.credentialId);
  if (!isWithinLimit) return { verdict: "limited", grant, retryAfter: 60, quotas };
  // The credential's earlier writes are unknown, so its reads use the primary.
  const seen = { bookmark: null, untold: true, confirmed: [], overdue: null };
  return { verdict: "admitted", grant, quotas, seen, ticket: isWrite ? noTicket : null };
}

/** Exchanges a client's secret through its object, or through one D1 read when the object is unreachable. */
export async function exchangeSecret(
  service: Service,
  presentedCredential: PresentedCredential,
): Promise<ExchangeResult | undefined> {
  try {
    return await withTimeout<ExchangeResult | undefined>(service, async () =>
      service.gates.getByName(presentedCredential.credentialId).exchange(presentedCredential),
    );
  } catch (error) {
    logRecovered(service, "credential object unreachable", error);
    const credential = await loadCredential(service, presentedCredential);
    const exchangeResult =
      credential && exchangeProof(credential, presentedCredential.proof, service.clock.now());
    if (!exchangeResult) return undefined;
    const success = await countWithoutObject(
      service,
      `exchange ${presentedCredential.credentialId}`,
    );
    return success ? exchangeResult : { retryAfter: 60 };
  }
}

async function countWithoutObject(service: Service, key: string): Promise<boolean> {
  const { success } = await withTimeout(service, () =>
    service.limiters.fallback.limit({ key }),
  ).catch((error: unknown) => {
    logRecovered(service, "fallback of the limits unreachable", error);
    throw problem.tryAgain();
  });
  return success;
}

async function loadCredential(service: Service, { credentialId }: PresentedCredential) {
  return findCredential(service.databases.home, credentialId).catch((error: unknown) => {
    logRecovered(service, "credential read failed", error);
    throw problem.tryAgain();
  });
}

export type BearerEnv = AppEnv & { Variables: { presentedCredential: PresentedCredential } };

/**
 * Verifies the signature of the bearer token (RFC 6750, section 2.1).
 * Rejects random and mistyped tokens without a call to storage.
 */
export const verifyBearer = createMiddleware<BearerEnv>(async (c, next) => {
  const header = c.req.header("Authorization");
  const [, bearer] = /^Bearer +([\x21-\x7e]+) *$/i.exec(header ?? "") ?? [];
  const { keys, clock } = c.env;
  const presentedCredential = bearer && (await decodeBearer(keys, bearer, clock.now()));
  if (!presentedCredential) throw await authenticationProblem(c, header !== undefined);
  c.set("presentedCredential", presentedCredential);
  await next();
});

/**
 * Calls the credential's object once to validate the credential, load its grant and apply its limits.
 * Starts the operation's read in parallel. A rejection does not wait for that read.
 */
export const authenticate = <E extends ApiEnv & BearerEnv>(
  buildPlan: (c: Context<E>) => RequestPlan,
) =>
  createMiddleware<E>(async (c, next) => {
    const { memory, clock } = c.env;
    const startedAt = clock.now();
    const { presentedCredential, replays } = c.var;
    const { credentialId } = presentedCredential;
    const plan = buildPlan(c);
    const pendingRead = isBlocked(memory, credentialId, startedAt)
      ? undefined
      : startPrefetch(c, credentialId, plan);
    const admission = await admit(c.env, presentedCredential, plan.isWrite);
    if (admission.verdict !== "admitted") throw await blockAndBuildProblem(c, startedAt, admission);
    const { grant, quotas, seen: readConstraint, ticket } = admission;
    c.set("grant", grant);
    c.set("plan", plan);
    recordAdmission(memory, credentialId, startedAt);
    const reportWrite = (report: WriteReport) => queueReport(c, credentialId, { told: [report] });
    const onRead = (session: Session) => {
      const bookmark = session.isFromPrimary() ? session.newestBookmark() : null;
      if (readConstraint.overdue !== null && bookmark !== null)
        reportWrite({
          overdue: readConstraint.overdue,
          bookmark,
          isOnly: c.env.databases.directory === null,
        });
    };
    const actor = `credential:${grant.credentialId}` as const;
    const caller = { actor, resources: grant.resources };
    c.set(
      "read",
      createReader(c, plan, { credentialId, caller, readConstraint, pendingRead, onRead }),
    );
    // The primary serves all writes, and all reads that were not prefetched.
    const session = c.env.databases.openSession(primary);
    c.set("action", actionContext(c, actor, grant, null, replays, readContext(c, caller, session)));
    await next();
    if (pendingRead) forgetUnused(c, credentialId, pendingRead);
    const bookmark = session.newestBookmark();
    if (ticket === noTicket) {
      if (bookmark !== null) await reportNow(c.env, credentialId, { ticket, bookmark });
    } else if (ticket !== null && session.isSettled()) reportWrite({ ticket, bookmark });
    recordCall(c, credentialId, startedAt, c.res.status);
    for (const [name, value] of Object.entries(quotaHeaders(quotas)))
      c.res.headers.set(name, value);
  });

type SenderContext = RequestContext<ApiEnv & BearerEnv> &
  Pick<Context, "error"> & { set(name: "grant", grant: Grant): void };

/** Blocks a rejected credential in this isolate, records the call and builds its problem. */
async function blockAndBuildProblem(
  c: SenderContext,
  startedAt: number,
  refusal: RejectedAdmission,
): Promise<Problem> {
  const { credentialId } = c.var.presentedCredential;
  const isLimited = refusal.verdict === "limited";
  blockCredential(c.env.memory, credentialId, startedAt, isLimited ? refusal.retryAfter : null);
  if (isLimited) c.set("grant", refusal.grant);
  const rejection = isLimited
    ? problem.rateLimited(refusal.retryAfter, describeLimit(refusal))
    : await authenticationProblem(c, true);
  if (isLimited) Object.assign(rejection.headers, quotaHeaders(refusal.quotas));
  recordCall(c, credentialId, startedAt, rejection.status, rejection);
  return rejection;
}

/**
 * Checks with the credential's object whether it would reject this request, whose body has not arrived yet. Returns
 * undefined if it would not, or if the object is unreachable. `authenticate` decides when the body has arrived.
 */
export async function findEarlyProblem(
  c: SenderContext,
  isWrite: boolean,
): Promise<Problem | undefined> {
  const { presentedCredential } = c.var;
  const startedAt = c.env.clock.now();
  const refusal = await withTimeout(c.env, async () =>
    c.env.gates.getByName(presentedCredential.credentialId).check(presentedCredential, isWrite),
  ).catch((error: unknown) => {
    logRecovered(c.env, "credential object unreachable", error);
    return null;
  });
  return refusal === null ? undefined : blockAndBuildProblem(c, startedAt, refusal);
}

/** Returns a 401, or a 429 for a network that fails to authenticate too often. */
export async function authenticationProblem(c: RequestContext<AppEnv>, hasCredential: boolean) {
  // While the limiter is unreachable, no network is limited.
  const isWithinLimit = await countByNetwork(c, "failures", "").catch((error: unknown) => {
    logRecovered(c.env, "authentication limiter unavailable", error);
    return true;
  });
  return isWithinLimit
    ? problem.unauthenticated(hasCredential)
    : problem.rateLimited(
        60,
        "Too many requests from this address failed to authenticate. Retry in 60 s.",
      );
}

function describeLimit({ quotas, retryAfter }: { quotas: Quotas; retryAfter: number }): string {
  const { default: requests, write: writes } = quotas;
  const isWriteLimit = writes?.remaining === 0 && requests.remaining > 0;
  const [name, { limit }] = isWriteLimit ? ["Write", writes] : ["Request", requests];
  return `${name} limit reached: ${limit} in 60 s. Retry in ${retryAfter} s.`;
}

/** Follows draft-ietf-httpapi-ratelimit-headers-11. */
function quotaHeaders(quotas: Quotas): Record<string, string> {
  const entries = Object.entries(quotas) as [string, Quota][];
  return {
    "RateLimit-Policy": entries.map(([name, { limit }]) => `"${name}";q=${limit};w=60`).join(", "),
    RateLimit: entries.map(([name, q]) => `"${name}";r=${q.remaining};t=${q.reset}`).join(", "),
  };
}
