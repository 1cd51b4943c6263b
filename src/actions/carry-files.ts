import { listFileIds } from "#store/data/file-items.ts";
import type { MoveRun } from "./move-run.ts";

/** The calls of R2 for a file that is copied and deleted. */
const callsPerFile = 3;
const filesPerStep = 10;

/**
 * Carries the files of a move to the bucket of the jurisdiction that its rows have reached. Until then, they are read from
 * the former one. A killed run repeats at most one step. Returns false if time runs out first.
 */
export async function carryFiles(run: MoveRun, hasTime: () => boolean): Promise<boolean> {
  const { files, source, target, databases } = run;
  const [from, to] = [source, target].map(({ name }) => databases.jurisdictions.get(name) ?? null);
  if (to === undefined || from === undefined || files.areTogether(from, to)) return true;
  const { position } = run.move;
  let index = position?.collection ?? 0;
  let lastId = position?.after?.[0] as string | undefined;
  for (;;) {
    const collection = run.move.collections[index];
    if (!collection) break;
    const after = lastId === undefined ? null : [lastId];
    await run.save({ position: { collection: index, table: 0, after }, problem: "carries_files" });
    if (!hasTime()) return false;
    const ids = await listFileIds(target, collection.id, lastId ?? "", filesPerStep);
    for (const id of ids) {
      if (!hasTime()) break;
      await carryFile(run, id, to);
      lastId = id;
    }
    if (ids.length === 0) [index, lastId] = [index + 1, undefined];
  }
  await run.save({ position: null });
  return true;
}

async function carryFile(run: MoveRun, id: string, to: string | null): Promise<void> {
  run.fileCalls += callsPerFile;
  if (!(await run.files.copy(id, to))) return;
  // Keeps the lease, and ends a run that is no longer the latest: a move back may have carried the file meanwhile.
  await run.save({});
  await run.files.deleteElsewhere([id], to);
}
