import { DatabaseSync, type StatementSync } from "node:sqlite";
import { copy } from "./copy.ts";
import type { Scheduler } from "./scheduler.ts";

/** The content of an object's disk. It survives every instance. */
export class Disk {
  kv = new Map<string, unknown>();
  alarm: number | null = null;
  #database: DatabaseSync | undefined;
  readonly statements = new Map<string, StatementSync>();
  /** The instance that may write. */
  owner: ObjectStorage | undefined;
  /** Called when an alarm reaches the disk. */
  onAlarm: (time: number | null) => void = () => undefined;

  get database(): DatabaseSync {
    return (this.#database ??= new DatabaseSync(":memory:"));
  }
}

const resetMessage = "Durable Object reset because its storage moved to another instance.";

/**
 * The storage of one instance. The instance sees its writes at once. They reach the disk a little later, all together.
 */
export class ObjectStorage {
  readonly #disk: Disk;
  readonly #scheduler: Scheduler;
  readonly #delayMs: () => number;
  #kv: Map<string, unknown>;
  #alarm: number | null;
  #hasTransaction = false;
  #flush: Promise<void> | undefined;
  #isFlushScheduled = false;
  #finishFlush: (() => void) | undefined;
  /** Called when a write cannot reach the disk. */
  readonly #onBroken: () => void;
  isOpen = true;
  /** The time when the storage closed. Writes from shortly before are lost. */
  closedAt = Infinity;

  constructor(disk: Disk, scheduler: Scheduler, delayMs: () => number, onBroken: () => void) {
    disk.owner?.close();
    disk.owner = this;
    this.#disk = disk;
    this.#scheduler = scheduler;
    this.#delayMs = delayMs;
    this.#onBroken = onBroken;
    this.#kv = new Map(disk.kv);
    this.#alarm = disk.alarm;
  }

  /** Closes the storage and loses all writes that have not reached the disk. */
  close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.closedAt = this.#scheduler.now;
    if (this.#hasTransaction) this.#disk.database.exec("ROLLBACK");
    this.#hasTransaction = false;
    if (this.#disk.owner === this) this.#disk.owner = undefined;
  }

  /** Returns the pending write that messages must wait for. */
  gate(): Promise<void> | undefined {
    return this.#flush;
  }

  #write(isConfirmed: boolean): void {
    if (!this.isOpen) throw new Error(resetMessage);
    if (isConfirmed) {
      this.#flush ??= new Promise((resolve) => {
        this.#finishFlush = resolve;
      });
    }
    if (this.#isFlushScheduled) return;
    this.#isFlushScheduled = true;
    this.#scheduler.after(this.#delayMs(), () => this.#flushNow());
  }

  #flushNow(): void {
    this.#isFlushScheduled = false;
    if (!this.isOpen) {
      this.#onBroken();
      return;
    }
    if (this.#hasTransaction) this.#disk.database.exec("COMMIT");
    this.#hasTransaction = false;
    this.#disk.kv = new Map(this.#kv);
    if (this.#disk.alarm !== this.#alarm) {
      this.#disk.alarm = this.#alarm;
      this.#disk.onAlarm(this.#alarm);
    }
    const finish = this.#finishFlush;
    this.#flush = undefined;
    this.#finishFlush = undefined;
    finish?.();
  }

  /** Clears the alarm when it fires. */
  takeAlarm(): void {
    this.#alarm = null;
    this.#disk.alarm = null;
  }

  readonly kv = {
    get: (key: string) => copy(this.#kv.get(key)),
    put: (key: string, value: unknown) => {
      this.#kv.set(key, copy(value));
      this.#write(true);
    },
    delete: (key: string) => {
      const existed = this.#kv.delete(key);
      if (existed) this.#write(true);
      return existed;
    },
    list: () => [...this.#kv].map(([key, value]) => [key, copy(value)]),
  };

  readonly sql = {
    exec: (text: string, ...values: unknown[]) => {
      if (!this.isOpen) throw new Error(resetMessage);
      const { database } = this.#disk;
      const isRead = /^\s*select\b/i.test(text);
      if (!isRead && !this.#hasTransaction) {
        database.exec("BEGIN");
        this.#hasTransaction = true;
      }
      if (!isRead) this.#write(true);
      if (/^\s*create\b/i.test(text)) {
        database.exec(text);
        return cursor([]);
      }
      let statement = this.#disk.statements.get(text);
      if (!statement) {
        statement = database.prepare(text);
        this.#disk.statements.set(text, statement);
      }
      return cursor(statement.all(...(values as never[])));
    },
  };

  async get(key: string): Promise<unknown> {
    return copy(this.#kv.get(key));
  }

  async put(key: string, value: unknown, { allowUnconfirmed = false } = {}): Promise<void> {
    this.#kv.set(key, copy(value));
    this.#write(!allowUnconfirmed);
  }

  async getAlarm(): Promise<number | null> {
    return this.#alarm;
  }

  async setAlarm(time: number, { allowUnconfirmed = false } = {}): Promise<void> {
    this.#alarm = time;
    this.#write(!allowUnconfirmed);
  }

  async deleteAlarm(): Promise<void> {
    this.#alarm = null;
    this.#write(true);
  }

  async deleteAll(): Promise<void> {
    this.#kv.clear();
    const { database, statements } = this.#disk;
    if (this.#hasTransaction) database.exec("COMMIT");
    this.#hasTransaction = false;
    statements.clear();
    for (const { name } of database
      .prepare("select name from sqlite_master where type = 'table'")
      .all() as { name: string }[]) {
      database.exec(`drop table "${name}"`);
    }
    this.#write(true);
  }

  async sync(): Promise<void> {
    await this.#flush;
  }
}

function cursor(rows: unknown[]) {
  return {
    [Symbol.iterator]: () => rows[Symbol.iterator](),
    toArray: () => rows,
    one: () => {
      if (rows.length !== 1) throw new Error(`Expected one row, got ${rows.length}.`);
      return rows[0];
    },
  };
}
