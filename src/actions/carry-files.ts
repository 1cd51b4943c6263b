import { listFileIds } from "#store/data/file-items.ts";
import type { MoveRun } from "./move-run.ts";

/** The number of R2 calls that copying and deleting a file takes. */
const callsPerFile = 3;
const filesPerStep = 10;

/**
 * Moves the files of a move to the bucket of the jurisdiction to which their rows have moved. Until then, reads find
 * the files in the previous bucket. A killed run repeats at most one step. Returns false if time runs out first.
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
  // Extends the claim, and ends a run that is no longer the latest. A later move back may already have moved the file.
  await run.save({});
  await run.files.deleteElsewhere([id], to);
}
