import type { Context } from "hono";
import { Problem } from "../../domain/problem/problem";
import type { AppEnv, Reading } from "../../env";
import type { LoggedCall } from "../../gate/call-log";
import { logMended } from "./log";
import { loggedPath, refusalOf } from "./logged-call";

/**
 * Calls that their credential's object has not been told of. They travel with the credential's next request, so that
 * logging costs no call of its own; when none comes, they are told behind the last answer.
 */
const pending = new Map<string, LoggedCall[]>();
/** Of one credential at a time; a flood of refused ones beyond that is not told in full. */
const mostPending = 1000;

/** How long calls wait for a next request. */
export const waiting = { milliseconds: 1000 };

/** The calls to tell the object of now. */
export function takePending(credentialId: string): LoggedCall[] {
  const calls = pending.get(credentialId) ?? [];
  pending.delete(credentialId);
  return calls;
}

/** Notes a call that began at `started` and was answered with `status`, or refused as `error` says. */
export function noteCall(
  c: Reading<AppEnv> & Pick<Context, "error">,
  credentialId: string,
  started: number,
  status: number,
  error: unknown = c.error,
): void {
  const refusal = refusalOf(status, error instanceof Problem ? error : undefined);
  keep(c, credentialId, {
    at: started,
    method: c.req.method,
    path: loggedPath(c.req.url),
    status,
    milliseconds: Date.now() - started,
    requestId: c.var.requestId,
    ...(refusal ? { refusal } : {}),
  });
}

function keep(c: Reading<AppEnv>, credentialId: string, call: LoggedCall): void {
  const calls = pending.get(credentialId);
  if (calls) {
    if (calls.length < mostPending) calls.push(call);
    return;
  }
  pending.set(credentialId, [call]);
  c.executionCtx.waitUntil(tellLater(c.env, credentialId));
}

async function tellLater(env: Bindings, credentialId: string): Promise<void> {
  await scheduler.wait(waiting.milliseconds);
  const calls = takePending(credentialId);
  if (calls.length === 0) return;
  try {
    await env.GATE.getByName(credentialId).note(calls);
  } catch (error) {
    logMended("calls not logged", error);
  }
}
