import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";

export const project = new URL("../..", import.meta.url).pathname;

/** Bundles a Worker as a deployment would, and gives the bundle's path. */
export function bundle(entry: string, folder: string, minify = true): string {
  const name = entry.replaceAll("/", "-").replace(/\.ts$/, "");
  const outdir = join(folder, `${name}${minify ? "" : "-readable"}`);
  const options = ["--dry-run", `--outdir=${outdir}`, ...(minify ? ["--minify"] : [])];
  execFileSync("wrangler", ["deploy", entry, ...options], { cwd: project, stdio: "pipe" });
  return join(outdir, entry.slice(entry.lastIndexOf("/") + 1).replace(/\.ts$/, ".js"));
}

const parts = {
  d1: "d1/database.worker.js",
  kv: "kv/namespace.worker.js",
  entry: "shared/object-entry.worker.js",
  shared: "shared/index.worker.js",
  zod: "shared/zod.worker.js",
};

/** Copies miniflare's own D1 and KV, the ones that `wrangler dev` runs, into a folder. */
export function copyStorage(folder: string): void {
  const workers = join(project, "node_modules/miniflare/dist/src/workers");
  mkdirSync(folder, { recursive: true });
  for (const [name, source] of Object.entries(parts)) {
    cpSync(join(workers, source), join(folder, `${name}.js`));
  }
}
