import { createHash } from "node:crypto";
import {
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { SourceMap } from "node:module";
import { join } from "node:path";
import { build, context, type BuildOptions, type Plugin as BuildPlugin } from "esbuild";
import type { Plugin } from "vitest/config";
import { hashFiles } from "./hash-files.ts";

/**
 * Serves our sources and the packages of tests to workerd as a few bundles, which load in a fraction of the time of 900
 * modules. A source file is a part of one bundle, so that tests and the service share one instance of it. When Vitest
 * watches, a changed source is bundled again before the tests.
 */

/** Packages that tests in workerd import, with the names that they import from CommonJS. */
const packages: Record<string, string> = {
  "ajv/dist/2020.js": "{ Ajv2020 }",
  "ajv-formats": "{ default }",
  "drizzle-orm": "*",
  "drizzle-orm/sqlite-core": "*",
  "fast-check": "{ default }",
  "json-schema-faker": "*",
  papaparse: "{ default }",
  standardwebhooks: "{ Webhook }",
  ulid: "*",
};

const folder = "dist/tests";
/**
 * workerd loads the bundles itself. Vitest would evaluate them as functions, whose imports are slow. Each runtime waits for
 * the build, because Vitest may have cached everything that imports a bundle.
 */
export async function bundleRules(root: string) {
  await builtOnce(root);
  return [{ type: "ESModule" as const, include: [`**/${folder}/*.js`] }];
}

const bundleName = (name: string) => name.replaceAll(/\W+/g, "-");

export function bundleModules(root: string): Plugin {
  const bundlePath = (name: string) => join(root, folder, `${bundleName(name)}.js`);
  return {
    name: "bundled-modules",
    enforce: "pre",
    config: () => ({ server: { watch: { ignored: [`**/${folder}/**`] } } }),
    configureVitest({ vitest, project, defineCacheKeyGenerator }) {
      project.config.onStackTrace = (_, frame) => findSource(root, frame);
      // What `export *` exports depends on other files.
      defineCacheKeyGenerator(({ sourceCode }) =>
        /^export \*/m.test(sourceCode) ? false : undefined,
      );
      if (vitest.config.watch) vitest.onTestsRerun(() => bundleAgain(root));
    },
    async resolveId(id) {
      if (!(id in packages)) return undefined;
      await builtOnce(root);
      return bundlePath(id);
    },
    async load(id) {
      if (!id.startsWith(join(root, "src/"))) return undefined;
      const file = id.slice(root.length);
      const names = (await builtOnce(root)).get(file);
      if (!names) return undefined;
      const members = names.map((name) =>
        name === "default"
          ? "export default part.default;"
          : `export const ${name} = part.${name};`,
      );
      const bundle = JSON.stringify(bundlePath("sources"));
      return `import { ${JSON.stringify(file)} as part } from ${bundle};\n${members.join("\n")}`;
    },
  };
}

/** Replaces the position in a bundle by that in the source file. Vitest itself does not know the files of workerd. */
function findSource(root: string, frame: { file: string; line: number; column: number }): void {
  const [, name] = /\/(\w[^/]*\.js)\?mf_vitest_force=ESModule$/.exec(frame.file) ?? [];
  if (name === undefined) return;
  const map = JSON.parse(readFileSync(join(root, folder, `${name}.map`), "utf8"));
  const entry = new SourceMap(map).findEntry(frame.line - 1, frame.column - 1);
  if (!("originalSource" in entry)) return;
  frame.file = join(root, folder, entry.originalSource);
  frame.line = entry.originalLine + 1;
  frame.column = entry.originalColumn + 1;
}

/** What each source file exports. */
type Exports = ReadonlyMap<string, readonly string[]>;
type ExportsOfFile = readonly [file: string, names: readonly string[]];

interface StoredExports {
  /** The hash of the files that the bundles were built from. */
  inputs: string;
  /** The hash of the beginnings of all exports, from which their names follow. */
  beginnings: string;
  exports: readonly ExportsOfFile[];
}

let exportsOfSources: Promise<Exports> | undefined;

/** Builds once for all projects. */
const builtOnce = (root: string) => (exportsOfSources ??= buildBundles(root));

let bundledAgain: Promise<void> | undefined;

/** Builds again before tests that Vitest repeats, once for all projects. */
function bundleAgain(root: string): Promise<void> {
  bundledAgain ??= (async () => {
    const former = await exportsOfSources;
    exportsOfSources = buildBundles(root, true).catch((error: Error) => {
      // esbuild has printed the error. No test may pass with the former bundle.
      rmSync(join(root, folder, "exports.json"), { force: true });
      const failure = `throw new Error(${JSON.stringify(error.message)});`;
      replaceFile(join(root, folder, "sources.js"), Buffer.from(failure));
      return former ?? new Map();
    });
    await exportsOfSources;
    bundledAgain = undefined;
  })();
  return bundledAgain;
}

/** Builds unless an earlier run has built from the same files. */
async function buildBundles(root: string, isIncremental = false): Promise<Exports> {
  const inputs = hashFiles(root, [
    "src/**/*.{ts,tsx}",
    "{package-lock.json,package.json,tsconfig.json,test/bundled-modules.ts}",
  ]);
  const file = join(root, folder, "exports.json");
  const earlier = existsSync(file)
    ? (JSON.parse(readFileSync(file, "utf8")) as StoredExports)
    : undefined;
  if (earlier?.inputs === inputs) return new Map(earlier.exports);
  const sources = globSync("src/**/*.{ts,tsx}", { cwd: root }).filter(
    (path) => !/^src\/(dev|assets)\/|\.d\.ts$/.test(path),
  );
  const beginnings = hashExports(root, sources);
  const [exports] = await Promise.all([
    earlier?.beginnings === beginnings ? earlier.exports : listExports(root, sources),
    writeBundles(root, sources, isIncremental),
  ]);
  const stored: StoredExports = { inputs, beginnings, exports };
  replaceFile(file, Buffer.from(JSON.stringify(stored)));
  return new Map(exports);
}

/** Listing the exports takes longer than the bundles. A change within a function leaves them as they are. */
function hashExports(root: string, sources: readonly string[]): string {
  const hash = createHash("sha256");
  for (const path of sources) {
    const text = readFileSync(join(root, path), "utf8");
    hash
      .update(`\0${path}\0`)
      .update((text.match(/^export\b[^;{=(]*(\{[^}]*\})?/gm) ?? []).join("\0"));
  }
  return hash.digest("hex");
}

const commonOptions = {
  bundle: true,
  splitting: true,
  format: "esm",
  target: "es2024",
  outdir: folder,
  write: false,
} satisfies BuildOptions;

async function listExports(root: string, sources: string[]): Promise<ExportsOfFile[]> {
  const { metafile } = await build({
    ...commonOptions,
    absWorkingDir: root,
    entryPoints: sources,
    packages: "external",
    metafile: true,
  });
  return Object.values(metafile.outputs).flatMap(({ entryPoint, exports }) =>
    entryPoint === undefined ? [] : [[entryPoint, exports] as const],
  );
}

const contexts = new Map<string, ReturnType<typeof createContext>>();

async function writeBundles(
  root: string,
  sources: readonly string[],
  isIncremental: boolean,
): Promise<void> {
  const key = sources.join();
  const built = contexts.get(key) ?? createContext(root, sources);
  const { outputFiles } = await (await built).rebuild();
  if (isIncremental) contexts.set(key, built);
  else await (await built).dispose();
  mkdirSync(join(root, folder), { recursive: true });
  for (const { path, contents } of outputFiles) replaceFile(path, contents);
}

function createContext(root: string, sources: readonly string[]) {
  const entries = new Map([
    ["sources", sources.map((file) => `export * as "${file}" from "./${file}";`).join("\n")],
    ...Object.entries(packages).map(
      ([name, names]) => [bundleName(name), `export ${names} from "${name}";`] as const,
    ),
  ]);
  return context({
    ...commonOptions,
    absWorkingDir: root,
    entryPoints: [...entries.keys()].map((name) => ({ in: `entry:${name}`, out: name })),
    plugins: [virtualEntries(root, entries)],
    external: ["cloudflare:*", "node:*"],
    conditions: ["workerd", "worker", "module", "browser"],
    mainFields: ["browser", "module", "main"],
    sourcemap: true,
    logOverride: { "unsupported-require-call": "silent" },
    logLevel: "warning",
  });
}

/** Another run may be reading the file. */
function replaceFile(path: string, contents: Uint8Array): void {
  if (existsSync(path) && readFileSync(path).equals(contents)) return;
  const newFile = `${path}.${process.pid}`;
  writeFileSync(newFile, contents);
  renameSync(newFile, path);
}

const virtualEntries = (root: string, entries: ReadonlyMap<string, string>): BuildPlugin => ({
  name: "virtual-entries",
  setup(bundler) {
    bundler.onResolve({ filter: /^entry:/ }, ({ path }) => ({
      path: path.replace("entry:", ""),
      namespace: "entry",
    }));
    bundler.onLoad({ filter: /./, namespace: "entry" }, ({ path }) => ({
      contents: entries.get(path) ?? "",
      resolveDir: root,
    }));
  },
});
