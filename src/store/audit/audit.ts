import { sql, type SQL } from "drizzle-orm";
import type { Actor } from "../../domain/actor";
import type { AuditAction } from "../../domain/audit-action";
import { auditEntry } from "../db/schema";
import { parameters, statement } from "../db/statement";

/** Who did what to what, stored in the same batch as the act. */
export interface Act {
  at: number;
  actor: Actor;
  action: AuditAction;
  collectionId: number | null;
  subject: string;
  version: number | null;
  /** The start of the hash of a member's session. */
  session: string | null;
  requestId: string;
  /** What the caller called the request. */
  sentRequestId: string | null;
}

const v = parameters<Act>();

/** Times grow with the numbers, whatever the clocks of the writers say. */
export const actTime = (at: SQL) =>
  sql`max(${at}, coalesce((select at from audit_entry order by id desc limit 1), 0))`;

export const insertAct = statement<Act>((db) =>
  db.insert(auditEntry).select(
    sql`select null, ${actTime(v.at)}, ${v.actor}, ${v.action}, ${v.collectionId}, ${v.subject}, ${v.version},
        ${v.session}, ${v.requestId}, ${v.sentRequestId}`,
  ),
);
