import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Plugin } from "vitest/config";
import type { Vitest } from "vitest/node";

/**
 * While Vitest watches, a change to a source runs only the nearest test files. Nearly every test imports the whole service,
 * so Vitest itself would run nearly all of them.
 */

const maxFiles = 2;
/** The time that the tests of these files may take, unless the only one is slow. */
const maxMs = 600;

/** The imports of each source and each test file, read again when they change. */
class Imports {
  readonly #root: string;
  readonly #paths: Set<string>;
  readonly #importsOf = new Map<string, readonly string[]>();

  constructor(root: string) {
    this.#root = root;
    this.#paths = new Set(
      globSync("{src,test,bench}/**/*.{ts,tsx}", {
        cwd: root,
        exclude: (name) => name.includes("node_modules"),
      }),
    );
    for (const path of this.#paths) this.read(path);
  }

  read(path: string): void {
    this.#paths.add(path);
    const text = readFileSync(join(this.#root, path), "utf8");
    const specifiers = text.matchAll(/\b(?:from|import)\s*\(?\s*"([^"]+)"/g);
    this.#importsOf.set(
      path,
      [...specifiers].flatMap(([, specifier = ""]) => this.#find(path, specifier) ?? []),
    );
  }

  #find(importer: string, specifier: string): string | undefined {
    if (!/^[.#]/.test(specifier)) return undefined;
    const path = specifier.startsWith("#")
      ? join("src", specifier.slice(1))
      : join(dirname(importer), specifier);
    return [path, `${path}.ts`, `${path}.tsx`].find((each) => this.#paths.has(each));
  }

  /** Returns the distances of all files that import this one, also through others. */
  distancesTo(path: string): Map<string, number> {
    const importersOf = new Map<string, string[]>();
    for (const [importer, imported] of this.#importsOf)
      for (const each of imported)
        importersOf.set(each, [...(importersOf.get(each) ?? []), importer]);
    const distances = new Map([[path, 0]]);
    for (const [each, distance] of distances)
      for (const importer of importersOf.get(each) ?? [])
        if (!distances.has(importer)) distances.set(importer, distance + 1);
    return distances;
  }
}

const wordsOf = (path: string) => new Set(path.toLowerCase().match(/[a-z]{2,}/g));

/**
 * Returns those of the test files that failed, and the nearest to the source: the ones that import it, then those with the
 * most words of its path. Of equally near files, the ones that were quick in their last run come first.
 */
export function nearestTests(
  source: string,
  distances: ReadonlyMap<string, number>,
  tests: ReadonlyMap<string, number>,
  failed: readonly string[],
): string[] {
  const words = wordsOf(source);
  const key = (path: string) => {
    const commonWords = [...wordsOf(path)].filter((word) => words.has(word)).length;
    const distance = distances.get(path) ?? 0;
    const duration = tests.get(path) ?? 0;
    return [distance > 1, -commonWords, duration > maxMs, distance, duration].map(Number);
  };
  const nearest = [...tests.keys()]
    .filter((path) => distances.has(path))
    .map((path) => ({ path, key: key(path) }))
    .toSorted((a, b) => a.key.map((part, i) => part - (b.key[i] ?? 0)).find(Boolean) ?? 0)
    .map(({ path }) => path);
  let ms = 0;
  return [...new Set([...failed, ...nearest])].slice(0, maxFiles).filter((path, i) => {
    ms += tests.get(path) ?? 0;
    return i === 0 || ms <= maxMs;
  });
}

export function runNearestTests(root: string): Plugin {
  return {
    name: "nearest-tests",
    configureVitest({ vitest }) {
      if (vitest.config.watch) watch(root, vitest);
    },
  };
}

function watch(root: string, vitest: Vitest): void {
  const relative = (path: string) => path.slice(root.length);
  let imports: Imports | undefined;
  let chosen = "";
  vitest.config.watchTriggerPatterns = [
    {
      pattern: /\/(src|test|bench)\/.*\.tsx?$/,
      testsToRun(id) {
        imports ??= new Imports(root);
        imports.read(relative(id));
        // Vitest knows which tests import another module of tests.
        if (!id.startsWith(join(root, "src/"))) return undefined;
        const distances = imports.distancesTo(relative(id));
        for (const path of distances.keys()) vitest.watcher.invalidates.add(join(root, path));
        const tests = new Map(
          vitest.state
            .getTestModules()
            .map((module) => [relative(module.moduleId), module.diagnostic().duration]),
        );
        const failed = vitest.state.getFailedFilepaths().map(relative);
        const nearest = nearestTests(relative(id), distances, tests, failed);
        chosen = `Runs ${nearest.length} of ${tests.size} test files. Press a to run all.`;
        return nearest;
      },
    },
  ];
  vitest.onTestsRerun(() => {
    if (chosen !== "") vitest.logger.log(chosen);
    chosen = "";
  });
}
