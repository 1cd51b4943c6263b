import type { Resources } from "../domain/permissions";
import type { Act } from "../store/audit";

/** What an action needs from outside: who acts, on which database, and the clock and ids to use. */
export interface ActionContext {
  db: D1Database;
  /** `credential:ID` or `member:ID`, for the audit. */
  actor: string;
  resources: Resources;
  requestId: string;
  /** Milliseconds since 1970. */
  now(): number;
  /** A ULID. */
  newId(): string;
  /** Does this behind the answer. */
  later(work: () => Promise<unknown>): void;
}

/** An entry of the audit for what this context's actor does. */
export function act(
  ctx: ActionContext,
  action: string,
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
    requestId: ctx.requestId,
  };
}
