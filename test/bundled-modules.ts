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
import { setTimeout as delay } from "node:timers/promises";
import { rolldown } from "rolldown";
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
    configureVitest({ vitest, project, defineCacheKeyGenerator }) {
      project.config.onStackTrace = (_, frame) => findSource(root, frame);
      // What `export *` exports depends on other files.
      defineCacheKeyGenerator(({ sourceCode }) =>
        /^export \*/m.test(sourceCode) ? false : undefined,
      );
      if (!vitest.config.watch) return;
      // The first build takes twice as long as the next, so it must not be the one after a change.
      firstBuild ??= builtOnce(root)
        .then(async () => writeBundles(root))
        .catch(() => undefined);
      vitest.vite.watcher.on("all", (_, path) => {
        if (!path.startsWith(join(root, "src/"))) return;
        isOutdated = true;
        // The build need not wait until Vitest has collected all changes.
        if (vitest.state.getTestModules().some((module) => module.project === project))
          void bundleAgain(root);
      });
      vitest.onTestsRerun(async (files) => {
        if (files.some((file) => file.project === project)) await bundleAgain(root);
      });
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
      const members = names
        .filter((name) => name !== "*")
        .map((name) =>
          name === "default"
            ? "export default part.default;"
            : `export const ${name} = part.${name};`,
        );
      const bundle = JSON.stringify(bundlePath("sources"));
      const others = names.includes("*")
        ? readFileSync(id, "utf8").match(/^export \* .*$/gm)
        : null;
      return [
        `import { ${JSON.stringify(file)} as part } from ${bundle};`,
        ...members,
        ...(others ?? []),
      ].join("\n");
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

/** What each source file exports. `*` stands for the exports of other files. */
type Exports = ReadonlyMap<string, readonly string[]>;

interface StoredExports {
  /** The hash of the files that the bundles were built from. */
  inputs: string;
  exports: readonly (readonly [file: string, names: readonly string[]])[];
}

let exportsOfSources: Promise<Exports> | undefined;

/** Builds once for all projects. */
const builtOnce = (root: string) => (exportsOfSources ??= buildBundles(root));

let firstBuild: Promise<unknown> | undefined;

/** Whether a source has changed since the last build began. */
let isOutdated = false;
let building: Promise<void> | undefined;

/** Builds again after a change, once for all projects. */
function bundleAgain(root: string): Promise<void> {
  building ??= (async () => {
    // Each project reports the same change, and an editor may write a file in steps.
    await Promise.all([delay(20), firstBuild]);
    while (isOutdated) {
      isOutdated = false;
      // oxlint-disable-next-line no-await-in-loop -- a source may change during the build
      await buildOrFail(root);
    }
    building = undefined;
  })();
  return building;
}

async function buildOrFail(root: string): Promise<void> {
  const former = await exportsOfSources;
  exportsOfSources = buildBundles(root).catch((error: Error) => {
    // oxlint-disable-next-line no-console
    console.error(error.message);
    // No test may pass with the former bundle.
    rmSync(join(root, folder, "exports.json"), { force: true });
    const failure = `throw new Error(${JSON.stringify(error.message)});`;
    replaceFile(join(root, folder, "sources.js"), Buffer.from(failure));
    return former ?? new Map();
  });
  await exportsOfSources;
}

/** Builds unless an earlier run has built from the same files. */
async function buildBundles(root: string): Promise<Exports> {
  const inputs = hashFiles(root, [
    "src/**/*.{ts,tsx}",
    "{package-lock.json,package.json,tsconfig.json,test/bundled-modules.ts}",
  ]);
  const file = join(root, folder, "exports.json");
  const earlier = existsSync(file)
    ? (JSON.parse(readFileSync(file, "utf8")) as StoredExports)
    : undefined;
  if (earlier?.inputs === inputs) return new Map(earlier.exports);
  const exports = await writeBundles(root);
  const stored: StoredExports = { inputs, exports: [...exports] };
  replaceFile(file, Buffer.from(JSON.stringify(stored)));
  return exports;
}

async function writeBundles(root: string): Promise<Exports> {
  const sources = globSync("src/**/*.{ts,tsx}", { cwd: root }).filter(
    (path) => !/^src\/(dev|assets)\/|\.d\.ts$/.test(path),
  );
  const entries = new Map([
    ["sources", sources.map((file) => `export * as "${file}" from "${root}${file}";`).join("\n")],
    ...Object.entries(packages).map(
      ([name, names]) => [bundleName(name), `export ${names} from "${name}";`] as const,
    ),
  ]);
  const exports = new Map<string, readonly string[]>();
  const bundle = await rolldown({
    cwd: root,
    input: Object.fromEntries([...entries.keys()].map((name) => [name, `entry:${name}`])),
    external: [/^cloudflare:/, /^node:/],
    resolve: {
      conditionNames: ["workerd", "worker", "module", "browser", "import"],
      mainFields: ["browser", "module", "main"],
    },
    plugins: [
      {
        name: "entries",
        resolveId: { filter: { id: /^entry:/ }, handler: (id) => id },
        load: {
          filter: { id: /^entry:/ },
          handler: (id) => entries.get(id.slice("entry:".length)),
        },
        buildEnd() {
          for (const file of sources)
            exports.set(file, this.getModuleInfo(join(root, file))?.exports ?? []);
        },
      },
    ],
  });
  const { output } = await bundle.generate({
    dir: join(root, folder),
    sourcemap: true,
    sourcemapExcludeSources: true,
  });
  await bundle.close();
  mkdirSync(join(root, folder), { recursive: true });
  for (const part of output)
    replaceFile(
      join(root, folder, part.fileName),
      Buffer.from(part.type === "chunk" ? part.code : part.source),
    );
  return exports;
}

/** Another run may be reading the file. */
function replaceFile(path: string, contents: Uint8Array): void {
  if (existsSync(path) && readFileSync(path).equals(contents)) return;
  const newFile = `${path}.${process.pid}`;
  writeFileSync(newFile, contents);
  renameSync(newFile, path);
}
