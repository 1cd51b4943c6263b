import { applyD1Migrations, reset, type D1Migration } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { getTableConfig, type SQLiteTable } from "drizzle-orm/sqlite-core";
import { app } from "../../src/app.ts";
import type { Memory } from "../../src/domain/memory.ts";
import * as homeSchema from "../../src/store/db/home-schema.ts";
import * as schema from "../../src/store/db/schema.ts";
import { dataDb, homeDb } from "./databases";

const migrations = (env as { MIGRATIONS?: D1Migration[] }).MIGRATIONS ?? [];

/**
 * Empties a database. A data database has only the tables of collections. The home database may also have collections.
 */
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

async function migrate(): Promise<void> {
  await applyD1Migrations(homeDb, migrations);
  if (dataDb === homeDb) return;
  await applyD1Migrations(dataDb, migrations);
  const home = new Set(
    Object.values<SQLiteTable>(homeSchema).map((table) => getTableConfig(table).name),
  );
  await keepTables(dataDb, (name) => !home.has(name));
}

/** Returns a function that creates the current tables of a database. Migrations leave no rows. */
async function loadTables(db: D1Database): Promise<(target?: D1Database) => Promise<unknown>> {
  const { results } = await db
    .prepare(
      "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '_cf_%' ORDER BY rowid",
    )
    .all<{ sql: string }>();
  return (target = db) => target.batch(results.map(({ sql }) => target.prepare(sql)));
}

/** Creates all tables in empty databases, in a fifth of the time that the migrations take. */
export async function createAllTables(...targets: D1Database[]): Promise<void> {
  const create = await loadTables(homeDb);
  for (const target of targets) await create(target);
}

let createTables: (() => Promise<unknown>)[] | undefined;

/** The memories of all services that have handled requests. */
const memories = new Set<Memory>();
/** The unfinished background work of requests. */
const unfinished = new Set<Promise<unknown>>();
const { fetch } = app;
app.fetch = (request, service, ctx) => {
  memories.add(service.memory);
  const waitUntil = ctx.waitUntil.bind(ctx);
  ctx.waitUntil = (work) => {
    const finish = () => void unfinished.delete(work);
    unfinished.add(work);
    work.then(finish, finish);
    waitUntil(work);
  };
  return fetch(request, service, ctx);
};

/** The maximum wait, because work that a test makes hang never ends. */
const maxWaitMs = 1000;

/** Waits for background work, because an object that is deleted during its work may come back with its storage. */
async function waitForBackgroundWork(): Promise<void> {
  const end = performance.now() + maxWaitMs;
  // After awaiting a promise of another request, this code could continue in that request's context.
  while (unfinished.size > 0 && performance.now() < end) await scheduler.wait(5);
  unfinished.clear();
}

/** Empties the databases, objects, caches and limits, and the memory of the service. */
export async function emptyStorage(): Promise<void> {
  await waitForBackgroundWork();
  for (const memory of memories) memory.clear();
  await reset();
  if (createTables) {
    const create = createTables;
    const createAll = () => Promise.all(create.map((createIn) => createIn()));
    await createAll().catch(async () => {
      await reset();
      await createAll();
    });
  } else {
    // Migrating again for each file would take five times as long.
    await migrate();
    createTables = await Promise.all([...new Set([homeDb, dataDb])].map(loadTables));
  }
}
