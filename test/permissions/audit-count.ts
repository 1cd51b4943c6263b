import { dataDb, homeDb } from "../support/databases";

/** Counts the audit entries. Every write adds one in its batch, so an equal count means that nothing was stored. */
export async function countAuditEntries(): Promise<number> {
  const counts = [...new Set([homeDb, dataDb])].map((db) =>
    db.prepare("SELECT count(*) n FROM audit_entry").first<number>("n"),
  );
  return (await Promise.all(counts)).reduce<number>((sum, n) => sum + (n ?? 0), 0);
}
