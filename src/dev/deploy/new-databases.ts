import { homeName } from "#domain/bookmarks.ts";
import type { Deployment } from "./deployment.ts";
import { queryDatabase, quote } from "./query.ts";

/** When the service starts to place apps and forms in a data database that it did not have before. */

/** The time from which a database is used that is not deployed yet. */
export const notYet = Number.MAX_SAFE_INTEGER;

/** New collections are placed in a database once the deployment that binds it has surely reached every location. */
const rolloutMs = 60_000;

/** Lets apps, forms and moves use these databases a minute from now. Changes nothing for those that are used already. */
export async function startUsing(
  deployment: Deployment,
  bindings: readonly string[],
): Promise<void> {
  if (bindings.length === 0) return;
  const sql = `UPDATE data_database SET used_from = ${Date.now() + rolloutMs}
    WHERE name IN (${bindings.map(quote).join(", ")}) AND used_from = ${notYet}`;
  await queryDatabase(deployment, homeName, sql);
}
