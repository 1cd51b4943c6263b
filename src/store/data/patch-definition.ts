import { and, eq, isNull } from "drizzle-orm";
import type { Definition } from "#domain/definition/collection.ts";
import { pendingChange } from "#store/db/schema.ts";
import { collectionStatement } from "#store/db/statement.ts";
import type { CollectionDatabase, Database, PreparedStatement, Scope } from "#store/db/database.ts";
import { classifyError, runOnce } from "#store/db/retry.ts";
import type { AuditRecord } from "#store/home/audit.ts";
import type { CurrentCollection, PendingChange } from "./collections.ts";
import { buildApplyStatements, guardRevision, type SaveResult } from "./definition-statements.ts";

const replacePendingStatement = collectionStatement<{ change: string }>((db, v) =>
  db
    .update(pendingChange)
    .set({ change: v.change })
    .where(and(eq(pendingChange.collectionId, v.collectionId), isNull(pendingChange.problem))),
);

/**
 * Stores the next version of a definition with the same fields, and starts recalculating the results of the fields
 * `recalculated`. A pending change continues: `pending` replaces it, so that the definition keeps the patch when the
 * change takes effect.
 */
export async function storePatchedDefinition(
  db: CollectionDatabase,
  { collection: current, indexing }: Pick<CurrentCollection, "collection" | "indexing">,
  definition: Definition,
  recalculated: number[],
  pending: PendingChange | null,
  auditRecord: AuditRecord,
): Promise<SaveResult> {
  const { revision } = current;
  const change = { definition, lost: [], unindexed: recalculated, newlySearchable: [] };
  const outdated = [...(indexing?.fields ?? []), ...recalculated];
  return runSave(db, [
    guardRevision(db, { revision }),
    ...(pending ? [replacePendingStatement(db, { change: JSON.stringify(pending) })] : []),
    ...buildApplyStatements(db, current, change, auditRecord, outdated),
  ]);
}

/** Runs the statements of a save. Returns the reason if a guard aborted the batch. */
export async function runSave<S extends Scope>(
  db: Database<S>,
  statements: readonly PreparedStatement<S>[],
): Promise<SaveResult> {
  try {
    await runOnce(db, () => db.batch(statements));
    return { outcome: "saved" };
  } catch (error) {
    const failure = classifyError(error);
    const isCreated = failure.kind === "unique" && /^(collection|owner)$/.test(failure.table);
    if (isCreated) return { outcome: "stale" };
    if (failure.kind === "unique") return { outcome: "duplicates_exist" };
    if (failure.kind !== "guard") throw error;
    const { constraint } = failure;
    if (constraint === "key_used") return { outcome: "reserved" };
    const isReason = constraint === "values_exist" || constraint === "unknown_app";
    return { outcome: isReason ? constraint : "stale" };
  }
}
