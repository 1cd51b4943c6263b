import { homeName } from "#domain/bookmarks.ts";
import type { Deployment } from "./deployment.ts";
import { queryDatabase, quote } from "./query.ts";

/** Decides when the service starts to place apps and forms in a new data database. */

/** The start of use of a database that is not deployed yet. */
export const notYet = Number.MAX_SAFE_INTEGER;

/** New collections are placed in a database only after the deployment with its binding has reached every location. */
const rolloutMs = 60_000;

/**
 * Lets apps, forms and moves use these databases a minute from now. Does not change databases that are already in use.
 */
export async function startUsing(
  deployment: Deployment,
  bindings: readonly string[],
): Promise<void> {
  if (bindings.length === 0) return;
  const sql = `UPDATE data_database SET used_from = ${Date.now() + rolloutMs}
    WHERE name IN (${bindings.map(quote).join(", ")}) AND used_from = ${notYet}`;
  await queryDatabase(deployment, homeName, sql);
}
