import { sweepExpired } from "../store/sweep";

/** Steps of one run, so that a run is bounded; the next one goes on. */
const stepsPerRun = 50;

export async function sweep(db: D1Database, now: number): Promise<void> {
  await sweepExpired(db, now, stepsPerRun);
}
