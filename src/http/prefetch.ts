import { memoryPart } from "#domain/memory.ts";
import type { ReadContext } from "#actions/context.ts";
import { isNarrow } from "#domain/credential/credential.ts";
import { Problem } from "#domain/problem/problem.ts";
import type { PathParameters, Prefetch, Read, ReadRequest } from "#actions/read.ts";
import type { ReadConstraint } from "#gate/pending-writes.ts";
import { nearest, primary, type Session } from "#store/db/session.ts";
import { readContext } from "./context.ts";
import type { AppEnv, RequestContext } from "./env.ts";
import { keepNewest } from "./isolate-limits.ts";

/** A read that may start before authentication ends. */
export interface EarlyRead {
  prefetch: Prefetch<unknown, never>;
  /**
   * Identifies the operation and the collection. The read starts early only if this isolate has already admitted the
   * credential to them. Undefined for reads that are always cheap.
   */
  admissionKey?: string | undefined;
}

/** The parts of a request that do not depend on the caller. */
export interface RequestPlan {
  /** Whether the request counts against the limit of writes. */
  isWrite: boolean;
  /** In order of preference. The first read includes the results of the later ones. */
  reads: readonly EarlyRead[];
  request: ReadRequest<never>;
}

/** The reads that an operation declares. */
interface PrefetchingOperation {
  prefetch?: Prefetch<unknown, never>;
  admissionKey?: (path: PathParameters) => string;
  target: { prefetch?: Prefetch<unknown, never> };
}

/** Returns the read of the operation and the read of its target, if it has them. */
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

/** The operations and collections to which this isolate has admitted each credential. */
const admittedIn = memoryPart(() => new Map<string, true>());

/**
 * The credentials with a narrow resource that this isolate has seen. Their reads start only after the object of the
 * credential has responded.
 */
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
  // The read runs for a caller with whole collections. Other callers never get its result.
  const caller = { actor: `credential:${credentialId}`, resources: "all" } as const;
  return read && startRead(c, caller, read, request, wantsPrimary(c) ? primary : nearest);
}

function startRead(
  c: RequestContext<AppEnv>,
  caller: ReadCaller,
  read: EarlyRead,
  request: ReadRequest<never>,
  from: typeof primary | typeof nearest,
  constraint?: ReadConstraint,
): PendingRead {
  const session = c.env.databases.openSession(from);
  if (constraint) session.require(constraint);
  const result = read.prefetch(readContext(c, caller, session), request);
  // When the request is rejected, no code awaits this promise.
  result.catch(() => undefined);
  return { ...read, result, session, isUsed: false };
}

/** Forgets the admission for a read that started early but was not used because the request was rejected. */
export function forgetUnused(
  { env: { memory } }: RequestContext<AppEnv>,
  credentialId: string,
  { admissionKey, isUsed }: PendingRead,
): void {
  if (!isUsed && admissionKey !== undefined)
    admittedIn(memory).delete(`${credentialId} ${admissionKey}`);
}

/** Whether the caller requests a read from the primary with `Cache-Control: no-cache`. */
function wantsPrimary({ req }: RequestContext<AppEnv>): boolean {
  return /(^|,)\s*no-cache\s*(,|$)/i.test(req.header("Cache-Control") ?? "");
}

type ReadCaller = Pick<ReadContext, "actor" | "resources">;

/** The started read, and the consequences of the admission for further reads. */
interface AdmittedReads {
  credentialId: string;
  caller: ReadCaller;
  readConstraint: ReadConstraint;
  pendingRead: PendingRead | undefined;
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
  { credentialId, caller, readConstraint, pendingRead: early, onRead }: AdmittedReads,
): Read {
  const narrow = isNarrow(caller.resources);
  if (narrow) keepNewest(narrowIn(c.env.memory), credentialId, true);
  else narrowIn(c.env.memory).delete(credentialId);
  // The early read has read whole collections.
  const pendingRead = narrow ? undefined : early;
  const isUsable = async ({ result, session }: PendingRead): Promise<boolean> => {
    try {
      await result;
      return isWrite || session.covers(readConstraint);
    } catch (error) {
      return session.isFromPrimary() || (error instanceof Problem && error.status >= 500);
    }
  };
  // A change of a view applies like an edit of the credential, so a replica without it must not decide.
  const mayBeOlder = !narrow && !wantsPrimary(c);
  const from = mayBeOlder ? nearest : primary;
  return async <Data>(prefetch: Prefetch<Data, never>): Promise<Data> => {
    const isStarted = pendingRead?.prefetch === prefetch;
    if (isStarted) pendingRead.isUsed = true;
    // The started read fills the caches that this read uses.
    if (!isStarted) await pendingRead?.result.catch(() => undefined);
    const read = reads.find((candidate) => candidate.prefetch === prefetch) ?? { prefetch };
    // An operation reads only after all checks have admitted the credential to it.
    if (read.admissionKey !== undefined)
      keepNewest(admittedIn(c.env.memory), `${credentialId} ${read.admissionKey}`, true);
    const firstRead = isStarted
      ? pendingRead
      : startRead(c, caller, read, request, from, readConstraint);
    const { result, session } = (await isUsable(firstRead))
      ? firstRead
      : startRead(c, caller, read, request, primary);
    // The session knows its versions only when the read has ended.
    try {
      return (await result) as Data;
    } finally {
      onRead(session);
    }
  };
}
