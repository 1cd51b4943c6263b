import type { DataDatabase, PreparedStatement } from "#store/db/database.ts";
import { classifyError, retryTransient } from "#store/db/retry.ts";

/** Statements that abort the batches of moves. */

type Statement = PreparedStatement<"data">;
export type MoveRole = "source" | "target";

/** Numbers the batches of a run. */
export class RunOrder {
  readonly run: number;
  #step = 0;

  constructor(run: number) {
    this.run = run;
  }

  /**
   * Aborts the batch if a later batch of this run, or a batch of a later run, has already run. D1 may run a batch whose
   * response was lost long after the batch was repeated.
   */
  guardNext(db: DataDatabase): Statement {
    this.#step += 1;
    return db.prepare<"data">(
      `insert into move_run (id, run, step) values (1, ?1, ?2) on conflict (id)
        do update set run = iif(run > ?1 or run = ?1 and step > ?2, -1, ?1), step = ?2`,
      [this.run, this.#step],
    );
  }
}

/** Runs the batch as the next one of the run. Returns the results of its statements. */
export async function writeNext<Row>(
  db: DataDatabase,
  order: RunOrder,
  statements: readonly Statement[],
): Promise<D1Result<Row>[]> {
  const batch = [order.guardNext(db), ...statements];
  const [, ...results] = await retryTransient(db, () => db.batch<Row>(batch));
  return results;
}

/**
 * Aborts the batch unless this run of the move is in progress here. Runs of the previous version have no row in
 * `move_run`.
 */
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

/** Runs the batch as the next one of the run. Returns false if one of its guards aborts it. */
export async function writeIfAllowed(
  db: DataDatabase,
  order: RunOrder,
  statements: readonly Statement[],
): Promise<boolean> {
  try {
    await writeNext(db, order, statements);
    return true;
  } catch (error) {
    const failure = classifyError(error);
    if (failure.kind === "guard" && failure.constraint === "not_owner") return false;
    throw error;
  }
}
