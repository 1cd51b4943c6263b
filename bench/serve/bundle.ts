import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { buildSync } from "esbuild";

export const project = new URL("../..", import.meta.url).pathname;

/** Bundles a Worker of the project in `root` like a deployment. Returns the bundle's path. */
export function bundle(entry: string, folder: string, minify = true, root = project): string {
  const name = entry.replaceAll("/", "-").replace(/\.ts$/, "");
  const outdir = join(folder, `${basename(root)}-${name}${minify ? "" : "-readable"}`);
  const options = ["--dry-run", `--outdir=${outdir}`, `--minify=${minify}`, "--metafile"];
  execFileSync("wrangler", ["deploy", entry, ...options], { cwd: root, stdio: "pipe" });
  return join(outdir, entry.slice(entry.lastIndexOf("/") + 1).replace(/\.ts$/, ".js"));
}

/** The bytes of a bundle by area, largest first: the folders of `src` and the packages. */
export function bytesByArea(file: string): [area: string, bytes: number][] {
  const metadata = JSON.parse(readFileSync(join(dirname(file), "bundle-meta.json"), "utf8")) as {
    outputs: Record<string, { inputs: Record<string, { bytesInOutput: number }> }>;
  };
  const areas = new Map<string, number>();
  for (const { inputs } of Object.values(metadata.outputs)) {
    for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
      const area = areaOf(path);
      areas.set(area, (areas.get(area) ?? 0) + bytesInOutput);
    }
  }
  return [...areas].toSorted(([, a], [, b]) => b - a);
}

function areaOf(path: string): string {
  const [, name] = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path) ?? [];
  return name ?? /(?:^|\/)src\/([^/]+)\//.exec(path)?.[1] ?? "entry";
}

/** Builds a Worker that wraps a bundle. It imports the bundle at run time. */
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

/** Checks out the project at a commit, with the currently installed packages. */
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
  r2: "r2/bucket.worker.js",
  entry: "shared/object-entry.worker.js",
  shared: "shared/index.worker.js",
  zod: "shared/zod.worker.js",
};

/** Copies miniflare's D1, KV and R2, which `wrangler dev` runs, into a folder. */
export function copyStorage(folder: string): void {
  const workers = join(project, "node_modules/miniflare/dist/src/workers");
  mkdirSync(folder, { recursive: true });
  for (const [name, source] of Object.entries(parts)) {
    cpSync(join(workers, source), join(folder, `${name}.js`));
  }
}
