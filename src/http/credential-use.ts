import { emptyCallLog, type CallLog } from "#domain/credential/call-log.ts";
import {
  mayHaveNewerUse,
  type Credential,
  type CredentialUse,
} from "#domain/credential/credential.ts";
import { logRecovered } from "#domain/events.ts";
import { withTimeout } from "#store/db/retry.ts";
import type { Service } from "./service.ts";

/** The maximum number of objects that one page asks for their counts. It asks those with the latest use. */
const maxAskedObjects = 100;
/** The maximum time that a page waits for the counts. After it, the page uses the counts of the database. */
const maxWaitMs = 1000;

/**
 * Returns the credentials with the current counts of their objects. The objects write them to the database as rarely as
 * every 15 minutes, so pages ask the objects that may have newer ones, all in parallel.
 */
export async function withCurrentUse<Shown extends Credential>(
  service: Service,
  credentials: readonly Shown[],
): Promise<Shown[]> {
  const now = service.clock.now();
  const recent = credentials
    .filter((credential) => mayHaveNewerUse(credential, now))
    .toSorted((a, b) => (b.lastUsedAt ?? 0) - (a.lastUsedAt ?? 0))
    .slice(0, maxAskedObjects);
  const uses = new Map(
    await Promise.all(recent.map(async ({ id }) => [id, await readUse(service, id)] as const)),
  );
  return credentials.map((credential) => withUse(credential, uses.get(credential.id)));
}

/** Undefined while the object is unreachable. */
async function readUse(service: Service, id: string): Promise<CredentialUse | undefined> {
  try {
    const ask = async () => service.gates.getByName(id).use();
    return await withTimeout<CredentialUse>(service, ask, maxWaitMs);
  } catch (error) {
    logRecovered(service, "counts of calls unreadable", error);
    return undefined;
  }
}

function withUse<Shown extends Credential>(
  credential: Shown,
  use: CredentialUse | undefined,
): Shown {
  // An object that lost its storage has older counts than the database.
  const isNewer = use !== undefined && (use.lastUsedAt ?? 0) >= (credential.lastUsedAt ?? 0);
  return isNewer ? { ...credential, ...use } : credential;
}

type LoggedUse = CallLog & Partial<Pick<CredentialUse, "lastUsedAt">>;

/** Loads the call log from the credential's object. Empty before the first call and while the object is unreachable. */
export async function loadCallLog(
  service: Service,
  { id, called }: Pick<Credential, "id" | "called">,
): Promise<LoggedUse> {
  if (!called) return emptyCallLog();
  try {
    return await withTimeout<LoggedUse>(service, async () => service.gates.getByName(id).report());
  } catch (error) {
    logRecovered(service, "log of calls unreadable", error);
    return emptyCallLog();
  }
}
