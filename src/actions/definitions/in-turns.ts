import { counted } from "../../store/db/counted";
import type { Turn } from "../../store/definitions/turn";

/**
 * What one run may take: D1 takes 1,000 queries of one invocation, of which there are three such runs in some, and a row
 * holds the database for some 5 µs.
 */
const most = { queries: 250, rowsWritten: 30_000, formulaSteps: 3_000_000 };

/** What a step took beyond its queries. */
export interface Step {
  formulaSteps: number;
}

/**
 * Work that stands in a table, a step for each collection in turn, so that none waits for another's end. A collection
 * whose step fails stands aside until the next run; `failures` gets why.
 */
export async function inTurns<Work extends { collectionId: number }>(
  database: D1Database,
  next: (db: D1Database, turn: Turn) => Promise<Work | undefined>,
  take: (db: D1Database, work: Work) => Promise<Step | void>,
  failures: unknown[],
): Promise<void> {
  const { db, spent } = counted(database);
  const aside: number[] = [];
  let after = 0;
  let formulaSteps = 0;
  while (
    spent.queries < most.queries &&
    spent.rowsWritten < most.rowsWritten &&
    formulaSteps < most.formulaSteps
  ) {
    const work = await next(db, { after, aside });
    if (!work) return;
    after = work.collectionId;
    try {
      formulaSteps += (await take(db, work))?.formulaSteps ?? 0;
    } catch (error) {
      aside.push(work.collectionId);
      failures.push(error);
    }
  }
}
