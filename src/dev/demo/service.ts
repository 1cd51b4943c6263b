import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import {
  unstable_getMiniflareWorkerOptions as optionsOf,
  unstable_splitSqlQuery as splitSqlQuery,
} from "wrangler";

/** The service of the demo's Worker, whose clock `seed.ts` sets. It stores its data in `folder`. */
export async function startDemoService(
  folder: string,
): Promise<{ url: string; miniflare: Miniflare }> {
  const { outputFiles } = await build({
    entryPoints: [resolve("src/dev/worker/demo.ts")],
    bundle: true,
    write: false,
    format: "esm",
    target: "es2024",
    jsx: "automatic",
    jsxImportSource: "hono/jsx",
    external: ["cloudflare:*", "node:*"],
  });
  const { workerOptions } = optionsOf("wrangler.toml");
  const { assets: _, ...options } = workerOptions;
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      host: "127.0.0.1",
      port: 0,
      resourcePersistencePath: resolve(folder, "v3"),
      handleStructuredLogs: () => undefined,
      workers: [
        {
          ...options,
          name: "edge-forms",
          modules: [{ type: "ESModule", path: "index.js", contents: outputFiles[0]?.text ?? "" }],
        },
      ],
    }),
  );
  const url = await miniflare.ready;
  await migrate(miniflare);
  return { url: url.origin, miniflare };
}

/** Migrates like `wrangler d1 migrations apply`, which takes seconds to start. */
async function migrate(miniflare: Miniflare): Promise<void> {
  const db = await miniflare.getD1Database("DB");
  const statements = readdirSync("migrations")
    .toSorted()
    .flatMap((name) => [
      ...splitSqlQuery(readFileSync(join("migrations", name), "utf8")),
      `INSERT INTO d1_migrations (name) VALUES ('${name}')`,
    ]);
  await db.batch([migrationsTable, ...statements].map((sql) => db.prepare(sql)));
}

/** The table in which wrangler remembers applied migrations. */
const migrationsTable = `CREATE TABLE d1_migrations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)`;
