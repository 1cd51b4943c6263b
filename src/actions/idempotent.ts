import { problem, Problem, type FieldError } from "#domain/problem/problem.ts";
import { sleepWithJitter } from "#store/db/retry.ts";
import type { Collection } from "#domain/definition/collection.ts";
import { staysInJurisdiction } from "#domain/definition/location.ts";
import { sha256 } from "#domain/credential/keys.ts";
import type { Timing } from "#domain/ports.ts";
import { toCanonicalJson } from "#domain/json.ts";
import {
  erasedAnswer,
  findReplay,
  isStillThere,
  replayRetentionMs,
  type Claim,
  type AssignedValues,
  type Replay,
} from "#store/data/replays.ts";
import type { ActionContext } from "./context.ts";

/** A conflict means that another write succeeded. Many attempts therefore mean many writers, not a deadlock. */
const maxAttempts = 100;
/** Long enough for 100 writers of one item to take turns. Shorter pauses make most attempts fail again. */
const maxPauseMs = 500;

/** Runs `step` until it returns a result. Undefined means that a concurrent write interfered. */
export async function retryOnConflict<T>(
  ctx: { timing: Timing },
  step: () => Promise<T | undefined>,
): Promise<T> {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    if (attempt > 1) await sleepWithJitter(ctx.timing, Math.min(maxPauseMs, 2 ** attempt));
    const result = await step();
    if (result !== undefined) return result;
  }
  throw problem.tryAgain();
}

/** The Idempotency-Key of a request, and its field errors. */
export interface IdempotencyKey {
  /** SHA-256 of credential, route and key; null when the request has no valid key. */
  key: string | null;
  errors: readonly FieldError[];
}

export const noIdempotencyKey: IdempotencyKey = { key: null, errors: [] };

/** A validated write with its response. The response lacks the values that the database assigns. */
export interface PreparedWrite<ResponseBody> {
  response: ResponseBody;
  /** The response as JSON, stored for replays. */
  responseJson: string;
}

/** An action that runs once per key. */
interface IdempotentAction<Write extends PreparedWrite<unknown>, Response> {
  /** Validates the request against the cached collection. Throws a problem when it is invalid. */
  prepare(): Write | Promise<Write>;
  /**
   * Throws the problem, or a current one that takes precedence.
   * Returns normally when the collection has changed, so that the request is validated again.
   */
  reject(cause: Problem): Promise<void>;
  /** Stores the write and the claim in one batch. Returns undefined after a conflict, to validate again. */
  store(prepared: Write, claim: Claim | null): Promise<StoreResult | undefined>;
  respond(body: Write["response"], assigned: AssignedValues): Response;
}

type StoreResult =
  | { outcome: "created"; assigned: AssignedValues }
  | { outcome: "replayed"; replay: Replay };

export interface IdempotentResult<Response> {
  response: Response;
  /** Whether the key was used before. The response is then the first one, even if the item has changed. */
  isReplay: boolean;
  /** Whether the first request with the key had a different body. */
  hasDifferentBody: boolean;
}

/**
 * Runs an action once per key within 24 hours. The claim in the batch decides which request was first. The cache only
 * saves queries to D1. A key with a stored response returns it, even if the request is invalid now. The key of an
 * erased item returns 404.
 */
export async function runIdempotent<Write extends PreparedWrite<unknown>, Response>(
  ctx: ActionContext,
  collection: Pick<Collection, "id" | "definition">,
  { key }: IdempotencyKey,
  body: unknown,
  action: IdempotentAction<Write, Response>,
): Promise<IdempotentResult<Response>> {
  const fingerprint = key === null ? "" : await sha256(toCanonicalJson(body));
  const toReplayed = (replay: Replay): IdempotentResult<Response> => {
    if (replay.answer === erasedAnswer) throw problem.notFound();
    return {
      response: action.respond(JSON.parse(replay.answer) as Write["response"], replay),
      isReplay: true,
      hasDifferentBody: replay.fingerprint !== fingerprint,
    };
  };
  const cachedReplay = key === null ? undefined : ctx.replays.peek(key);
  // KV does not contain the information that a collection was deleted.
  if (cachedReplay && (await isStillThere(ctx.databases.of(collection))))
    return toReplayed(cachedReplay);
  return retryOnConflict(ctx, async () => {
    const prepared = await prepareOrProblem(() => action.prepare());
    if (prepared instanceof Problem) {
      const db = ctx.databases.of(collection);
      const replay = key === null ? undefined : await findReplay(db, key, ctx.now());
      if (replay) return toReplayed(replay);
      await action.reject(prepared);
      return undefined;
    }
    const { response, responseJson: answer } = prepared;
    const replayValues = { fingerprint, answer, expiresAt: ctx.now() + replayRetentionMs };
    const storeResult = await action.store(
      prepared,
      key === null ? null : { key, ...replayValues },
    );
    if (!storeResult) return undefined;
    if (storeResult.outcome === "replayed") return toReplayed(storeResult.replay);
    const { assigned } = storeResult;
    if (key !== null && !(await staysIn(ctx, collection)))
      ctx.replays.put(key, { ...replayValues, ...assigned });
    return {
      response: action.respond(response, assigned),
      isReplay: false,
      hasDifferentBody: false,
    };
  });
}

/**
 * Whether the definition or the database keeps the data in a jurisdiction. KV does not store data in a jurisdiction.
 */
const staysIn = async (
  { databases }: ActionContext,
  collection: Pick<Collection, "id" | "definition">,
): Promise<boolean> =>
  staysInJurisdiction(collection.definition) ||
  (await databases.jurisdictionOf(collection)) !== null;

/** Returns the prepared write or its problem. Throws a 413 at once, because it takes precedence over a replay. */
async function prepareOrProblem<Write>(
  prepare: () => Write | Promise<Write>,
): Promise<Write | Problem> {
  try {
    return await prepare();
  } catch (error) {
    if (!(error instanceof Problem) || error.status === 413 || error.status >= 500) {
      throw error;
    }
    return error;
  }
}
