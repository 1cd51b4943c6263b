import type { Actor, AuditAction } from "#domain/audit.ts";
import type { Permission } from "#domain/credential/permissions.ts";
import type { Resources } from "#domain/credential/credential.ts";
import type { ItemAction } from "#domain/item/change.ts";
import type { Act } from "#store/home/audit.ts";
import type { DefinitionCache } from "#store/data/collections.ts";
import type { ItemAct } from "#store/data/changes.ts";
import type { Versions } from "#store/db/session.ts";
import type { Replay } from "#store/data/replays.ts";
import type { SigningKeys } from "#domain/credential/keys.ts";
import type { Delivery, DeliveryReport } from "#domain/webhook/delivery.ts";

/** Remembers the answers to requests with an Idempotency-Key. It may lag or be away: the truth is in D1. */
export interface ReplayCache {
  /** The answer to this key, if the cache has told it by now: it was asked when the request came, and nobody waits. */
  recalled(key: string): Replay | undefined;
  /** Behind the answer. */
  remember(key: string, replay: Replay): void;
}

/** What a read needs from outside. It knows nothing of who asks, so that it can begin before that is known. */
export interface ReadContext {
  db: D1Database;
  /** Of what version `db` tells. */
  versions: Versions;
  /** For work behind the answer. */
  primary: D1Database;
  definitions: DefinitionCache;
  /** Milliseconds since 1970. */
  now(): number;
  /** Does this behind the answer. */
  later(work: () => Promise<unknown>): void;
  /** Says, behind the answer, that a collection that some webhook listens to has changed. */
  noteChange(collectionId: number): void;
}

/** What an action needs from outside: who acts, on which database, and the clock and ids to use. */
export interface ActionContext extends ReadContext {
  actor: Actor;
  permissions: readonly Permission[];
  resources: Resources;
  /** The start of the hash of a member's session; null for credentials. */
  session: string | null;
  replays: ReplayCache;
  requestId: string;
  /** What the caller called the request (X-Request-Id); kept beside our own, never instead. */
  sentRequestId: string | null;
  /** A ULID. */
  newId(): string;
}

/** What a change of an item tells of who made it. */
export function itemAct(ctx: ActionContext, action: ItemAction, at = ctx.now()): ItemAct {
  const { actor, session, requestId, sentRequestId } = ctx;
  return { at, actor, action, session, requestId, sentRequestId };
}

/** An entry of the audit for what this context's actor does. */
export function act(
  ctx: ActionContext,
  action: AuditAction,
  subject: string,
  about: { collectionId?: number; version?: number } = {},
): Act {
  return {
    at: ctx.now(),
    actor: ctx.actor,
    action,
    subject,
    collectionId: about.collectionId ?? null,
    version: about.version ?? null,
    session: ctx.session,
    requestId: ctx.requestId,
    sentRequestId: ctx.sentRequestId,
  };
}

/** The objects of webhooks, each of which sends the messages of one. */
export interface WebhookObjects {
  /** Says that there may be something to send; gives the milliseconds within which it is looked for. */
  wake(id: string): Promise<number>;
  /** Forgets that tries failed: the next one is now. */
  resume(id: string): Promise<void>;
  /** Sends a message that tells of nothing. */
  test(id: string): Promise<Delivery>;
  /** Sends a message again; nothing where there is no such try. */
  redeliver(id: string, number: number): Promise<Delivery | undefined>;
  /** What was tried, from before this number on. */
  report(id: string, before: number | null, limit: number): Promise<DeliveryReport>;
  /** Forgets all that it knows. */
  forget(id: string): Promise<void>;
}

/** What managing webhooks needs besides. */
export interface WebhookContext extends ActionContext {
  keys: SigningKeys;
  objects: WebhookObjects;
  /** 32 random bytes. */
  random(): Uint8Array;
  /** Whether receivers on one's own machine are allowed, as `npm run dev` does. */
  localReceivers: boolean;
}
