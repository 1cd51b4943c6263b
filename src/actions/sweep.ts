import { sweepFormerUnique } from "../store/definitions/pending-change";
import { sweepExpired } from "../store/sweep";

/** Steps of one run, so that a run is bounded; the next one goes on. */
const stepsPerRun = 50;

export async function sweep(db: D1Database, now: number): Promise<void> {
  await sweepExpired(db, now, stepsPerRun);
  for (let step = 0; step < stepsPerRun; step += 1) if (!(await sweepFormerUnique(db))) return;
}
