import { memoryPart } from "#domain/memory.ts";
import type { ReadContext } from "#actions/context.ts";
import { isNarrow } from "#domain/credential/credential.ts";
import { Problem } from "#domain/problem/problem.ts";
import type { PathParameters, Prefetch, Read, ReadRequest } from "#actions/read.ts";
import type { ReadConstraint } from "#gate/state.ts";
import { nearest, primary, type Session } from "#store/db/session.ts";
import { readContext } from "./context.ts";
import type { AppEnv, RequestContext } from "./env.ts";
import { keepNewest } from "./isolate-limits.ts";

/** A read that may start before authentication ends. */
export interface EarlyRead {
  prefetch: Prefetch<unknown, never>;
  /**
   * Names what this isolate must have seen the credential admitted to before the read starts early. Undefined for
   * reads with a small bound.
   */
  admissionKey?: string | undefined;
}

/** What a surface knows of a request before the caller is known. */
export interface RequestPlan {
  /** Whether it counts as a write (contract, section 10). */
  isWrite: boolean;
  /** In order of preference. The later ones read a part of what the first one reads. */
  reads: readonly EarlyRead[];
  request: ReadRequest<never>;
}

/** What an operation declares of its reads. */
interface PrefetchingOperation {
  prefetch?: Prefetch<unknown, never>;
  admissionKey?: (path: PathParameters) => string;
  target: { prefetch?: Prefetch<unknown, never> };
}

/** The read of the operation, or of what its path names. */
export function earlyReads(op: PrefetchingOperation, path: PathParameters): EarlyRead[] {
  const { prefetch, target } = op;
  return [
    ...(prefetch ? [{ prefetch, admissionKey: op.admissionKey?.(path) }] : []),
    ...(target.prefetch ? [{ prefetch: target.prefetch }] : []),
  ];
}

/** A started read and its database session. */
interface PendingRead extends EarlyRead {
  result: Promise<unknown>;
  session: Session;
  isUsed: boolean;
}

/** The operations and collections to which this isolate saw each credential admitted. */
const admittedIn = memoryPart(() => new Map<string, true>());

/** The credentials that this isolate saw with a narrow resource. Their reads start once the gate has answered. */
const narrowIn = memoryPart(() => new Map<string, true>());

/** Starts the first read that need not wait for the admission. Reads the nearest replica unless the caller asks for the primary. */
export function startPrefetch(
  c: RequestContext<AppEnv>,
  credentialId: string,
  { reads, request }: RequestPlan,
): PendingRead | undefined {
  const admitted = admittedIn(c.env.memory);
  if (narrowIn(c.env.memory).has(credentialId)) return undefined;
  const read = reads.find(
    ({ admissionKey: key }) => key === undefined || admitted.has(`${credentialId} ${key}`),
  );
  // Only callers who reach whole collections use this read.
  const caller = { actor: `credential:${credentialId}`, resources: "all" } as const;
  return read && startRead(c, caller, read, request, wantsPrimary(c) ? primary : nearest);
}

function startRead(
  c: RequestContext<AppEnv>,
  caller: ReadCaller,
  read: EarlyRead,
  request: ReadRequest<never>,
  from: typeof primary | typeof nearest,
  notBefore: string | null = null,
): PendingRead {
  const session = c.env.databases.openSession(from);
  if (notBefore !== null) session.notBefore(notBefore);
  const result = read.prefetch(readContext(c, caller, session), request);
  // When the request is rejected, no code awaits this promise.
  result.catch(() => undefined);
  return { ...read, result, session, isUsed: false };
}

/** Forgets the admission of a read that was started early and then not used, as the request was refused. */
export function forgetUnused(
  { env: { memory } }: RequestContext<AppEnv>,
  credentialId: string,
  { admissionKey, isUsed }: PendingRead,
): void {
  if (!isUsed && admissionKey !== undefined)
    admittedIn(memory).delete(`${credentialId} ${admissionKey}`);
}

/** `Cache-Control: no-cache` asks for the primary (contract, section 16). */
function wantsPrimary({ req }: RequestContext<AppEnv>): boolean {
  return /(^|,)\s*no-cache\s*(,|$)/i.test(req.header("Cache-Control") ?? "");
}

type ReadCaller = Pick<ReadContext, "actor" | "resources">;

/** What is known of an admitted caller. */
interface AdmittedReads {
  credentialId: string;
  caller: ReadCaller;
  seen: ReadConstraint;
  started: PendingRead | undefined;
  onRead: (session: Session) => void;
}

/**
 * Creates the reader of a request. It returns the prefetched result if that covers the credential's own writes.
 * When a replica's result is stale or a 4xx problem, it reads the primary.
 * A write accepts any version, because its batch contains the guards.
 */
export function createReader(
  c: RequestContext<AppEnv>,
  { isWrite, reads, request }: RequestPlan,
  { credentialId, caller, seen, started: early, onRead }: AdmittedReads,
): Read {
  const narrow = isNarrow(caller.resources);
  if (narrow) keepNewest(narrowIn(c.env.memory), credentialId, true);
  else narrowIn(c.env.memory).delete(credentialId);
  // It read whole collections.
  const started = narrow ? undefined : early;
  const isUsable = async ({ result, session }: PendingRead): Promise<boolean> => {
    try {
      await result;
      return isWrite || session.covers(seen);
    } catch (error) {
      return session.isFromPrimary() || (error instanceof Problem && error.status >= 500);
    }
  };
  const from = () => (seen.untold || wantsPrimary(c) ? primary : nearest);
  return async <Data>(prefetch: Prefetch<Data, never>): Promise<Data> => {
    const isStarted = started?.prefetch === prefetch;
    if (isStarted) started.isUsed = true;
    // The started read fills the caches that this read uses.
    if (!isStarted) await started?.result.catch(() => undefined);
    const read = reads.find((each) => each.prefetch === prefetch) ?? { prefetch };
    // Operations read only what the checks in front of them have admitted.
    if (read.admissionKey !== undefined)
      keepNewest(admittedIn(c.env.memory), `${credentialId} ${read.admissionKey}`, true);
    const first = isStarted ? started : startRead(c, caller, read, request, from(), seen.bookmark);
    const { result, session } = (await isUsable(first))
      ? first
      : startRead(c, caller, read, request, primary);
    onRead(session);
    return result as Promise<Data>;
  };
}
