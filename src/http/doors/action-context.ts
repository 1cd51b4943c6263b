import { ulid } from "ulid";
import type { ActionContext, ReplayCache } from "../../actions/context";
import type { Actor } from "../../domain/actor";
import type { AppEnv, Reading } from "../../env";
import { logMended } from "../answers/log";
import { replaysOf } from "./recall-replay";

/** What actions are given of a request: who acts, the clock and fresh ids. */
export function actionContext(
  c: Reading<AppEnv>,
  actor: Actor,
  rights: Pick<ActionContext, "permissions" | "resources">,
  session: string | null = null,
  replays: ReplayCache = replaysOf(c),
): ActionContext {
  return {
    db: c.env.DB,
    actor,
    permissions: rights.permissions,
    resources: rights.resources,
    session,
    replays,
    requestId: c.var.requestId,
    sentRequestId: c.var.sentRequestId,
    now: () => Date.now(),
    newId: () => ulid(),
    later: (work) => {
      c.executionCtx.waitUntil(
        work().catch((error: unknown) => logMended("work behind an answer failed", error)),
      );
    },
  };
}
