import { readdirSync, readFileSync } from "node:fs";
import type { Deployment } from "./deployment.ts";
import { queryDatabase, quote, runStatements } from "./query.ts";
import { stop } from "./wrangler.ts";

/** Migrates deployed databases. Uses the same table as `wrangler d1 migrations apply`. */

const folder = "migrations";

const createTable = `CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)`;

/** Reads the applied migrations of a database, and its number of members. */
async function readState(deployment: Deployment, binding: string) {
  const sql = "SELECT name, (SELECT count(*) FROM member) AS members FROM d1_migrations";
  // A new database has none of these tables.
  const { results } = await queryDatabase<{ name: string; members: number }>(
    deployment,
    binding,
    sql,
    /no such table/,
  );
  return {
    applied: new Set(results.map(({ name }) => name)),
    memberCount: results[0]?.members ?? 0,
  };
}

export async function hasMigrations(deployment: Deployment, binding: string): Promise<boolean> {
  const { applied } = await readState(deployment, binding);
  return applied.size > 0;
}

/**
 * Applies the missing migrations of a database in order. Stops if one fails. Returns the database's number of members.
 */
export async function migrate(deployment: Deployment, binding: string): Promise<number> {
  const { applied, memberCount } = await readState(deployment, binding);
  const missingMigrations = readdirSync(folder)
    .filter((name) => name.endsWith(".sql") && !applied.has(name))
    .toSorted();
  if (missingMigrations.length === 0) {
    console.log(`${binding}: No migrations to apply.`);
    return memberCount;
  }
  await queryDatabase(deployment, binding, createTable);
  for (const name of missingMigrations) await apply(deployment, binding, name);
  console.log(`${binding}: Applied ${missingMigrations.length} migrations.`);
  return memberCount;
}

/** Applies a migration and records it in one transaction. */
async function apply(
  { settings, cloudflare }: Deployment,
  binding: string,
  name: string,
): Promise<void> {
  const text = readFileSync(`${folder}/${name}`, "utf8").replaceAll("\r\n", "\n");
  const sql = `${text}\nINSERT INTO d1_migrations (name) VALUES (${quote(name)});`;
  const id = settings.d1_databases.find((each) => each.binding === binding)?.database_id ?? "";
  const outcome = await runStatements(cloudflare, id, sql);
  if ("error" in outcome)
    stop(
      `${binding} rejected the migration ${name}: ${outcome.error.message}\nNothing was deployed. Run the same command again ` +
        "when the cause is fixed.",
    );
}
