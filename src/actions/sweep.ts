import { sweepErasures, sweepHistory } from "#store/data/feed.ts";
import { sweepFormerEntries, sweepFormerUnique } from "#store/data/index-check.ts";
import { sweepExpired } from "#store/home/maintenance.ts";

/** Steps of one run, so that a run is bounded; the next one goes on. */
const stepsPerRun = 50;

export async function sweep(db: D1Database, now: number): Promise<void> {
  await sweepExpired(db, now, stepsPerRun);
  await inSteps(() => sweepFormerUnique(db));
  await inSteps(() => sweepFormerEntries(db));
  await inSteps(() => sweepErasures(db));
  await sweepChanges(db, now);
}

/** While there may be more. */
async function inSteps(step: () => Promise<boolean>): Promise<void> {
  for (let steps = 0; steps < stepsPerRun; steps += 1) if (!(await step())) return;
}

/** The collection at which the next look at kept changes begins; an isolate that starts anew begins with the first. */
let nextCollection = 0;

async function sweepChanges(db: D1Database, now: number): Promise<void> {
  await inSteps(async () => {
    const { next, more } = await sweepHistory(db, now, nextCollection);
    if (more) return true;
    nextCollection = next ?? 0;
    return next !== null;
  });
}
