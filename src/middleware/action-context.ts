import { ulid } from "ulid";
import type { ActionContext } from "../actions/context";
import type { Resources } from "../domain/permissions";
import type { AppEnv, Reading } from "../env";
import { logMended } from "./log";

/** What actions are given of a request: who acts, the clock and fresh ids. */
export function actionContext(
  c: Reading<AppEnv>,
  actor: string,
  resources: Resources,
): ActionContext {
  return {
    db: c.env.DB,
    actor,
    resources,
    requestId: c.var.requestId,
    now: () => Date.now(),
    newId: () => ulid(),
    later: (work) => {
      c.executionCtx.waitUntil(
        work().catch((error: unknown) => logMended("work behind an answer failed", error)),
      );
    },
  };
}
