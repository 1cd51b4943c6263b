import {
  type Credential,
  type CredentialUse,
  type Grant,
  type ExchangeResult,
  buildUsage,
} from "#domain/credential/credential.ts";
import type { Clock, Random } from "#domain/ports.ts";
import type { PresentedCredential } from "#domain/credential/tokens.ts";
import type { Databases } from "#store/db/database.ts";
import { loadAndSubscribe, recordUse } from "#store/home/credential-use.ts";
import { findCredential } from "#store/home/credentials.ts";
import { addCalls, emptyCallLog, type CallLog } from "#domain/credential/call-log.ts";
import {
  exchangeProof,
  findGrant,
  isOlderThanKnown,
  loadState,
  serializeState,
  usageReporting,
  type GateReport,
  type KnownCredential,
  type GateState,
} from "./state.ts";
import { beginWrite, readConstraintOf, applyWriteReport } from "./pending-writes.ts";
import {
  endReservation,
  takeRequest,
  advanceClock,
  type StoreTiming,
  buildQuotas,
  type Admission,
  type RejectedAdmission,
  type Quotas,
  requestWaitMs,
  addRequests,
  emptyWindow,
  dropExpired,
  serializeWindow,
  computeWaitMs,
  restoreWindow,
  type SlidingWindow,
  type StoredWindow,
} from "./limits.ts";

const minuteMs = 60_000;
/** A credential older than this is read again, in case a change did not reach its object. */
const staleAfterMs = minuteMs;
/** A credential older than this is refreshed in the background, so that no request waits for the read. */
const refreshAfterMs = 30_000;

const revokedRetentionMs = 30 * 24 * 60 * minuteMs;

export interface GateService {
  databases: Pick<Databases, "home" | "timeline">;
  clock: Clock;
  random: Pick<Random, "number">;
}

/** The remote interface of a gate. Each call crosses the network. */
export type GateStub = {
  [Method in Exclude<keyof Gate, "alarm">]: (
    ...args: Parameters<Gate[Method]>
  ) => Promise<Awaited<ReturnType<Gate[Method]>>>;
};

/**
 * One object per credential. It checks secrets, returns grants and applies limits.
 * It works in memory and stores its state in one row, as rarely as exact limits allow.
 * It stores credential changes before it confirms them. It holds no timers, because a running timer costs money.
 */
export class Gate {
  readonly #ctx: DurableObjectState;
  readonly #service: GateService;
  readonly #state: GateState;
  readonly #exchanges: SlidingWindow;
  #pendingRead: Promise<KnownCredential> | undefined;
  /** The time of the alarm. Undefined in a restarted object until the object reads storage. */
  #alarmAt: number | null | undefined;

  constructor(ctx: DurableObjectState, service: GateService) {
    this.#ctx = ctx;
    this.#service = service;
    const { kv } = ctx.storage;
    this.#state = loadState(kv, this.#now(), service.databases.timeline.epoch);
    const exchanges = kv.get<StoredWindow>("exchanged");
    this.#exchanges = exchanges ? restoreWindow(exchanges) : emptyWindow();
  }

  /** Decides on a request and counts it. `report` contains the results of earlier requests of this credential. */
  async admit(
    presented: PresentedCredential,
    isWrite: boolean,
    report?: GateReport,
  ): Promise<Admission> {
    if (report) this.#applyReport(report);
    const credential = await this.#loadCredential(presented.credentialId);
    const { meter, writes, usage } = this.#state;
    const now = advanceClock(meter, this.#now());
    const grant = credential && findGrant(credential, presented.proof, now);
    if (!grant) return { verdict: "refused" };
    const { waitMs, storeTiming } = takeRequest(meter, grant.limits, isWrite, now);
    const quotas = this.#quotasOf(grant, isWrite, now);
    if (waitMs > 0)
      return { verdict: "limited", grant, retryAfter: Math.ceil(waitMs / 1000), quotas };
    const seen = readConstraintOf(writes, now);
    const ticket = isWrite ? beginWrite(writes, now, this.#service.random) : null;
    Object.assign(usage, { usedAt: now, owed: true });
    this.#reportUsageIfDue(now, false);
    this.#store(storeTiming);
    return { verdict: "admitted", grant, quotas, seen, ticket };
  }

  /**
   * Returns the rejection that a request would get now, or null if it would be admitted. Counts nothing. Used while the
   * body of a request is still arriving. `admit` decides later.
   */
  async check(presented: PresentedCredential, isWrite: boolean): Promise<RejectedAdmission | null> {
    const credential = await this.#loadCredential(presented.credentialId);
    const { meter } = this.#state;
    const now = advanceClock(meter, this.#now());
    const grant = credential && findGrant(credential, presented.proof, now);
    if (!grant) return { verdict: "refused" };
    const waitMs = requestWaitMs(meter, grant.limits, isWrite, now);
    if (waitMs === 0) return null;
    const quotas = this.#quotasOf(grant, isWrite, now);
    return { verdict: "limited", grant, retryAfter: Math.ceil(waitMs / 1000), quotas };
  }

  #quotasOf({ limits }: Grant, isWrite: boolean, now: number): Quotas {
    const { requests, writes } = this.#state.meter;
    return buildQuotas(limits, requests, isWrite ? writes : undefined, now);
  }

  /** Applies a report that arrives without a request. It indicates a pause, so this stores the exact state. */
  note(report: GateReport): void {
    this.#applyReport(report);
    this.#reportUsageIfDue(this.#now(), true);
    this.#storeExactly();
  }

  #applyReport({ calls, told }: GateReport): void {
    addCalls(this.#state.log, calls, this.#now());
    for (const write of told) applyWriteReport(this.#state.writes, write);
    if (calls.length > 0) this.#state.usage.owed = true;
  }

  /** Reads storage. The health check calls this to test objects and their storage. */
  async answers(): Promise<void> {
    await this.#ctx.storage.get("health", { noCache: true });
  }

  report(): CallLog & Pick<CredentialUse, "lastUsedAt"> {
    const { log, usage } = this.#state;
    return { ...log, lastUsedAt: usage.usedAt };
  }

  /** Returns the current counts. The database may not contain them yet. */
  use(): CredentialUse {
    const { log, usage } = this.#state;
    return { lastUsedAt: usage.usedAt, usage: buildUsage(log.hours, this.#now()) };
  }

  /** Checks a client's secret. Token exchanges have a separate window with the same limit as requests. */
  async exchange(presented: PresentedCredential): Promise<ExchangeResult | undefined> {
    const credential = await this.#loadCredential(presented.credentialId);
    const now = advanceClock(this.#state.meter, this.#now());
    const exchange = credential && exchangeProof(credential, presented.proof, now);
    if (!exchange || !("grant" in exchange)) return undefined;
    dropExpired(this.#exchanges, now);
    const { requests } = exchange.grant.limits;
    const waitMs = computeWaitMs(this.#exchanges, requests, now);
    if (waitMs > 0) return { retryAfter: Math.ceil(waitMs / 1000) };
    addRequests(this.#exchanges, requests, now);
    this.#ctx.storage.kv.put("exchanged", serializeWindow(this.#exchanges));
    return exchange;
  }

  /**
   * Applies a change unless a newer one is known. Stores the change before it returns,
   * so that an eviction cannot restore the old state. Versions of different timelines cannot be
   * compared, so the object then reads the database, which contains the change.
   */
  async change(credential: Credential, epoch = ""): Promise<void> {
    if (epoch !== this.#state.epoch) {
      await this.#readNow(credential.id);
    } else {
      if (isOlderThanKnown(credential, this.#state.known)) return;
      this.#state.known = { credential, readAt: this.#now() };
    }
    this.#storeExactly();
    const { revokedAt } = credential;
    if (revokedAt !== null) await this.#wakeBy(revokedAt + revokedRetentionMs);
    await this.#ctx.storage.sync();
  }

  /** Writes pending usage counts. Deletes the call log 30 days after the credential was revoked. */
  async alarm(): Promise<void> {
    this.#alarmAt = null;
    const now = this.#now();
    const { known, usage } = this.#state;
    if (usage.owed) await this.#reportUsage(now);
    const revokedAt = known?.credential?.revokedAt ?? null;
    if (revokedAt === null) return;
    if (now < revokedAt + revokedRetentionMs) return this.#wakeBy(revokedAt + revokedRetentionMs);
    this.#state.log = emptyCallLog();
    this.#storeExactly();
  }

  #now(): number {
    return this.#service.clock.now();
  }

  async #loadCredential(id: string): Promise<Credential | null> {
    const { known } = this.#state;
    const age = known ? this.#now() - known.readAt : Infinity;
    if (known && age < staleAfterMs) {
      if (age > refreshAfterMs) this.#ctx.waitUntil(this.#sharedRead(id).catch(() => undefined));
      return known.credential;
    }
    return (await this.#sharedRead(id)).credential;
  }

  /** Shares one read among all requests that wait for it. */
  #sharedRead(id: string): Promise<KnownCredential> {
    this.#pendingRead ??= this.#readNow(id).finally(() => {
      this.#pendingRead = undefined;
    });
    return this.#pendingRead;
  }

  async #readNow(id: string): Promise<KnownCredential> {
    const previous = this.#state.known;
    const readAt = this.#now();
    const find = previous?.credential?.called ? findCredential : loadAndSubscribe;
    const credential = (await find(this.#service.databases.home, id)) ?? null;
    const { known } = this.#state;
    // A change that arrived during this read is newer than the result of the read.
    if (known && (known !== previous || isOlderThanKnown(credential, known))) return known;
    this.#state.known = { credential, readAt };
    // Stores a change that reached the object only through this read, so that an eviction cannot undo it.
    if (previous && previous.credential?.version !== credential?.version) this.#storeExactly();
    return this.#state.known;
  }

  #reportUsageIfDue(now: number, isPause: boolean): void {
    const { owed, toldAt, counted } = this.#state.usage;
    const isDue =
      toldAt === null || now - toldAt >= usageReporting.intervalMs || (isPause && !counted);
    if (owed && isDue) this.#ctx.waitUntil(this.#reportUsage(now));
  }

  /** Writes usage counts to the database, so that lists of credentials need not call the objects. */
  async #reportUsage(now: number): Promise<void> {
    const { known, log, usage } = this.#state;
    if (!known?.credential) return;
    // The first report precedes the log entry of its call, so it contains no counts.
    Object.assign(usage, { toldAt: now, owed: false, counted: usage.toldAt !== null });
    try {
      await recordUse(
        this.#service.databases.home,
        known.credential.id,
        usage.usedAt,
        buildUsage(log.hours, now),
      );
    } catch {
      Object.assign(usage, { toldAt: now + minuteMs - usageReporting.intervalMs, owed: true });
      await this.#wakeBy(now + usageReporting.maxDelayMs);
    }
  }

  #storeExactly(): void {
    endReservation(this.#state.meter);
    this.#store("before");
  }

  /**
   * With `before`, the response waits until the row is on disk. `after` uses the asynchronous put, because only that
   * method accepts `allowUnconfirmed`.
   */
  #store(timing: StoreTiming): void {
    if (timing === "none") return;
    const { storage } = this.#ctx;
    const row = serializeState(this.#state);
    if (timing === "before") storage.kv.put(...row);
    else this.#ctx.waitUntil(storage.put(...row, { allowUnconfirmed: true }));
    const { owed, toldAt } = this.#state.usage;
    if (owed)
      this.#ctx.waitUntil(this.#wakeBy((toldAt ?? this.#now()) + usageReporting.maxDelayMs));
  }

  async #wakeBy(time: number): Promise<void> {
    this.#alarmAt ??= await this.#ctx.storage.getAlarm();
    if (this.#alarmAt !== null && this.#alarmAt <= time) return;
    this.#alarmAt = time;
    await this.#ctx.storage.setAlarm(time, { allowUnconfirmed: true });
  }
}
