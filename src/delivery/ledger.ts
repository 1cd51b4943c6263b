import { deliveriesKept, mostDeliveries, type Delivery, type Waiting } from "#domain/webhook/delivery.ts";

export interface Failure extends Waiting {
  /** Whose message it was: it comes first. */
  collection: number;
}

/** How often rows are dropped, and how many at once at most. */
const prunedEach = 50;
const prunedAtOnce = 500;

const columns =
  "number, at, message, type, collection, change, item, attempt, status, milliseconds, answer, error";

/** What a webhook's object keeps: how far it has told each collection, what failed last, and what it has tried. */
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

  get failure(): Failure | null {
    return this.#storage.kv.get<Failure>("failure") ?? null;
  }

  set failure(failure: Failure | null) {
    if (failure) this.#storage.kv.put("failure", failure);
    else if (this.failure) this.#storage.kv.delete("failure");
  }

  /** The last change of each collection that was told or passed over. */
  places(): Map<number, number> {
    const rows = this.#storage.sql.exec<{ collection: number; number: number }>(
      "SELECT collection, number FROM place",
    );
    return new Map([...rows].map(({ collection, number }) => [collection, number]));
  }

  moveTo(collection: number, number: number): void {
    this.#storage.sql.exec(
      "INSERT INTO place VALUES (?, ?) ON CONFLICT DO UPDATE SET number = max(number, excluded.number)",
      collection,
      number,
    );
  }

  /** Keeps a try, and drops those that are too old or too many: the last one stays, so that numbers are given once. */
  add(tried: Omit<Delivery, "number">): Delivery {
    const { sql } = this.#storage;
    const { number } = sql
      .exec<{ number: number }>(
        `INSERT INTO delivery (${columns}) SELECT coalesce(max(number), 0) + 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?
          FROM delivery RETURNING number`,
        tried.at,
        tried.message,
        tried.type,
        tried.collection,
        tried.change,
        tried.item,
        tried.attempt,
        tried.status,
        tried.milliseconds,
        tried.answer,
        tried.error,
      )
      .one();
    if (number % prunedEach === 0) this.#prune(number, tried.at);
    return { ...tried, number };
  }

  #prune(number: number, now: number): void {
    this.#storage.sql.exec(
      `DELETE FROM delivery WHERE number IN (SELECT number FROM
          (SELECT number, at FROM delivery ORDER BY number LIMIT ${prunedAtOnce})
        WHERE number <= ? OR (at < ? AND number < ?))`,
      number - mostDeliveries,
      now - deliveriesKept,
      number,
    );
  }

  find(number: number): Delivery | undefined {
    const [found] = this.#storage.sql.exec(
      `SELECT ${columns} FROM delivery WHERE number = ?`,
      number,
    );
    return found as unknown as Delivery | undefined;
  }

  /** Newest first; none that are older than is told. */
  deliveries(before: number | null, limit: number, since: number): Delivery[] {
    const rows = this.#storage.sql.exec(
      `SELECT ${columns} FROM delivery WHERE number < ? AND at >= ? ORDER BY number DESC LIMIT ?`,
      before ?? Number.MAX_SAFE_INTEGER,
      since,
      limit,
    );
    return [...rows] as unknown as Delivery[];
  }
}
