// The ports for non-deterministic inputs, such as time and randomness. Every layer may use them.

/** A running timer. After `cancel`, `done` never settles. */
export interface Timer {
  readonly done: Promise<void>;
  cancel(): void;
}

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  sleep(ms: number): Promise<void>;
  timer(ms: number): Timer;
}

export interface Random {
  bytes(length: number): Uint8Array;
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  number(): number;
  uuid(): string;
  /** Returns a ULID with the time `now`. */
  ulid(now: number): string;
}

/** The dependencies of timeouts and retries of storage calls. */
export interface Timing {
  clock: Clock;
  random: Pick<Random, "number">;
  timeouts: { storageMs: number };
  /**
   * The maximum time that all batches of this request wait for moves in total. Without it, each batch has its own
   * limit.
   */
  moveWait?: MoveWait;
}

export interface MoveWait {
  /** Set by the first wait. */
  endsAt?: number;
}

/** Waiting times in milliseconds. The optional binding `TIMEOUTS` (JSON) replaces single values. */
export interface Timeouts {
  /** The maximum wait for a response from D1, KV, a Durable Object or a rate limiter. */
  storageMs: number;
  /** The maximum wait for a request's body. */
  bodyMs: number;
  /** The maximum wait for the content of a file. */
  uploadMs: number;
  /** The time after which the service checks the caller of an incomplete body before it continues reading. */
  slowBodyMs: number;
  /** The maximum wait until a webhook receiver starts its response. */
  receiverMs: number;
  /** The maximum wait for the body of that response. */
  receiverRestMs: number;
  /** The delay of the report of a rejected call to its credential's object. A later request may deliver it earlier. */
  refusedReportMs: number;
  /** The delay of the report of a successful call. */
  servedReportMs: number;
  /** The maximum wait for all components of the deep health check. */
  healthMs: number;
  /** The time for which the result of a deep health check is reused. */
  healthCacheMs: number;
}

export const defaultTimeouts: Readonly<Timeouts> = {
  storageMs: 10_000,
  bodyMs: 30_000,
  uploadMs: 15 * 60_000,
  slowBodyMs: 500,
  receiverMs: 10_000,
  receiverRestMs: 1000,
  refusedReportMs: 1000,
  servedReportMs: 7000,
  healthMs: 3000,
  healthCacheMs: 10_000,
};
