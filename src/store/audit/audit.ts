import type { Actor } from "../../domain/actor";
import { auditEntry } from "../db/schema";
import { placeholders, statement } from "../db/statement";

/** Who did what to what, stored in the same batch as the act. */
export interface Act {
  at: number;
  actor: Actor;
  action: string;
  collectionId: number | null;
  subject: string;
  version: number | null;
  /** The start of the hash of a member's session. */
  session: string | null;
  requestId: string;
  /** What the caller called the request. */
  sentRequestId: string | null;
}

const columns = [
  "at",
  "actor",
  "action",
  "collectionId",
  "subject",
  "version",
  "session",
  "requestId",
  "sentRequestId",
] as const satisfies (keyof Act)[];

export const insertAct = statement<Act & Record<string, unknown>>((db) =>
  db.insert(auditEntry).values(placeholders(columns)),
);
