import type { Replay } from "./replays";

/**
 * KV remembers answers to creates for 24 hours, so that a repeat need not reach D1. It lags, and cannot compare and
 * set: the claim in D1 decides who was first, KV only remembers the answer.
 */
export async function recall(
  kv: KVNamespace,
  key: string,
  now: number,
): Promise<Replay | undefined> {
  const replay = await kv.get<Replay>(key, "json");
  return replay && replay.expiresAt > now ? replay : undefined;
}

export async function remember(kv: KVNamespace, key: string, replay: Replay): Promise<void> {
  const expiration = Math.floor(replay.expiresAt / 1000);
  await kv.put(key, JSON.stringify(replay), { expiration });
}
