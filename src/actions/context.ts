import type { Actor } from "../domain/actor";
import type { AuditAction } from "../domain/audit-action";
import type { Permission } from "../domain/credential/permissions";
import type { Resources } from "../domain/credential/resources";
import type { ItemAction } from "../domain/item/change";
import type { Act } from "../store/audit/audit";
import type { DefinitionCache } from "../store/definitions/definition-cache";
import type { ItemAct } from "../store/changes/change-statements";
import type { Versions } from "../store/db/versions";
import type { Replay } from "../store/items/replays";

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
