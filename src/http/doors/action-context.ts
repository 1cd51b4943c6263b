import { ulid } from "ulid";
import type { ActionContext } from "../../actions/context";
import type { Actor } from "../../domain/actor";
import type { AppEnv, Reading } from "../../env";
import { logMended } from "../answers/log";

/** What actions are given of a request: who acts, the clock and fresh ids. */
export function actionContext(
  c: Reading<AppEnv>,
  actor: Actor,
  rights: Pick<ActionContext, "permissions" | "resources">,
  session: string | null = null,
): ActionContext {
  return {
    db: c.env.DB,
    actor,
    permissions: rights.permissions,
    resources: rights.resources,
    session,
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
