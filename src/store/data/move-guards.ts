import type { DataDatabase, PreparedStatement } from "#store/db/database.ts";
import { classifyError, retryTransient } from "#store/db/retry.ts";

/** Statements that abort the batches of moves. */

type Statement = PreparedStatement<"data">;
export type MoveRole = "source" | "target";

/** Aborts the batch unless this run is the latest in this database. */
export const guardRun = (db: DataDatabase, role: MoveRole, run: number): Statement =>
  db.prepare<"data">(
    `insert into moving (collection_id, role, digits, run) select 0, '${role}', '', -1
      where (select count(*) from moving where role = '${role}' and run = ?1) = 0
        or exists (select 1 from moving where role = '${role}' and run <> ?1)`,
    [run],
  );

/** Aborts the batch if the condition is true. */
export const refuseIf = (db: DataDatabase, condition: string, values: readonly unknown[] = []) =>
  db.prepare<"data">(
    `insert into owner (collection_id, epoch, state) select 0, -1, 'moved' where ${condition}`,
    values,
  );

/** Runs the batch. Returns false if one of its conditions refuses it, or a later run has begun. */
export async function runIfAllowed(
  db: DataDatabase,
  statements: readonly Statement[],
): Promise<boolean> {
  try {
    await retryTransient(db, () => db.batch(statements));
    return true;
  } catch (error) {
    const failure = classifyError(error);
    if (failure.kind === "guard" && failure.constraint === "not_owner") return false;
    throw error;
  }
}
