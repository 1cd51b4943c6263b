import { ulid } from "ulid";
import { wakeListeners } from "../../actions/webhooks/wake-listeners";
import type { ActionContext, ReplayCache } from "../../actions/context";
import type { Actor } from "../../domain/actor";
import type { AppEnv, Reading } from "../../env";
import { webhookObjects } from "../../hooks/objects";
import { logMended } from "../answers/log";
import { replaysOf } from "./recall-replay";

const now = () => Date.now();

/** What actions are given of a request: who acts, the clock and fresh ids. */
export function actionContext(
  c: Reading<AppEnv>,
  actor: Actor,
  rights: Pick<ActionContext, "permissions" | "resources">,
  session: string | null = null,
  replays: ReplayCache = replaysOf(c),
): ActionContext {
  const later = (work: () => Promise<unknown>) => {
    c.executionCtx.waitUntil(
      work().catch((error: unknown) => logMended("work behind an answer failed", error)),
    );
  };
  return {
    db: c.env.DB,
    actor,
    permissions: rights.permissions,
    resources: rights.resources,
    session,
    replays,
    requestId: c.var.requestId,
    sentRequestId: c.var.sentRequestId,
    now,
    newId: () => ulid(),
    later,
    noteChange: (collectionId) =>
      later(() => wakeListeners(c.env.DB, webhookObjects(c.env), collectionId, now)),
  };
}
