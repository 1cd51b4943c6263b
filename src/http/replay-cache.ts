import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import type { ReplayCache } from "#actions/context.ts";
import { noIdempotencyKey, type IdempotencyKey } from "#actions/idempotent.ts";
import { sha256 } from "#domain/credential/keys.ts";
import type { PresentedCredential } from "#domain/credential/tokens.ts";
import { idempotencyKeySchema } from "#domain/preconditions.ts";
import { issueErrors } from "#domain/problem/field-errors.ts";
import type { AppEnv, RequestContext } from "./env.ts";
import { type Replay, fetchReplay, putReplay, sweepErasedReplays } from "#store/data/replays.ts";
import { logRecovered, type RecoveredFailure } from "#domain/events.ts";

interface RequestReplayCache extends ReplayCache {
  prefetch(key: string): void;
}

export type ReplayEnv = AppEnv & {
  Variables: {
    presentedCredential: PresentedCredential;
    idempotencyKey: IdempotencyKey;
    replays: ReplayCache;
  };
};

/** An unvalidated key, the header or argument that contained it, and the route that it belongs to. */
interface NamedKey {
  name: string;
  value: unknown;
  route: string;
}

/**
 * Starts the replay lookup for the request's key in parallel with the call of the credential's object. Never waits for
 * the lookup, because the cache has no entry for a first call.
 */
export const prefetchReplay = <E extends ReplayEnv>(
  findKey: (c: Context<E>) => NamedKey | undefined,
) =>
  createMiddleware<E>(async (c, next) => {
    const replays = createReplayCache(c);
    const namedKey = findKey(c);
    const idempotencyKey = namedKey
      ? await buildIdempotencyKey(c.var.presentedCredential, namedKey)
      : noIdempotencyKey;
    if (idempotencyKey.key !== null) replays.prefetch(idempotencyKey.key);
    c.set("idempotencyKey", idempotencyKey);
    c.set("replays", replays);
    await next();
  });

async function buildIdempotencyKey(
  { credentialId }: PresentedCredential,
  { name, value, route }: NamedKey,
): Promise<IdempotencyKey> {
  const result = idempotencyKeySchema().safeParse(value, { reportInput: true });
  if (!result.success) return { key: null, errors: issueErrors(name, result.error.issues) };
  return { key: await sha256(`${credentialId}\n${route}\n${result.data}`), errors: [] };
}

/** Creates the replay cache of a request on KV. D1 also stores replays, so KV errors are only logged. */
export function createReplayCache(c: RequestContext<AppEnv>): RequestReplayCache {
  const replays = new Map<string, Replay>();
  const { timeline } = c.env.databases;
  const runInBackground = (work: Promise<unknown>, failure: RecoveredFailure) =>
    c.executionCtx.waitUntil(work.catch((error: unknown) => logRecovered(c.env, failure, error)));
  return {
    prefetch(key) {
      const lookup = fetchReplay(c.env.replays, timeline, key, c.env.clock.now());
      const loading = lookup.then((replay) => replay && replays.set(key, replay));
      runInBackground(loading, "replay cache unreadable");
    },
    peek: (key) => replays.get(key),
    put: (key, replay) =>
      runInBackground(putReplay(c.env.replays, timeline, key, replay), "replay cache unwritable"),
    purge() {
      const { replays: kv, clock, databases } = c.env;
      const sweeps = databases.dataDatabases().map((db) => sweepErasedReplays(db, kv, clock.now()));
      runInBackground(Promise.all(sweeps), "replay cache unwritable");
    },
  };
}
