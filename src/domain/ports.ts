/** The ports for non-deterministic inputs, such as time and randomness. Every layer may use them. */

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
  /** Returns a number from 0 to below 1. */
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
}
