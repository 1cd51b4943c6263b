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
  let { collection: index, after } = run.move.position ?? { collection: 0, after: null };
  for (;;) {
    const collection = run.move.collections[index];
    if (!collection) break;
    await run.save({ position: { collection: index, table: 0, after }, problem: "carries_files" });
    if (!hasTime()) return false;
    const ids = await listFileIds(target, collection.id, String(after?.[0] ?? ""), filesPerStep);
    const copied: string[] = [];
    for (const id of ids) if (await files.copy(id, to)) copied.push(id);
    run.fileCalls += callsPerFile * ids.length;
    // A later run, and a later move back, may have carried them meanwhile.
    await run.save({});
    await files.deleteElsewhere(copied, to);
    const last = ids.at(-1);
    if (last === undefined) [index, after] = [index + 1, null];
    else after = [last];
  }
  await run.save({ position: null });
  return true;
}
