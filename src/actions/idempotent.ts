import { problem, Problem, type FieldError } from "#domain/problem/problem.ts";
import { pause } from "#store/db/retry.ts";
import { sha256 } from "#domain/credential/keys.ts";
import { canonical } from "#domain/json.ts";
import { findReplay, type Claim, type Given, type Replay } from "#store/data/replays.ts";
import type { ActionContext } from "./context.ts";

/** Each miss means that another write succeeded, so that many tries are many writers and no standstill. */
const mostTries = 100;
const longestPause = 40;

/** Runs `step` until it gives a result; nothing means that somebody else wrote in between, and to look again. */
export async function untilSettled<T>(step: () => Promise<T | undefined>): Promise<T> {
  for (let tries = 0; tries < mostTries; tries += 1) {
    if (tries > 1) await pause(Math.min(longestPause, 2 ** tries));
    const result = await step();
    if (result !== undefined) return result;
  }
  throw problem.tryAgain();
}

/** The Idempotency-Key that a request came with, and what is wrong with it. */
export interface SentKey {
  /** SHA-256 of credential, route and key; null where none was sent that is good. */
  key: string | null;
  errors: readonly FieldError[];
}

export const noKey: SentKey = { key: null, errors: [] };

/** What is to be stored, with what is to be answered but for what the database gives. */
export interface Prepared<Said> {
  said: Said;
  /** The same as JSON: what a replay is made from. */
  written: string;
}

/** Something that is done once for each key. */
interface Deed<Ready extends Prepared<unknown>, Answer> {
  /** Judges what was sent by what is known here, and throws where it refuses it. */
  judge(): Ready | Promise<Ready>;
  /** Throws the refusal, or what stands before it by now; returns where things have changed: it is judged again. */
  refuse(refusal: Problem): Promise<void>;
  /** Stores it in one batch with the claim; nothing where somebody else wrote in between: it is judged again. */
  store(ready: Ready, claim: Claim | null): Promise<Stored | undefined>;
  answer(said: Ready["said"], given: Given): Answer;
}

type Stored = { outcome: "created"; given: Given } | { outcome: "replayed"; replay: Replay };

export interface Once<Answer> {
  answer: Answer;
  /** Set when the key had been used: this is the first answer, whatever has become of what it tells. */
  replayed: boolean;
  /** Whether the key came with another body the first time. */
  mismatch: boolean;
}

const rememberFor = 24 * 60 * 60 * 1000;

/**
 * Does something once for each key, within 24 hours (contract, section 8). The claim in the batch decides who was
 * first; the cache only spares the way to D1. Nothing is refused under a key that has an answer.
 */
export async function oncePerKey<Ready extends Prepared<unknown>, Answer>(
  ctx: ActionContext,
  { key }: SentKey,
  body: unknown,
  deed: Deed<Ready, Answer>,
): Promise<Once<Answer>> {
  const fingerprint = key === null ? "" : await sha256(canonical(body));
  const again = (replay: Replay): Once<Answer> => ({
    answer: deed.answer(JSON.parse(replay.answer) as Ready["said"], replay),
    replayed: true,
    mismatch: replay.fingerprint !== fingerprint,
  });
  const recalled = key === null ? undefined : ctx.replays.recalled(key);
  if (recalled) return again(recalled);
  return untilSettled(async () => {
    const judged = await judgedBy(() => deed.judge());
    if (judged instanceof Problem) {
      const replay = key === null ? undefined : await findReplay(ctx.db, key, ctx.now());
      if (replay) return again(replay);
      await deed.refuse(judged);
      return undefined;
    }
    const { said, written: answer } = judged;
    const remembered = { fingerprint, answer, expiresAt: ctx.now() + rememberFor };
    const stored = await deed.store(judged, key === null ? null : { key, ...remembered });
    if (!stored) return undefined;
    if (stored.outcome === "replayed") return again(stored.replay);
    const { given } = stored;
    if (key !== null) ctx.replays.remember(key, { ...remembered, ...given });
    return { answer: deed.answer(said, given), replayed: false, mismatch: false };
  });
}

/** What is to be stored, or why not. What is too large is told before a replay (contract, section 4). */
async function judgedBy<Ready>(judge: () => Ready | Promise<Ready>): Promise<Ready | Problem> {
  try {
    return await judge();
  } catch (refusal) {
    if (!(refusal instanceof Problem) || refusal.status === 413 || refusal.status >= 500) {
      throw refusal;
    }
    return refusal;
  }
}
