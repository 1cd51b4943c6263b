import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Miniflare, V4WorkerOptions } from "miniflare";

/** The folder in which `wrangler dev` stores the data of the local service. */
export const stateFolder = ".wrangler/state";

/** Starts a local Worker with the bindings of wrangler.toml. It stores its data in `folder`. */
export async function startLocalWorker(
  folder: string,
  code: string,
): Promise<{ url: string; miniflare: Miniflare }> {
  // Loading these takes a second, which `--help` does not need.
  const [{ convertV4MiniflareOptions, Miniflare: LocalWorker }, wrangler] = await Promise.all([
    import("miniflare"),
    import("wrangler"),
  ]);
  const { workerOptions } = wrangler.unstable_getMiniflareWorkerOptions("wrangler.toml");
  const { assets: _, ...options } = workerOptions as V4WorkerOptions;
  const miniflare = new LocalWorker(
    convertV4MiniflareOptions({
      host: "127.0.0.1",
      port: 0,
      resourcePersistencePath: resolve(folder, "v3"),
      handleStructuredLogs: () => undefined,
      workers: [
        {
          ...options,
          name: "edge-forms",
          modules: [{ type: "ESModule", path: "index.js", contents: code }],
        },
      ],
    }),
  );
  const { origin } = await miniflare.ready;
  return { url: origin, miniflare };
}

/**
 * Migrates the local database. If no member can use it, returns false and leaves it unchanged, because `wrangler dev`
 * creates an empty one.
 */
export async function migrateLocalDatabase(): Promise<boolean> {
  if (!existsSync(stateFolder)) return false;
  const { miniflare } = await startLocalWorker(stateFolder, workerWithoutObjects);
  try {
    const db = await miniflare.getD1Database("DB");
    const tables = await db.prepare("SELECT name FROM sqlite_master WHERE name = 'member'").all();
    if (tables.results.length === 0) return false;
    const members = await db.prepare("SELECT 1 FROM member LIMIT 1").all();
    if (members.results.length === 0) return false;
    await migrate(miniflare);
    return true;
  } finally {
    await miniflare.dispose();
  }
}

/**
 * Applies missing migrations like `wrangler d1 migrations apply`, which takes seconds to start. Applies all or none, because
 * a batch for each takes twice as long.
 */
export async function migrate(miniflare: Miniflare): Promise<void> {
  // Loading wrangler takes a second, in which the Worker starts.
  const [{ unstable_splitSqlQuery: splitSqlQuery }, db] = await Promise.all([
    import("wrangler"),
    miniflare.getD1Database("DB"),
  ]);
  await db.prepare(migrationsTable).run();
  const { results } = await db.prepare("SELECT name FROM d1_migrations").all<{ name: string }>();
  const applied = new Set(results.map(({ name }) => name));
  const missing = readdirSync("migrations").filter((name) => !applied.has(name));
  const statements = missing
    .toSorted()
    .flatMap((name) => [
      ...splitSqlQuery(readFileSync(join("migrations", name), "utf8")),
      `INSERT INTO d1_migrations (name) VALUES ('${name}')`,
    ]);
  if (statements.length > 0) await db.batch(statements.map((sql) => db.prepare(sql)));
}

const workerWithoutObjects = `
import { DurableObject } from "cloudflare:workers";
export class CredentialGate extends DurableObject {}
export class WebhookSender extends DurableObject {}
export default { fetch: () => new Response(null, { status: 404 }) };
`;

/** The table in which wrangler remembers applied migrations. */
const migrationsTable = `CREATE TABLE IF NOT EXISTS d1_migrations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)`;
