import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hashFiles } from "../hash-files.ts";

/**
 * The deployable bundle and the demo that tests share. Both stay in `dist/built` and are used again while nothing that they
 * are built from changes.
 */

export const project = new URL("../..", import.meta.url).pathname;
export const projectPaths = [
  "src",
  "migrations",
  "examples",
  "node_modules",
  "package.json",
  "wrangler.toml",
  "tsconfig.json",
];

/** The paths of a service's own state: its data, its owner and its secrets. */
export const statePaths = [".wrangler", ".dev.vars"];

// The lock file names the version of each package.
const inputs = [
  "{src,migrations,docs,bench/plots}/**/*.*",
  "{CHANGELOG.md,package.json,package-lock.json,tsconfig.json,wrangler.toml}",
];

const folder = join(project, "dist/built");
/** A build that was not used for this long belongs to an older state of the sources. */
const unusedMs = 24 * 60 * 60 * 1000;

/** Returns the folder of the bundle, with its options and its assets. Builds it if the sources have changed. */
export function ensureBundle(): string {
  process.env["EDGE_FORMS_BUILT"] ??= ensureFolder(join(folder, hashInputs(project)), buildBundle);
  return process.env["EDGE_FORMS_BUILT"];
}

/** Returns a folder with the state of a service that has the demo. The demo ends today, so it is created each day. */
export function ensureDemo(): string {
  const bundle = ensureBundle();
  const today = new Date().toISOString().slice(0, 10);
  process.env["EDGE_FORMS_DEMO"] ??= ensureFolder(`${bundle}-demo-${today}`, (target) =>
    createDemo(bundle, target),
  );
  return process.env["EDGE_FORMS_DEMO"];
}

/** Returns a folder with the commands of `src/dev` in few files, which Node loads in half the CPU time of the sources. */
export function ensureCommands(): string {
  process.env["EDGE_FORMS_COMMANDS"] ??= ensureFolder(
    join(folder, `${hashInputs(project)}-commands`),
    buildCommands,
  );
  return process.env["EDGE_FORMS_COMMANDS"];
}

/** Runs once per test run, before files that need the client and the demo. */
export default function setup(): void {
  if (process.env["EDGE_FORMS_CLIENT"] === undefined) {
    execFileSync("node", [join(project, "packages/client/build.ts")]);
    process.env["EDGE_FORMS_CLIENT"] = "built";
  }
  ensureDemo();
}

/** Links the project's files into a folder, so that commands leave the project as it is. */
export function linkProject(target: string): void {
  for (const path of projectPaths) symlinkSync(join(project, path), join(target, path));
}

/** Returns a hash of everything below `root` that the bundle, its assets and the demo are built from. */
export const hashInputs = (root: string): string => hashFiles(root, inputs);

/** The folder gets its name when it is complete, because other runs may build the same one. */
function ensureFolder(path: string, build: (target: string) => void): string {
  if (existsSync(path)) {
    utimesSync(path, new Date(), new Date());
    return path;
  }
  removeUnused();
  const target = `${path}.${process.pid}`;
  mkdirSync(target, { recursive: true });
  build(target);
  if (existsSync(path)) rmSync(target, { recursive: true });
  else renameSync(target, path);
  return path;
}

function removeUnused(): void {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (Date.now() - statSync(path).mtimeMs > unusedMs) rmSync(path, { recursive: true });
  }
}

/** Calls `use` with a temporary folder in which commands can run as in the project. */
function inClone(use: (clone: string) => void): void {
  const clone = mkdtempSync(join(tmpdir(), "edge-forms-"));
  linkProject(clone);
  use(clone);
  rmSync(clone, { recursive: true });
}

function buildBundle(target: string): void {
  inClone((clone) => {
    for (const name of ["TOKEN_SECRET", "SETUP_SECRET"]) {
      writeFileSync(join(clone, ".dev.vars"), `${name}="the ${name} of tests"\n`, { flag: "a" });
    }
    execFileSync("wrangler", ["deploy", "--dry-run", `--outdir=${target}`], { cwd: clone });
    cpSync(join(clone, "dist/assets"), join(target, "assets"), { recursive: true });
    cpSync(join(clone, ".dev.vars"), join(target, ".dev.vars"));
    const { workerOptions } = loadWrangler().unstable_getMiniflareWorkerOptions(
      join(clone, "wrangler.toml"),
    );
    writeFileSync(join(target, "options.json"), JSON.stringify(workerOptions));
  });
}

function buildCommands(target: string): void {
  loadEsbuild().buildSync({
    absWorkingDir: project,
    entryPoints: ["src/dev/*.ts"],
    outdir: target,
    bundle: true,
    splitting: true,
    platform: "node",
    format: "esm",
    external: ["wrangler", "miniflare"],
  });
}

/** Loading wrangler takes a second, which only a build needs. */
const loadWrangler = () => createRequire(import.meta.url)("wrangler") as typeof import("wrangler");
const loadEsbuild = () => createRequire(import.meta.url)("esbuild") as typeof import("esbuild");

function createDemo(bundle: string, target: string): void {
  inClone((clone) => {
    cpSync(join(bundle, ".dev.vars"), join(clone, ".dev.vars"));
    execFileSync("node", [join(import.meta.dirname, "create-demo.ts")], { cwd: clone });
    for (const path of statePaths) {
      cpSync(join(clone, path), join(target, path), { recursive: true });
    }
  });
}
