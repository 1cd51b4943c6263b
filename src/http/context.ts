import type { CredentialContext } from "#actions/credentials.ts";
import type { MemberContext } from "#actions/members.ts";
import { wakeListeners } from "#actions/wake-listeners.ts";
import type { ActionContext, ReadContext, ReplayCache, WebhookContext } from "#actions/context.ts";
import { rightsOf, type Role } from "#domain/credential/permissions.ts";
import type { Actor } from "#domain/audit.ts";
import type { AppEnv, RequestContext } from "./env.ts";
import { webhookObjects } from "#delivery/senders.ts";
import { type Session, primaryOnly } from "#store/db/session.ts";
import { withTimeout, sleepWithJitter, TimeoutError } from "#store/db/retry.ts";
import type { Member } from "#store/home/members.ts";
import { cacheCollection, findCachedCollection } from "#store/data/collections.ts";
import { logRecovered } from "#domain/events.ts";
import { withCurrentUse } from "./credential-use.ts";
import { createReplayCache } from "./replay-cache.ts";
import type { Service } from "./service.ts";
import type { Credential } from "#domain/credential/credential.ts";
import { problem } from "#domain/problem/problem.ts";

/** The maximum time of a cache lookup. A slower lookup would take longer than the D1 read that it saves. */
const cacheTimeoutMs = 250;

/** Builds the context of a request's reads. With a session, a replica may serve them. */
export function readContext(
  c: RequestContext<AppEnv>,
  { actor, resources }: Pick<ReadContext, "actor" | "resources">,
  session?: Session,
): ReadContext {
  const service = c.env;
  const { clock, random, memory, cache, databases: primary } = service;
  const now = () => clock.now();
  const runAfterResponse = (work: () => Promise<unknown>) => {
    c.executionCtx.waitUntil(
      work().catch((error: unknown) => logRecovered(service, "background work failed", error)),
    );
  };
  // Each timeline caches its own definitions, because others may give the same stamp to another definition.
  const { epoch } = primary.timeline;
  const root = () => new URL(c.req.url).origin + (epoch && `/.timelines/${epoch}`);
  return {
    databases: session?.databases ?? primary,
    versions: session ?? primaryOnly,
    primary,
    memory,
    timing: service,
    random,
    definitions: {
      find: (kind, key) =>
        withTimeout(
          service,
          () => findCachedCollection(cache, root(), kind, key),
          cacheTimeoutMs,
        ).catch((error: unknown) => {
          logRecovered(service, "cache of definitions unreadable", error);
          return undefined;
        }),
      put: (stored) => runAfterResponse(() => cacheCollection(cache, root(), stored)),
    },
    now,
    actor,
    resources,
    runAfterResponse,
    notifyChange: (collection) =>
      runAfterResponse(() =>
        wakeListeners(
          { databases: primary, memory, now, objects: webhookObjects(service) },
          collection,
        ),
      ),
  };
}

/** Builds the context of a request's actions: the actor with its rights, the clock and new IDs. */
export function actionContext(
  c: RequestContext<AppEnv>,
  actor: Actor,
  rights: Pick<ActionContext, "permissions" | "resources"> & { role?: Role },
  session: string | null = null,
  replays: ReplayCache = createReplayCache(c),
  reads = readContext(c, { actor, resources: rights.resources }),
): ActionContext {
  const { requestId, sentRequestId } = c.var;
  const { clock, random } = c.env;
  return {
    ...reads,
    actor,
    permissions: rights.permissions,
    resources: rights.resources,
    role: rights.role,
    session,
    replays,
    requestId,
    sentRequestId,
    newId: () => random.ulid(clock.now()),
  };
}

interface ActionSource {
  env: Service;
  var: { action: ActionContext };
}

/** Builds the context of actions that manage webhooks. */
export function webhookContext({ env, var: { action } }: ActionSource): WebhookContext {
  return {
    ...action,
    keys: env.keys,
    files: env.files,
    knownLength: (body, bytes) => env.knownLength(body, bytes),
    uploadTimer: () => env.clock.timer(env.timeouts.uploadMs),
    objects: webhookObjects(env),
    allowsLocalReceivers: env.settings.allowsLocalReceivers,
  };
}

/** The dependencies of all actions of a member in the administration area. */
export interface AdminContext extends MemberContext, CredentialContext, WebhookContext {
  member: Member;
}

/** Builds the context of a member's actions. `session` is the hash of its session, or empty. */
export function adminContext(
  c: RequestContext<AppEnv>,
  member: Member,
  session: string,
): AdminContext {
  const { env } = c;
  // The start of the hash identifies the session in the audit and grants no access.
  const sessionLabel = session === "" ? null : session.slice(0, 8);
  const rights = rightsOf(member.role);
  const action = actionContext(c, `member:${member.id}`, rights, sessionLabel);
  return {
    ...webhookContext({ env, var: { action } }),
    member,
    passwords: env.passwords,
    pushCredential: (credential) => pushCredential(env, credential),
    pushCredentials: (credentials) => pushCredentials(env, credentials),
    withCurrentUse: (credentials) => withCurrentUse(env, credentials),
  };
}

const maxPushAttempts = 4;
const baseDelayMs = 25;

/**
 * Pushes a changed credential to its object, so that the change applies to the next request. Returns 503 when the push
 * fails. The object then reloads the credential itself within 60 seconds. Skips credentials that were never used:
 * Cloudflare places an object near its first caller, and that should be the credential's client.
 */
async function pushCredential(service: Service, credential: Credential): Promise<void> {
  if (!credential.called) return;
  const { epoch } = service.databases.timeline;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await withTimeout(service, () =>
        service.gates.getByName(credential.id).change(credential, epoch),
      );
      return;
    } catch (error) {
      logRecovered(service, "credential push failed", error);
      // A retry after a timeout would likely wait just as long.
      if (attempt === maxPushAttempts || error instanceof TimeoutError) throw problem.tryAgain(2);
      await sleepWithJitter(service, baseDelayMs * 2 ** attempt);
    }
  }
}

const maxConcurrentPushes = 10;

/** Pushes many credentials with limited concurrency. */
async function pushCredentials(
  service: Service,
  credentials: readonly Credential[],
): Promise<void> {
  for (let start = 0; start < credentials.length; start += maxConcurrentPushes) {
    const chunk = credentials.slice(start, start + maxConcurrentPushes);
    await Promise.all(chunk.map((credential) => pushCredential(service, credential)));
  }
}
