import { ulid } from "ulid";
import { wakeListeners } from "#actions/wake-listeners.ts";
import type { ActionContext, ReadContext, ReplayCache, WebhookContext } from "#actions/context.ts";
import type { Actor } from "#domain/audit.ts";
import type { AppEnv, Reading } from "./env.ts";
import { webhookObjects, localReceivers } from "#delivery/senders.ts";
import { type Session, ofPrimary } from "#store/db/session.ts";
import { timely } from "#store/db/retry.ts";
import { keepDefinition, recallDefinition } from "#store/data/collections.ts";
import { logMended } from "./log.ts";
import { replayCache } from "./replay-cache.ts";
import { signingKeys } from "#domain/credential/keys.ts";

const now = () => Date.now();

/** A cache that takes longer is no help; milliseconds. */
const cachePatience = 250;

/** What reads are given of a request; by a session, where a replica may answer them. */
export function readContext(c: Reading<AppEnv>, session?: Session): ReadContext {
  const later = (work: () => Promise<unknown>) => {
    c.executionCtx.waitUntil(
      work().catch((error: unknown) => logMended("work behind an answer failed", error)),
    );
  };
  const origin = () => new URL(c.req.url).origin;
  return {
    db: session?.db ?? c.env.DB,
    versions: session ?? ofPrimary,
    primary: c.env.DB,
    definitions: {
      recall: (kind, key) =>
        timely(() => recallDefinition(caches.default, origin(), kind, key), cachePatience).catch(
          (error: unknown) => {
            logMended("cache of definitions unreadable", error);
            return undefined;
          },
        ),
      keep: (stored) => later(() => keepDefinition(caches.default, origin(), stored)),
    },
    now,
    later,
    noteChange: (collectionId) =>
      later(() => wakeListeners(c.env.DB, webhookObjects(c.env), collectionId, now)),
  };
}

/** What actions are given of a request: who acts, the clock and fresh ids. */
export function actionContext(
  c: Reading<AppEnv>,
  actor: Actor,
  rights: Pick<ActionContext, "permissions" | "resources">,
  session: string | null = null,
  replays: ReplayCache = replayCache(c),
  reads = readContext(c),
): ActionContext {
  const { requestId, sentRequestId } = c.var;
  return {
    ...reads,
    actor,
    permissions: rights.permissions,
    resources: rights.resources,
    session,
    replays,
    requestId,
    sentRequestId,
    newId: () => ulid(),
  };
}

interface Acting {
  env: Bindings;
  var: { action: ActionContext };
}

/** What managing webhooks is given of a request. */
export function webhookContext({ env, var: { action } }: Acting): WebhookContext {
  return {
    ...action,
    keys: signingKeys(env.TOKEN_SECRET),
    objects: webhookObjects(env),
    random: () => crypto.getRandomValues(new Uint8Array(32)),
    localReceivers: localReceivers(env),
  };
}
