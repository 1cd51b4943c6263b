import { emptyCallLog, type CallLog } from "#domain/credential/call-log.ts";
import type { Credential } from "#domain/credential/credential.ts";
import { problem } from "#domain/problem/problem.ts";
import { logRecovered } from "#domain/events.ts";
import { sleepWithJitter, withTimeout, TimeoutError } from "#store/db/retry.ts";
import type { Service } from "./service.ts";

const maxTries = 4;
const baseDelayMs = 25;

/**
 * Pushes a changed credential to its object, so that the change applies to the next request. Returns 503 when the push
 * fails. The object then reloads the credential itself within 60 seconds. Skips credentials that were never used:
 * Cloudflare places an object near its first caller, and that should be the credential's client.
 */
export async function pushCredential(service: Service, credential: Credential): Promise<void> {
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
      if (attempt === maxTries || error instanceof TimeoutError) throw problem.tryAgain(2);
      await sleepWithJitter(service, baseDelayMs * 2 ** attempt);
    }
  }
}

const maxConcurrentPushes = 10;

/** Pushes many credentials with limited concurrency. */
export async function pushCredentials(
  service: Service,
  credentials: readonly Credential[],
): Promise<void> {
  for (let start = 0; start < credentials.length; start += maxConcurrentPushes) {
    const chunk = credentials.slice(start, start + maxConcurrentPushes);
    await Promise.all(chunk.map((credential) => pushCredential(service, credential)));
  }
}

/** Loads the call log from the credential's object. Empty before the first call and while the object is unreachable. */
export async function loadCallLog(
  service: Service,
  { id, called }: Pick<Credential, "id" | "called">,
): Promise<CallLog> {
  if (!called) return emptyCallLog();
  try {
    return await withTimeout<CallLog>(service, async () => service.gates.getByName(id).report());
  } catch (error) {
    logRecovered(service, "log of calls unreadable", error);
    return emptyCallLog();
  }
}
