import { globSync, readFileSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import type { Plugin } from "vitest/config";
import type { Vitest } from "vitest/node";

/**
 * While Vitest watches, a change to a source runs only the nearest test files. Nearly every test imports the whole service,
 * so Vitest itself would run nearly all of them.
 */

const maxFiles = 2;
/**
 * The time that the tests of these files may take, unless the only one is slow. The first file in a runtime takes about
 * 300 ms longer than in its quickest run.
 */
const maxMs = 400;
/** A file whose tests take longer runs only if it failed, or imports the source itself, or if no other is quicker. */
const maxSlowMs = 1000;

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

export interface TestFile {
  path: string;
  text: string;
  /** The number of imports from the test to the source, or Infinity. */
  distance: number;
  /** The time that its tests took when they were quickest. */
  ms: number;
  hasFailed: boolean;
}

interface Choice {
  paths: string[];
  /** A file that is nearer but slow. */
  slowPath: string | undefined;
}

/**
 * Chooses those of the test files that failed, and the nearest to the source: the ones that import it, then those with
 * the most words of its path, then those that mention its name. Of equally near files, quick ones come first.
 */
export function nearestTests(source: string, tests: readonly TestFile[]): Choice {
  const words = wordsOf(source);
  const name = new RegExp(basename(source, extname(source)).replaceAll("-", "\\W?"), "i");
  const order = ({ path, text, distance, ms, hasFailed }: TestFile): number[] => {
    const commonWords = [...wordsOf(path)].filter((word) => words.has(word)).length;
    const flags = [!hasFailed, distance > 1].map(Number);
    return [...flags, -commonWords, Number(!name.test(text)), Number(ms > maxMs), distance, ms];
  };
  const ordered = tests
    .filter(({ distance, hasFailed }) => hasFailed || distance < Infinity)
    .map((test) => ({ ...test, order: order(test) }))
    .toSorted((a, b) => a.order.map((part, i) => part - (b.order[i] ?? 0)).find(Boolean) ?? 0);
  const quick = ordered.filter(
    ({ ms, hasFailed, distance }) => ms <= maxSlowMs || hasFailed || distance <= 1,
  );
  const candidates = quick.length > 0 ? quick : ordered;
  const [nearest] = ordered;
  let totalMs = 0;
  const chosen = candidates.filter(({ ms }) => {
    if (totalMs > 0 && totalMs + ms > maxMs) return false;
    totalMs += ms;
    return true;
  });
  return {
    paths: chosen.slice(0, maxFiles).map(({ path }) => path),
    slowPath: nearest === candidates[0] ? undefined : nearest?.path,
  };
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
  const shortestMs = new Map<string, number>();
  const imports = new Imports(root);
  let chosen = "";
  vitest.config.watchTriggerPatterns = [
    {
      pattern: /\/(src|test|bench)\/.*\.tsx?$/,
      testsToRun(id) {
        imports.read(relative(id));
        // Vitest knows which tests import another module of tests.
        if (!id.startsWith(join(root, "src/"))) return undefined;
        const distances = imports.distancesTo(relative(id));
        for (const path of distances.keys()) vitest.watcher.invalidates.add(join(root, path));
        const tests = vitest.state.getTestModules().map((module) => {
          const path = relative(module.moduleId);
          const ms = Math.min(shortestMs.get(path) ?? Infinity, module.diagnostic().duration);
          shortestMs.set(path, ms);
          return {
            path,
            text: readFileSync(module.moduleId, "utf8"),
            distance: distances.get(path) ?? Infinity,
            ms,
            hasFailed: module.state() === "failed",
          };
        });
        const { paths, slowPath } = nearestTests(relative(id), tests);
        chosen = `Runs ${paths.length} of ${tests.length} test files. Press a to run all.`;
        if (slowPath !== undefined) chosen += ` Nearer, but slow: ${slowPath}`;
        return paths;
      },
    },
  ];
  vitest.onTestsRerun(() => {
    if (chosen !== "") vitest.logger.log(chosen);
    chosen = "";
  });
}
