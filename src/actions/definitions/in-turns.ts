import type { Turn } from "../../store/definitions/turn";

const stepsPerRun = 200;

/**
 * Work that stands in a table, a step for each collection in turn, so that none waits for another's end. A collection
 * whose step fails stands aside until the next run; `failures` gets why.
 */
export async function inTurns<Work extends { collectionId: number }>(
  next: (turn: Turn) => Promise<Work | undefined>,
  take: (work: Work) => Promise<void>,
  failures: unknown[],
): Promise<void> {
  const aside: number[] = [];
  let after = 0;
  for (let step = 0; step < stepsPerRun; step += 1) {
    const work = await next({ after, aside });
    if (!work) return;
    after = work.collectionId;
    try {
      await take(work);
    } catch (error) {
      aside.push(work.collectionId);
      failures.push(error);
    }
  }
}
