import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { buildSync } from "esbuild";

export const project = new URL("../..", import.meta.url).pathname;

/** Bundles a Worker of the project that lies in `root` as a deployment would, and gives the bundle's path. */
export function bundle(entry: string, folder: string, minify = true, root = project): string {
  const name = entry.replaceAll("/", "-").replace(/\.ts$/, "");
  const outdir = join(folder, `${basename(root)}-${name}${minify ? "" : "-readable"}`);
  const options = ["--dry-run", `--outdir=${outdir}`, `--minify=${minify}`];
  execFileSync("wrangler", ["deploy", entry, ...options], { cwd: root, stdio: "pipe" });
  return join(outdir, entry.slice(entry.lastIndexOf("/") + 1).replace(/\.ts$/, ".js"));
}

/** Builds what stands around a bundle, which it imports as the runtime has it. */
export function stage(entry: string, folder: string): string {
  const outfile = join(folder, entry.replaceAll("/", "-").replace(/\.ts$/, ".js"));
  buildSync({
    entryPoints: [join(project, entry)],
    outfile,
    bundle: true,
    format: "esm",
    target: "es2024",
    external: ["../../src/index", "cloudflare:*", "node:*"],
  });
  return outfile;
}

/** Lays out the project as it was at a commit, with the packages of today. */
export function checkout(commit: string, folder: string): string {
  const root = join(folder, commit);
  mkdirSync(root);
  const tar = execFileSync("git", ["archive", commit], { cwd: project, maxBuffer: 2 ** 28 });
  execFileSync("tar", ["-x", "-C", root], { input: tar });
  symlinkSync(join(project, "node_modules"), join(root, "node_modules"));
  return root;
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
