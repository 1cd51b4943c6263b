import { and, eq, isNull } from "drizzle-orm";
import type { Collection, Definition } from "#domain/definition/collection.ts";
import { pendingChange } from "#store/db/schema.ts";
import { collectionStatement } from "#store/db/statement.ts";
import type { CollectionDatabase } from "#store/db/database.ts";
import type { AuditRecord } from "#store/home/audit.ts";
import type { PendingChange } from "./collections.ts";
import {
  buildApplyStatements,
  guardRevision,
  runSave,
  type SaveResult,
} from "./definition-statements.ts";

const replacePendingStatement = collectionStatement<{ change: string }>((db, v) =>
  db
    .update(pendingChange)
    .set({ change: v.change })
    .where(and(eq(pendingChange.collectionId, v.collectionId), isNull(pendingChange.problem))),
);

/**
 * Stores the next version of a definition with the same fields. A pending change continues: `pending` replaces it, so
 * that it keeps the patch when it takes effect.
 */
export async function storePatchedDefinition(
  db: CollectionDatabase,
  current: Collection,
  definition: Definition,
  pending: PendingChange | null,
  auditRecord: AuditRecord,
): Promise<SaveResult> {
  const { revision } = current;
  return runSave(db, [
    guardRevision(db, { revision }),
    ...(pending ? [replacePendingStatement(db, { change: JSON.stringify(pending) })] : []),
    ...buildApplyStatements(db, current, { definition, lost: [], unindexed: [] }, auditRecord),
  ]);
}
