import { applyD1Migrations, type D1Migration } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { getTableConfig, type SQLiteTable } from "drizzle-orm/sqlite-core";
import * as homeSchema from "../../src/store/db/home-schema.ts";
import * as schema from "../../src/store/db/schema.ts";
import { dataDb, homeDb } from "./databases";

const migrations = (env as { MIGRATIONS?: D1Migration[] }).MIGRATIONS ?? [];

/** A data database has the tables of collections alone. The home database may have collections too. */
async function keepTables(db: D1Database, isKept: (name: string) => boolean): Promise<void> {
  const names = Object.values<SQLiteTable>(schema).map((table) => getTableConfig(table).name);
  const dropped = names.filter(
    (name) => !isKept(name) && name !== "audit_entry" && name !== "guard",
  );
  await db.batch([
    db.prepare("PRAGMA defer_foreign_keys = on"),
    ...dropped.map((name) => db.prepare(`DROP TABLE IF EXISTS "${name}"`)),
  ]);
}

await applyD1Migrations(homeDb, migrations);
if (dataDb !== homeDb) {
  await applyD1Migrations(dataDb, migrations);
  const home = new Set(
    Object.values<SQLiteTable>(homeSchema).map((table) => getTableConfig(table).name),
  );
  await keepTables(dataDb, (name) => !home.has(name));
}
