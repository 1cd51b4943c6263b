import { auditEntry } from "./schema";
import { placeholders, statement } from "./statement";

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

const columns = ["at", "actor", "action", "collectionId", "subject", "version", "requestId"];

export const insertAct = statement<Act & Record<string, unknown>>((db) =>
  db.insert(auditEntry).values(placeholders(columns)),
);
