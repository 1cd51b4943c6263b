import { DurableObject } from "cloudflare:workers";
import { type Credential, type Exchanged, usageOf } from "#domain/credential/credential.ts";
import type { Presented } from "#domain/credential/tokens.ts";
import { findCredential, meetCredential, noteUse } from "#store/home/credentials.ts";
import { addCalls, noCalls, type CallLog, type News } from "./call-log.ts";
import { exchangedFor, grantOf, beginWrite, seenOf, tell, isOlder, readState, stateRow, type Known, type State } from "./state.ts";
import { endReservation, takeRequest, timeOf, type Storing, quotasOf, type Admission, addRequests, emptyWindow, slide, storedWindow, waitFor, windowOf, type SlidingWindow, type StoredWindow } from "./limits.ts";

const minute = 60_000;
/** After this a credential is read again, in case a change did not reach its object. */
const staleAfter = minute;
/** After this it is read again behind the answer, so that no request waits for it. */
const refreshAfter = 30_000;

/**
 * How often lists are told how many calls there were: behind a call, or by an alarm where none comes. Of a new credential
 * they are told as soon as it pauses.
 */
const telling = { every: 15 * minute, atLatest: 60 * minute };
const keptAfterRevocation = 30 * 24 * 60 * minute;

/**
 * One object per credential: it alone says whether a secret is right, what the credential may do, and whether its limits
 * allow a request. It lives in memory; what has to outlive it is one row, stored as seldom as its meter allows. Changes to
 * the credential are stored before they are answered. It holds no timers: it is paid for while one runs.
 */
export class CredentialGate extends DurableObject<Bindings> {
  readonly #state: State;
  readonly #exchanges: SlidingWindow;
  #reading: Promise<Known> | undefined;
  /** When the alarm rings; unknown to an object that starts anew. */
  #alarmAt: number | null | undefined;

  constructor(ctx: DurableObjectState, env: Bindings) {
    super(ctx, env);
    const { kv } = ctx.storage;
    this.#state = readState(kv, Date.now());
    const exchanges = kv.get<StoredWindow>("exchanged");
    this.#exchanges = exchanges ? windowOf(exchanges) : emptyWindow();
  }

  /** `news` is of earlier requests of this credential. */
  async admit(presented: Presented, write: boolean, news?: News): Promise<Admission> {
    if (news) this.#hear(news);
    const credential = await this.#credential(presented.credentialId);
    const { meter, writes, usage } = this.#state;
    const now = timeOf(meter, Date.now());
    const grant = credential && grantOf(credential, presented.proof, now);
    if (!grant) return { verdict: "refused" };
    const { wait, storing } = takeRequest(meter, grant.limits, write, now);
    const quotas = quotasOf(grant.limits, meter.requests, write ? meter.writes : undefined, now);
    if (wait > 0) return { verdict: "limited", grant, retryAfter: Math.ceil(wait / 1000), quotas };
    const seen = seenOf(writes, now);
    const ticket = write ? beginWrite(writes, now) : null;
    Object.assign(usage, { usedAt: now, owed: true });
    this.#tellUsageWhereDue(now, false);
    this.#store(storing);
    return { verdict: "admitted", grant, quotas, seen, ticket };
  }

  /** News that no request takes along, as there is none for a while: what is stored now is exact. */
  note(news: News): void {
    this.#hear(news);
    this.#tellUsageWhereDue(Date.now(), true);
    this.#storeExactly();
  }

  #hear({ calls, told }: News): void {
    addCalls(this.#state.log, calls, Date.now());
    for (const each of told) tell(this.#state.writes, each);
    if (calls.length > 0) this.#state.usage.owed = true;
  }

  /** Reads storage, so that whoever asks learns that objects and their storage answer. */
  async answers(): Promise<void> {
    await this.ctx.storage.get("health", { noCache: true });
  }

  report(): CallLog {
    return this.#state.log;
  }

  /** Checks a client's secret. Exchanges have a window of their own, of as many as its requests. */
  async exchange(presented: Presented): Promise<Exchanged | undefined> {
    const credential = await this.#credential(presented.credentialId);
    const now = timeOf(this.#state.meter, Date.now());
    const exchanged = credential && exchangedFor(credential, presented.proof, now);
    if (!exchanged || !("grant" in exchanged)) return undefined;
    slide(this.#exchanges, now);
    const { requests } = exchanged.grant.limits;
    const wait = waitFor(this.#exchanges, requests, now);
    if (wait > 0) return { retryAfter: Math.ceil(wait / 1000) };
    addRequests(this.#exchanges, requests, now);
    this.ctx.storage.kv.put("exchanged", storedWindow(this.#exchanges));
    return exchanged;
  }

  /**
   * Takes a change at once, unless it knows of a later one. It is stored before this answers, so that no eviction brings
   * the old state back.
   */
  async change(credential: Credential): Promise<void> {
    if (isOlder(credential, this.#state.known)) return;
    this.#state.known = { credential, readAt: Date.now() };
    this.#storeExactly();
    const { revokedAt } = credential;
    if (revokedAt !== null) await this.#wakeBy(revokedAt + keptAfterRevocation);
    await this.ctx.storage.sync();
  }

  /** Tells lists what is owed; and once a credential has been revoked for 30 days, forgets its calls. */
  override async alarm(): Promise<void> {
    this.#alarmAt = null;
    const now = Date.now();
    const { known, usage } = this.#state;
    if (usage.owed) await this.#tellUsage(now);
    const revokedAt = known?.credential?.revokedAt ?? null;
    if (revokedAt === null) return;
    if (now < revokedAt + keptAfterRevocation) {
      await this.#wakeBy(revokedAt + keptAfterRevocation);
      return;
    }
    this.#state.log = noCalls();
    this.#storeExactly();
  }

  async #credential(id: string): Promise<Credential | null> {
    const { known } = this.#state;
    const age = known ? Date.now() - known.readAt : Infinity;
    if (known && age < staleAfter) {
      if (age > refreshAfter) this.ctx.waitUntil(this.#read(id).catch(() => undefined));
      return known.credential;
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
    const before = this.#state.known;
    const readAt = Date.now();
    const find = before?.credential?.called ? findCredential : meetCredential;
    const credential = (await find(this.env.DB, id)) ?? null;
    const { known } = this.#state;
    // A change that arrived while this read was under way is newer than what was read.
    if (known && (known !== before || isOlder(credential, known))) return known;
    this.#state.known = { credential, readAt };
    // A change that no message told of must not come undone; that nothing changed need not be stored.
    if (before && before.credential?.version !== credential?.version) this.#storeExactly();
    return this.#state.known;
  }

  #tellUsageWhereDue(now: number, pausing: boolean): void {
    const { owed, toldAt, counted } = this.#state.usage;
    const due = toldAt === null || now - toldAt >= telling.every || (pausing && !counted);
    if (owed && due) this.ctx.waitUntil(this.#tellUsage(now));
  }

  /** Lists read how many calls there were from the database: they ask no object. */
  async #tellUsage(now: number): Promise<void> {
    const { known, log, usage } = this.#state;
    if (!known?.credential) return;
    // The first use is told before it is known how it was answered.
    Object.assign(usage, { toldAt: now, owed: false, counted: usage.toldAt !== null });
    try {
      await noteUse(this.env.DB, known.credential.id, usage.usedAt, usageOf(log.hours, now));
    } catch {
      Object.assign(usage, { toldAt: now + minute - telling.every, owed: true });
      await this.#wakeBy(now + telling.atLatest);
    }
  }

  #storeExactly(): void {
    endReservation(this.#state.meter);
    this.#store("before");
  }

  /** Before the answer: it waits until this is on disk. Behind it: only the asynchronous put can be told not to wait. */
  #store(storing: Storing): void {
    if (storing === "none") return;
    const { storage } = this.ctx;
    const row = stateRow(this.#state);
    if (storing === "before") storage.kv.put(...row);
    else this.ctx.waitUntil(storage.put(...row, { allowUnconfirmed: true }));
    const { owed, toldAt } = this.#state.usage;
    if (owed) this.ctx.waitUntil(this.#wakeBy((toldAt ?? Date.now()) + telling.atLatest));
  }

  async #wakeBy(time: number): Promise<void> {
    this.#alarmAt ??= await this.ctx.storage.getAlarm();
    if (this.#alarmAt !== null && this.#alarmAt <= time) return;
    this.#alarmAt = time;
    await this.ctx.storage.setAlarm(time, { allowUnconfirmed: true });
  }
}
