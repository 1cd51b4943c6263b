import type { WebhookObjects } from "#actions/context.ts";
import { withTimeout } from "#store/db/retry.ts";
import { logRecovered, type LogPort } from "#domain/events.ts";
import type { Timing } from "#domain/ports.ts";
import type { SenderStub } from "./sender.ts";
import { problem } from "#domain/problem/problem.ts";

/** The dependencies of calls to senders. */
interface SendersService extends Timing, LogPort {
  senders: { getByName(id: string): SenderStub };
}

/** The time that a list waits for the health of a webhook. After it, the list shows no health. */
const healthTimeoutMs = 1500;

/** Calls the objects of webhooks, which are named by webhook ID. Throws a retryable problem if one is unreachable. */
export function webhookObjects(service: SendersService): WebhookObjects {
  const { storageMs } = service.timeouts;
  // Sending waits for the receiver, which may take as long as storage.
  const sendTimeoutMs = storageMs * 2;
  const callObject = async <T>(
    id: string,
    run: (stub: SenderStub) => Promise<T>,
    timeoutMs = storageMs,
  ): Promise<T> => {
    try {
      // A stub is unusable after an exception, so each call gets its own.
      return await withTimeout(service, () => run(service.senders.getByName(id)), timeoutMs);
    } catch (error) {
      logRecovered(service, "webhook object unreachable", error);
      throw problem.tryAgain();
    }
  };
  return {
    wake: (id) => callObject(id, async (stub) => stub.wake(id)),
    resume: (id) => callObject(id, async (stub) => stub.resume(id)),
    test: (id) => callObject(id, async (stub) => stub.sendTest(id), sendTimeoutMs),
    redeliver: (id, number, collections) =>
      callObject(id, async (stub) => stub.redeliver(id, number, collections), sendTimeoutMs),
    report: (id, before, limit, collections) =>
      callObject(id, async (stub) => stub.report(before, limit, collections)),
    health: (id) => callObject(id, async (stub) => stub.health(id), healthTimeoutMs),
    forget: (id) => callObject(id, async (stub) => stub.forget()),
  };
}
