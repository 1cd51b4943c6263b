import { createMiddleware } from "hono/factory";
import type { ReplayCache } from "../../actions/context";
import { noKey, type SentKey } from "../../actions/once-per-key";
import { sha256 } from "../../domain/credential/signature";
import type { Presented } from "../../domain/credential/token";
import { idempotencyKey, idempotencyKeyHeader } from "../../domain/idempotency-key";
import { namedErrors } from "../../domain/problem/zod-errors";
import type { AppEnv, Reading } from "../../env";
import type { Replay } from "../../store/items/replays";
import { recall, remember } from "../../store/items/replay-cache";
import { logMended } from "../answers/log";
import { effectOf } from "./effect";

interface Asked extends ReplayCache {
  ask(key: string): void;
}

type Recalling = AppEnv & {
  Variables: { presented: Presented; sentKey: SentKey; replays: ReplayCache };
};

/**
 * Where the route does its work once, asks the cache for the answer to the request's key, beside the question to the
 * credential's object, and waits for neither the one nor the other: on a first call the cache cannot know anything.
 */
export const recallReplay = createMiddleware<Recalling>(async (c, next) => {
  const replays = replaysOf(c);
  const sentKey = effectOf(c).once ? await readKey(c) : noKey;
  if (sentKey.key !== null) replays.ask(sentKey.key);
  c.set("sentKey", sentKey);
  c.set("replays", replays);
  await next();
});

async function readKey(c: Reading<Recalling>): Promise<SentKey> {
  const sent = c.req.header(idempotencyKeyHeader);
  if (sent === undefined) return noKey;
  const read = idempotencyKey.safeParse(sent);
  if (!read.success) {
    return { key: null, errors: namedErrors(idempotencyKeyHeader, read.error.issues) };
  }
  const { credentialId } = c.var.presented;
  return { key: await sha256(`${credentialId}\n${c.req.path}\n${read.data}`), errors: [] };
}

/** KV as actions see it. What fails there is made good by D1. */
export function replaysOf(c: Reading<AppEnv>): Asked {
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
