import type { AppEnv, Reading } from "../../env";
import type { LoggedCall } from "../../gate/call-log";
import { logMended } from "./log";

/**
 * Calls that their credential's object has not been told of. They travel with the credential's next request, so that
 * logging costs no call of its own; when none comes, they are told behind the last answer.
 */
const pending = new Map<string, LoggedCall[]>();

/** How long calls wait for a next request. */
export const waiting = { milliseconds: 1000 };

/** The calls to tell the object of now. */
export function takePending(credentialId: string): LoggedCall[] {
  const calls = pending.get(credentialId) ?? [];
  pending.delete(credentialId);
  return calls;
}

export function noteCall(c: Reading<AppEnv>, credentialId: string, call: LoggedCall): void {
  const calls = pending.get(credentialId);
  if (calls) {
    calls.push(call);
    return;
  }
  pending.set(credentialId, [call]);
  c.executionCtx.waitUntil(tellLater(c.env, credentialId));
}

async function tellLater(env: Bindings, credentialId: string): Promise<void> {
  await scheduler.wait(waiting.milliseconds);
  const calls = takePending(credentialId);
  if (calls.length === 0) return;
  await env.GATE.getByName(credentialId)
    .note(calls)
    .catch((error: unknown) => logMended("calls not logged", error));
}
