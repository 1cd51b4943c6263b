import type { Actor, AuditAction, AuditDetail } from "#domain/audit.ts";
import type { Memory } from "#domain/memory.ts";
import type { Random, Timer, Timing } from "#domain/ports.ts";
import type { Permission, Role } from "#domain/credential/permissions.ts";
import type { Resources } from "#domain/credential/credential.ts";
import type { Collection } from "#domain/definition/collection.ts";
import type { FieldError } from "#domain/problem/problem.ts";
import type { AuditedItemAction } from "#domain/item/change.ts";
import type { AuditRecord } from "#store/home/audit.ts";
import type { DefinitionCache } from "#store/data/collections.ts";
import type { ItemAuditRecord } from "#store/data/changes.ts";
import type { FileStore } from "#store/data/file-store.ts";
import type { DataDatabase, Databases } from "#store/db/database.ts";
import { primaryOnly, type VersionTracker } from "#store/db/session.ts";
import type { Replay } from "#store/data/replays.ts";
import type { SigningKeys } from "#domain/credential/keys.ts";
import type { Delivery, DeliveryReport, DeliveryHealth } from "#domain/webhook/delivery.ts";

/** Caches the responses to requests with an Idempotency-Key. It may lag or be unavailable. D1 is authoritative. */
export interface ReplayCache {
  /** Returns the cached response if the lookup, which started with the request, has ended. Never waits. */
  peek(key: string): Replay | undefined;
  /** Stores the replay after the response. */
  put(key: string, replay: Replay): void;
  /** Deletes the cached responses of erased items after the response. */
  purge(): void;
}

/** Identifies a collection by its id and by its name. */
export type CollectionReference = Pick<Collection, "id" | "kind" | "key">;

/** The dependencies of a read. It has no caller, so a read can start before authentication ends. */
export interface ReadContext {
  databases: Databases;
  /** Tracks the database version that the reads of `databases` return. */
  versions: VersionTracker;
  /** The databases for work after the response. They query only the primary. */
  primary: Databases;
  definitions: DefinitionCache;
  memory: Memory;
  timing: Timing;
  random: Random;
  /** Milliseconds since 1970. */
  now(): number;
  /** Runs the work after the response. */
  runAfterResponse(work: () => Promise<unknown>): void;
  /** The caller that the request claims to be. Its token is genuine, but may be revoked. */
  actor: Actor;
  /**
   * The resources of the caller. A read that starts before the caller is known assumes all resources. Callers with
   * access to only part of a collection never get its result.
   */
  resources: Resources;
  /** Wakes the webhooks that listen to a changed collection, after the response. */
  notifyChange(collection: CollectionReference): void;
}

/** Returns the same context for reads that only the primary may serve. */
export function primaryContext(ctx: ReadContext): ReadContext {
  return { ...ctx, databases: ctx.primary, versions: primaryOnly };
}

/** The dependencies of background work on stored items, which belongs to no request. */
export type BackgroundContext = Pick<ReadContext, "databases" | "memory" | "now" | "random">;

/** The same dependencies, limited to one data database. */
export interface DataContext extends Omit<BackgroundContext, "databases"> {
  db: DataDatabase;
}

/** The marks of definitions (`definitionMark`), by collections like `form:purchase`. */
export type ShownDefinitions = ReadonlyMap<string, string>;

/** The dependencies of an action: its actor, the rights of the actor, and a source of ids. */
export interface ActionContext extends ReadContext {
  permissions: readonly Permission[];
  /** The role of the acting member. Absent for credentials. */
  role?: Role | undefined;
  /** The start of the hash of a member's session; null for credentials. */
  session: string | null;
  replays: ReplayCache;
  requestId: string;
  /**
   * Errors of the query. The action reports them with the errors of the body, after 412 and the 409 of a closed form.
   */
  queryErrors?: readonly FieldError[];
  /** The definitions whose views a page described to the member. */
  shownDefinitions?: ShownDefinitions;
  /** The caller's X-Request-Id. It is stored in addition to our own id. */
  sentRequestId: string | null;
  /** Returns a new ULID. */
  newId(): string;
}

/** Builds the audit record of an item change. */
export function itemAuditRecord(
  ctx: ActionContext,
  action: AuditedItemAction,
  at = ctx.now(),
): ItemAuditRecord {
  const { actor, session, requestId, sentRequestId } = ctx;
  return { at, actor, action, session, requestId, sentRequestId };
}

/** Builds an audit entry for an action of this context's actor. */
export function auditRecord(
  ctx: ActionContext,
  action: AuditAction,
  subject: string,
  details: { collectionId?: number; version?: number; detail?: AuditDetail | undefined } = {},
): AuditRecord {
  return {
    at: ctx.now(),
    actor: ctx.actor,
    action,
    subject,
    collectionId: details.collectionId ?? null,
    version: details.version ?? null,
    session: ctx.session,
    requestId: ctx.requestId,
    sentRequestId: ctx.sentRequestId,
    detail: details.detail ? JSON.stringify(details.detail) : null,
  };
}

/** Calls the Durable Objects of webhooks. Each object sends the messages of one webhook. */
export interface WebhookObjects {
  /** Reports possible changes. Returns the milliseconds until the object reads the feed. */
  wake(id: string): Promise<number>;
  /** Clears the failure and retries now. */
  resume(id: string): Promise<void>;
  /** Sends a test message, which contains no change. */
  test(id: string): Promise<Delivery>;
  /** Sends a message again. Returns undefined when these collections have no such delivery. */
  redeliver(id: string, number: number, collections: Resources): Promise<Delivery | undefined>;
  /** Returns the deliveries of these collections with a number below `before`, newest first. */
  report(
    id: string,
    before: number | null,
    limit: number,
    collections: Resources,
  ): Promise<DeliveryReport>;
  /** Returns the health of the webhook's deliveries. */
  health(id: string): Promise<DeliveryHealth>;
  /** Deletes everything that the object stores. */
  forget(id: string): Promise<void>;
}

/** The additional dependencies of actions on files. */
export interface FileContext extends ActionContext {
  keys: SigningKeys;
  files: FileStore;
  /** Returns a stream of the same bytes with a known length. */
  knownLength: (body: ReadableStream<Uint8Array>, bytes: number) => ReadableStream<Uint8Array>;
  /** Returns a timer that runs out when the content of a file takes too long to arrive. */
  uploadTimer: () => Timer;
}

/** The additional dependencies of webhook management, and of files. */
export interface WebhookContext extends FileContext {
  objects: WebhookObjects;
  /** Whether receivers on the local machine are allowed, as under `npm run dev`. */
  allowsLocalReceivers: boolean;
}
