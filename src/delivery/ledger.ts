import type { Resources } from "#domain/credential/credential.ts";
import { sequencesPerCollection } from "#domain/item/item.ts";
import { lowestSequence, type Timeline } from "#domain/timeline.ts";
import {
  deliveryRetentionMs,
  maxDeliveries,
  type Delivery,
  type RetryState,
} from "#domain/webhook/delivery.ts";
import { storePendingRetry } from "#store/home/webhook-status.ts";
import type { SenderService } from "./send.ts";

export interface DeliveryFailure extends RetryState {
  /** The collection of the failed message, which is retried first. */
  collection: number;
  /** The error of the last attempt. Missing in failures that an earlier version stored. */
  error?: string | null;
}

/** The number of attempts after which old rows are deleted. Each time deletes up to `maxPrunedRows`. */
const pruneInterval = 50;
const maxPrunedRows = 500;

const deliveryColumns =
  "number, at, message, type, collection, change, item, attempt, status, milliseconds, answer, error";

/** A position of an earlier timeline, and the lowest number that later timelines assign. */
export interface FormerPosition {
  collection: number;
  number: number;
  below: number;
}

/** The storage of a webhook's object: the position in each collection, the last failure and the attempts. */
export class Ledger {
  readonly #storage: DurableObjectStorage;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    storage.sql
      .exec(`CREATE TABLE IF NOT EXISTS place (collection INTEGER PRIMARY KEY, number INTEGER NOT NULL) STRICT;
      CREATE TABLE IF NOT EXISTS delivery (number INTEGER PRIMARY KEY, at INTEGER NOT NULL, message TEXT NOT NULL,
        type TEXT NOT NULL, collection TEXT, change INTEGER, item TEXT, attempt INTEGER NOT NULL,
        status INTEGER, milliseconds INTEGER NOT NULL, answer TEXT, error TEXT) STRICT;`);
  }

  get id(): string | undefined {
    return this.#storage.kv.get<string>("id");
  }

  set id(id: string) {
    if (this.id !== id) this.#storage.kv.put("id", id);
  }

  get failure(): DeliveryFailure | null {
    return this.#storage.kv.get<DeliveryFailure>("failure") ?? null;
  }

  set failure(failure: DeliveryFailure | null) {
    if (failure) this.#storage.kv.put("failure", failure);
    else if (this.failure) this.#storage.kv.delete("failure");
  }

  /** Returns the last delivered or skipped change of each collection. */
  positions(): Map<number, number> {
    const rows = this.#storage.sql.exec<{ collection: number; number: number }>(
      "SELECT collection, number FROM place",
    );
    return new Map([...rows].map(({ collection, number }) => [collection, number]));
  }

  /** Advances the position in a collection, and in the earlier timelines that contain this change. */
  moveTo(collection: number, changeNumber: number): void {
    this.#storage.sql.exec(
      "INSERT INTO place VALUES (?, ?) ON CONFLICT DO UPDATE SET number = max(number, excluded.number)",
      collection,
      changeNumber,
    );
    if (this.epoch === "") return;
    this.#storage.sql.exec(
      "UPDATE former_place SET number = ? WHERE collection = ? AND below > ? AND number < ?",
      changeNumber,
      collection,
      changeNumber,
      changeNumber,
    );
  }

  /** The timeline of the positions. */
  get epoch(): string {
    return this.#storage.kv.get<string>("epoch") ?? "";
  }

  /** Returns the positions of all earlier timelines, the oldest first. This timeline starts from them. */
  formerPositions(timeline: Timeline): FormerPosition[] {
    const { sql } = this.#storage;
    sql.exec(`CREATE TABLE IF NOT EXISTS former_place (collection INTEGER NOT NULL, below INTEGER NOT NULL,
      number INTEGER NOT NULL, PRIMARY KEY (collection, below)) STRICT, WITHOUT ROWID`);
    const rows = sql.exec(
      `SELECT collection, number, below FROM former_place UNION ALL
        SELECT collection, number, collection * ${sequencesPerCollection} + ? FROM place ORDER BY below`,
      lowestSequence(timeline),
    );
    return [...rows] as unknown as FormerPosition[];
  }

  /** Starts a timeline, with the positions of all earlier ones. Each collection continues from its `start`. */
  beginTimeline(
    { epoch }: Timeline,
    positions: readonly FormerPosition[],
    starts: ReadonlyMap<number, number>,
  ): void {
    const { sql, kv } = this.#storage;
    for (const { collection, below, number } of positions) {
      sql.exec("INSERT OR IGNORE INTO former_place VALUES (?, ?, ?)", collection, below, number);
    }
    for (const [collection, start] of starts)
      sql.exec("UPDATE place SET number = ? WHERE collection = ?", start, collection);
    kv.put("epoch", epoch);
    this.failure = null;
  }

  /** The collection that the next run serves first, because the last run ran out of time before it. */
  get nextCollection(): number {
    return this.#storage.kv.get<number>("next") ?? 0;
  }

  set nextCollection(id: number) {
    if (this.nextCollection !== id) this.#storage.kv.put("next", id);
  }

  /** Stores an attempt and prunes old ones. The newest row always stays, so that no number is reused. */
  addAttempt(attempt: Omit<Delivery, "number">): Delivery {
    const { sql } = this.#storage;
    const { number } = sql
      .exec<{ number: number }>(
        `INSERT INTO delivery (${deliveryColumns}) SELECT coalesce(max(number), 0) + 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?
          FROM delivery RETURNING number`,
        attempt.at,
        attempt.message,
        attempt.type,
        attempt.collection,
        attempt.change,
        attempt.item,
        attempt.attempt,
        attempt.status,
        attempt.milliseconds,
        attempt.answer,
        attempt.error,
      )
      .one();
    if (number % pruneInterval === 0) this.#prune(number, attempt.at);
    return { ...attempt, number };
  }

  #prune(number: number, now: number): void {
    this.#storage.sql.exec(
      `DELETE FROM delivery WHERE number IN (SELECT number FROM
          (SELECT number, at FROM delivery ORDER BY number LIMIT ${maxPrunedRows})
        WHERE number <= ? OR (at < ? AND number < ?))`,
      number - maxDeliveries,
      now - deliveryRetentionMs,
      number,
    );
  }

  /** Counts the attempts to send events since a time, and the accepted ones. */
  countAttempts(since: number): { attempts: number; delivered: number } {
    return this.#storage.sql
      .exec<{ attempts: number; delivered: number }>(
        `SELECT count(*) AS attempts, coalesce(sum(status >= 200 AND status < 300), 0) AS delivered
          FROM delivery WHERE at >= ? AND change IS NOT NULL`,
        since,
      )
      .one();
  }

  findDelivery(number: number): Delivery | undefined {
    const [row] = this.#storage.sql.exec(
      `SELECT ${deliveryColumns} FROM delivery WHERE number = ?`,
      number,
    );
    return row as unknown as Delivery | undefined;
  }

  /** Lists the tests and the attempts for these collections since `since`, newest first. */
  listDeliveries(
    before: number | null,
    limit: number,
    since: number,
    collections: Resources,
  ): Delivery[] {
    const rows = this.#storage.sql.exec(
      `SELECT ${deliveryColumns} FROM delivery WHERE number < ? AND at >= ? AND (? = 'all' OR collection IS NULL
          OR collection IN (SELECT value FROM json_each(?))) ORDER BY number DESC LIMIT ?`,
      before ?? Number.MAX_SAFE_INTEGER,
      since,
      collections === "all" ? collections : "",
      JSON.stringify(collections === "all" ? [] : collections),
      limit,
    );
    return [...rows] as unknown as Delivery[];
  }
}

interface RetryPublication {
  service: Pick<SenderService, "databases">;
  ledger: Ledger;
  id: string;
  /** The time of the next attempt that the database stores. */
  storedRetryAt: number | null;
}

/** Stores the pending retry for readers of the webhook if it has changed. If that fails, the next run repairs it. */
export async function publishRetry(run: RetryPublication): Promise<void> {
  const { failure } = run.ledger;
  const retryAt = failure?.nextAt ?? null;
  if (run.storedRetryAt === retryAt) return;
  run.storedRetryAt = retryAt;
  const lastError = failure?.error ?? null;
  await storePendingRetry(run.service.databases.home, run.id, { retryAt, lastError });
}
