import { runBackfill } from "../../src/actions/backfill.ts";
import { dataDb } from "./databases";
import { background } from "./serve";

/** Makes the next change of a unique field pending. Returns what ends its check. */
export async function holdChecks(): Promise<() => Promise<void>> {
  const run = (sql: string) => dataDb.prepare(sql).run();
  // The check of items this large takes more than one step.
  await run("update tally set largest = 100000000");
  await run(
    "create trigger held before update of next on pending_change begin select raise(abort, 'held'); end",
  );
  return async () => {
    await run("drop trigger held");
    await runBackfill(background());
  };
}
