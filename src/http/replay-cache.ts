import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import type { ReplayCache } from "#actions/context.ts";
import { noKey, type SentKey } from "#actions/idempotent.ts";
import { sha256 } from "#domain/credential/keys.ts";
import type { Presented } from "#domain/credential/tokens.ts";
import { idempotencyKey, idempotencyKeyHeader } from "#domain/preconditions.ts";
import { namedErrors } from "#domain/problem/field-errors.ts";
import type { AppEnv, Reading } from "./env.ts";
import { type Replay, recall, remember } from "#store/data/replays.ts";
import { logMended } from "./log.ts";
import { declaredEffect } from "#http/doors/effect.ts";

interface Asked extends ReplayCache {
  ask(key: string): void;
}

type Recalling = AppEnv & {
  Variables: { presented: Presented; sentKey: SentKey; replays: ReplayCache };
};

/** A key as it was sent: under which name, and for which route. */
export interface NamedKey {
  name: string;
  sent: unknown;
  route: string;
}

/**
 * Asks the cache for the answer to the request's key, beside the question to the credential's object, and waits for
 * neither the one nor the other: on a first call the cache cannot know anything.
 */
export const recallBy = <E extends Recalling>(keyOf: (c: Context<E>) => NamedKey | undefined) =>
  createMiddleware<E>(async (c, next) => {
    const replays = replayCache(c);
    const named = keyOf(c);
    const sentKey = named ? await readKey(c.var.presented, named) : noKey;
    if (sentKey.key !== null) replays.ask(sentKey.key);
    c.set("sentKey", sentKey);
    c.set("replays", replays);
    await next();
  });

/** By the header, where the route does its work once. */
export const recallReplay = recallBy<Recalling>((c) => {
  const sent = declaredEffect(c).once ? c.req.header(idempotencyKeyHeader) : undefined;
  return sent === undefined ? undefined : { name: idempotencyKeyHeader, sent, route: c.req.path };
});

async function readKey(
  { credentialId }: Presented,
  { name, sent, route }: NamedKey,
): Promise<SentKey> {
  const read = idempotencyKey.safeParse(sent);
  if (!read.success) return { key: null, errors: namedErrors(name, read.error.issues) };
  return { key: await sha256(`${credentialId}\n${route}\n${read.data}`), errors: [] };
}

/** KV as actions see it. What fails there is made good by D1. */
export function replayCache(c: Reading<AppEnv>): Asked {
  const told = new Map<string, Replay>();
  const behind = (work: Promise<unknown>, failure: string) =>
    c.executionCtx.waitUntil(work.catch((error: unknown) => logMended(failure, error)));
  return {
    ask(key) {
      const asked = recall(c.env.REPLAYS, key, Date.now());
      const kept = asked.then((replay) => replay && told.set(key, replay));
      behind(kept, "replay cache unreadable");
    },
    recalled: (key) => told.get(key),
    remember: (key, replay) =>
      behind(remember(c.env.REPLAYS, key, replay), "replay cache unwritable"),
  };
}
