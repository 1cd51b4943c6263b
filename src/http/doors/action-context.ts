import { ulid } from "ulid";
import { wakeListeners } from "../../actions/webhooks/wake-listeners";
import type { ActionContext, ReadContext, ReplayCache } from "../../actions/context";
import type { Actor } from "../../domain/actor";
import type { AppEnv, Reading } from "../../env";
import { webhookObjects } from "../../hooks/objects";
import type { Session } from "../../store/db/session";
import { ofPrimary } from "../../store/db/versions";
import { timely } from "../../store/db/attempt";
import { keepDefinition, recallDefinition } from "../../store/definitions/definition-cache";
import { logMended } from "../answers/log";
import { replayCache } from "./recall-replay";

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
