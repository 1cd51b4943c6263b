import { dataDb, homeDb } from "../support/databases";
import { dataChecks, homeChecks, limitedCheck, singleChecks } from "./checks";

/** At most one check runs at a time. Callers that wait share the next one. */
let currentCheck: Promise<unknown> = Promise.resolve();
let nextCheck: Promise<string[]> | undefined;

/** Returns all violations. One batch reads one moment, so that other writes may run in parallel. */
export function findInconsistencies(): Promise<string[]> {
  nextCheck ??= currentCheck.then(() => {
    const check = runChecks();
    [currentCheck, nextCheck] = [check, undefined];
    return check;
  });
  return nextCheck;
}

async function runChecks(): Promise<string[]> {
  const run = (db: D1Database, sqls: readonly string[]) =>
    db.batch<{ what: string; id: string }>(sqls.map((sql) => db.prepare(limitedCheck(sql))));
  const batches = await (homeDb === dataDb
    ? run(dataDb, [...dataChecks, ...homeChecks, ...singleChecks])
    : Promise.all([run(dataDb, dataChecks), run(homeDb, homeChecks)]).then((both) => both.flat()));
  return batches.flatMap(({ results }) => results.map(({ what, id }) => `${what}: ${id}`));
}
