import { DurableObject } from "cloudflare:workers";
import type { Credential, Exchanged, Grant } from "../domain/credential/credential";
import type { Presented } from "../domain/credential/token";
import { findCredential, noteUse } from "../store/credentials/credentials";
import { usageOf } from "../domain/credential/usage";
import { addCalls, noCalls, type CallLog } from "./call-log";
import { exchangedFor, grantOf } from "./grant";
import type { News } from "./news";
import {
  beginWrite,
  seenOf,
  storedWrites,
  tell,
  writesOf,
  type OwnWrites,
  type StoredWrites,
} from "./own-writes";
import { isOlder, type Known } from "./known";
import { quotasOf, type Admission } from "./quota";
import { slide, waitFor, type SlidingWindow } from "./sliding-window";

/** After this a credential is read again, in case a change did not reach its object. */
const staleAfter = 60_000;
/** After this it is read again behind the answer, so that no request waits for it. */
const refreshAfter = 30_000;

const lastUsedPrecision = 60_000;
const saveLogAfter = 2000;
/** How often lists are told how many calls there were; milliseconds. */
const telling = { every: 60_000 };
const keptAfterRevocation = 30 * 24 * 60 * 60 * 1000;

/** The times of the requests and the writes of the last minute, and what was written, as they are stored. */
interface Windows extends StoredWrites {
  requests: Float64Array;
  writes: Float64Array;
}

/**
 * One object per credential: it alone says whether a secret is right, what the credential may do, and whether its
 * limits allow a request. Windows live in memory and are stored behind the answer; changes to the credential are
 * stored before it.
 */
export class CredentialGate extends DurableObject<Bindings> {
  readonly #requests: SlidingWindow;
  readonly #writes: SlidingWindow;
  readonly #exchanges: SlidingWindow;
  readonly #ownWrites: OwnWrites;
  #known: Known | undefined;
  #reading: Promise<Known> | undefined;
  #noted = 0;
  #log: CallLog;
  #logSaving = false;
  /** When lists were last told how many calls there were, and whether there were more since. */
  #usageTold = 0;
  #usageOwed = false;

  constructor(ctx: DurableObjectState, env: Bindings) {
    super(ctx, env);
    const { kv } = ctx.storage;
    const windows = kv.get<Partial<Windows>>("windows");
    this.#requests = { times: [...(windows?.requests ?? [])] };
    this.#writes = { times: [...(windows?.writes ?? [])] };
    // A row that does not tell whether a write is under way leaves it open.
    const { bookmark = null, untoldAt = Date.now() } = windows ?? { untoldAt: null };
    this.#ownWrites = writesOf({ bookmark, untoldAt });
    this.#exchanges = { times: [...(kv.get<Float64Array>("exchanges") ?? [])] };
    this.#known = kv.get<Known>("known");
    this.#log = kv.get<CallLog>("log") ?? noCalls();
    // What was owed before an eviction is not known: it is told again.
    this.#usageOwed = this.#log.calls.length > 0;
  }

  /** `news` is of earlier requests of this credential. */
  async admit(presented: Presented, write: boolean, news?: News): Promise<Admission> {
    if (news) this.note(news);
    const credential = await this.#credential(presented.credentialId);
    const now = this.#now();
    const grant = credential && grantOf(credential, presented.proof, now);
    if (!grant) return { verdict: "refused" };
    this.#noteUse(credential, now);
    return this.#take(grant, write, now);
  }

  /** Keeps calls in the log. They are stored within two seconds, many at a time. */
  note({ calls, told }: News): void {
    for (const each of told) tell(this.#ownWrites, each);
    if (told.length > 0) this.#store();
    addCalls(this.#log, calls, Date.now());
    this.#usageOwed = true;
    if (this.#logSaving) return;
    this.#logSaving = true;
    this.ctx.waitUntil(this.#saveLog());
  }

  async #saveLog(): Promise<void> {
    await scheduler.wait(saveLogAfter);
    this.#logSaving = false;
    await this.ctx.storage.put("log", this.#log, { allowUnconfirmed: true });
    const now = Date.now();
    if (now - this.#usageTold >= telling.every) await this.#tellUsage(now);
    else if ((await this.ctx.storage.getAlarm()) === null)
      await this.ctx.storage.setAlarm(this.#usageTold + telling.every);
  }

  /** Lists read how many calls there were from the database: they ask no object. */
  async #tellUsage(now: number): Promise<void> {
    const id = this.#known?.credential?.id;
    if (id === undefined || !this.#usageOwed) return;
    this.#usageTold = now;
    this.#usageOwed = false;
    const last = this.#log.calls.at(-1)?.at ?? null;
    await noteUse(this.env.DB, id, last, usageOf(this.#log.hours, now)).catch(() => {
      this.#usageOwed = true;
    });
  }

  /** Tells what is owed; and once a credential has been revoked for 30 days, forgets its calls. */
  override async alarm(): Promise<void> {
    const now = Date.now();
    await this.#tellUsage(now);
    const revokedAt = this.#known?.credential?.revokedAt ?? null;
    if (revokedAt === null) return;
    if (now < revokedAt + keptAfterRevocation) {
      await this.ctx.storage.setAlarm(revokedAt + keptAfterRevocation);
      return;
    }
    this.#log = noCalls();
    await this.ctx.storage.delete("log");
  }

  /** Reads storage, so that whoever asks learns that objects and their storage answer. */
  async answers(): Promise<void> {
    await this.ctx.storage.get("health", { noCache: true });
  }

  report(): CallLog {
    return this.#log;
  }

  /** Checks a client's secret. Exchanges have a window of their own, of as many as its requests. */
  async exchange(presented: Presented): Promise<Exchanged | undefined> {
    const credential = await this.#credential(presented.credentialId);
    const now = Math.max(Date.now(), this.#exchanges.times.at(-1) ?? 0);
    const exchanged = credential && exchangedFor(credential, presented.proof, now);
    if (!exchanged || !("grant" in exchanged)) return undefined;
    slide(this.#exchanges, now);
    const wait = waitFor(this.#exchanges, exchanged.grant.limits.requests, now);
    if (wait > 0) return { retryAfter: Math.max(1, Math.ceil(wait / 1000)) };
    this.#exchanges.times.push(now);
    this.#persist("exchanges", Float64Array.from(this.#exchanges.times));
    return exchanged;
  }

  /**
   * Takes a change at once, unless it knows of a later one. It is stored before this answers, so that no eviction brings
   * the old state back.
   */
  async change(credential: Credential): Promise<void> {
    if (isOlder(credential, this.#known)) return;
    this.#known = { credential, readAt: Date.now() };
    this.ctx.storage.kv.put("known", this.#known);
    if (credential.revokedAt !== null) {
      await this.ctx.storage.setAlarm(Math.max(Date.now(), this.#usageTold) + telling.every);
    }
    await this.ctx.storage.sync();
  }

  async #credential(id: string): Promise<Credential | null> {
    const age = this.#known ? Date.now() - this.#known.readAt : Infinity;
    if (this.#known && age < staleAfter) {
      if (age > refreshAfter) this.ctx.waitUntil(this.#read(id).catch(() => undefined));
      return this.#known.credential;
    }
    return (await this.#read(id)).credential;
  }

  /** One read at a time, however many requests wait for it. */
  #read(id: string): Promise<Known> {
    this.#reading ??= this.#readNow(id).finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #readNow(id: string): Promise<Known> {
    const before = this.#known;
    const readAt = Date.now();
    const credential = (await findCredential(this.env.DB, id)) ?? null;
    // A change that arrived while this read was under way is newer than what was read.
    if (this.#known && (this.#known !== before || isOlder(credential, this.#known))) {
      return this.#known;
    }
    this.#known = { credential, readAt };
    this.#persist("known", this.#known);
    return this.#known;
  }

  /** The clock, which never goes back behind a request that was counted. */
  #now(): number {
    return Math.max(Date.now(), this.#requests.times.at(-1) ?? 0);
  }

  /** When a credential was last used is told to the minute, so that it costs one write a minute. */
  #noteUse(credential: Credential, now: number): void {
    const last = Math.max(this.#noted, credential.lastUsedAt ?? 0);
    if (now - last < lastUsedPrecision) return;
    this.#noted = now;
    if (this.#usageOwed) this.#usageTold = now;
    this.#usageOwed = false;
    const usage = usageOf(this.#log.hours, now);
    this.ctx.waitUntil(noteUse(this.env.DB, credential.id, now, usage).catch(() => undefined));
  }

  #take(grant: Grant, write: boolean, now: number): Admission {
    const { limits } = grant;
    slide(this.#requests, now);
    slide(this.#writes, now);
    const wait = Math.max(
      waitFor(this.#requests, limits.requests, now),
      write ? waitFor(this.#writes, limits.writes, now) : 0,
    );
    const quotas = () => quotasOf(limits, this.#requests, write ? this.#writes : undefined, now);
    if (wait > 0) {
      return { verdict: "limited", retryAfter: Math.ceil(wait / 1000), quotas: quotas() };
    }
    this.#requests.times.push(now);
    if (write) this.#writes.times.push(now);
    const seen = seenOf(this.#ownWrites, now);
    const ticket = write ? beginWrite(this.#ownWrites, now) : null;
    this.#store(write);
    return { verdict: "admitted", grant, quotas: quotas(), seen, ticket };
  }

  /** One row, whatever is counted: a row written is what a read costs most. */
  #store(awaited = false): void {
    const windows: Windows = {
      requests: Float64Array.from(this.#requests.times),
      writes: Float64Array.from(this.#writes.times),
      ...storedWrites(this.#ownWrites),
    };
    // That a write is under way has to be on disk before it is.
    if (awaited) this.ctx.storage.kv.put("windows", windows);
    else this.#persist("windows", windows);
  }

  /** Holds up no answer: only the asynchronous put can be told not to close the output gate. */
  #persist(key: string, value: unknown): void {
    this.ctx.waitUntil(this.ctx.storage.put(key, value, { allowUnconfirmed: true }));
  }
}
