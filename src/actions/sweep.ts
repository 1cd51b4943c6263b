import type { DataDatabase } from "#store/db/database.ts";
import { memoryPart, type Memory } from "#domain/memory.ts";
import type { BackgroundContext } from "./context.ts";
import { sweepErasures, sweepHistory } from "#store/data/feed.ts";
import { eraseExpiredValues } from "#store/data/erase-expired-values.ts";
import { sweepFormerEntries, sweepFormerUnique } from "#store/data/index-check.ts";
import { sweepExpired } from "#store/home/maintenance.ts";

type SweepContext = Pick<BackgroundContext, "databases" | "memory">;

/** Limits the steps of one run. The next run continues. */
const stepsPerRun = 50;

export async function sweep({ databases, memory }: SweepContext, now: number): Promise<void> {
  await sweepExpired(databases, now, stepsPerRun);
  for (const [index, db] of databases.all().entries()) {
    await runSteps(() => sweepFormerUnique(db));
    await runSteps(() => sweepFormerEntries(db));
    await runSteps(() => sweepErasures(db));
    await runSteps(() => eraseExpiredValues(db, now));
    await sweepChanges(memory, db, index, now);
  }
}

/** Repeats the step, up to the limit, while it returns that more work may remain. */
async function runSteps(step: () => Promise<boolean>): Promise<void> {
  for (let steps = 0; steps < stepsPerRun; steps += 1) if (!(await step())) return;
}

/** For each database, the collection at which the next sweep of changes starts. A new isolate starts with the first. */
const nextCollectionsIn = memoryPart((): number[] => []);

async function sweepChanges(
  memory: Memory,
  db: DataDatabase,
  index: number,
  now: number,
): Promise<void> {
  const nextCollections = nextCollectionsIn(memory);
  await runSteps(async () => {
    const { nextId, hasMore } = await sweepHistory(db, now, nextCollections[index] ?? 0);
    if (hasMore) return true;
    nextCollections[index] = nextId ?? 0;
    return nextId !== null;
  });
}
