import { sql } from "drizzle-orm";
import { auditEntry } from "./schema";
import { statement } from "./statement";

/** Who did what to what, stored in the same batch as the act. */
export interface Act {
  at: number;
  /** `credential:ID` or `member:ID`. */
  actor: string;
  action: string;
  collectionId: number | null;
  subject: string;
  version: number | null;
  requestId: string;
}

export const insertAct = statement<Act & Record<string, unknown>>((db) => {
  const values = ["at", "actor", "action", "collectionId", "subject", "version", "requestId"].map(
    (name) => [name, sql.placeholder(name)] as const,
  );
  return db.insert(auditEntry).values(Object.fromEntries(values) as never);
});
