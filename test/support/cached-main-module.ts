/**
 * For each request and each call of a Durable Object, the runtime of the tests imports the entry of the Worker, and
 * Vitest asks its server each time. The response is always the same, so this caches it. Imports of test files are not
 * cached, because they have options.
 */

interface ModuleRunner {
  import: (specifier: string, options?: object) => Promise<unknown>;
}

const { moduleRunner } = Reflect.get(globalThis, "__vitest_mocker__") as {
  moduleRunner: ModuleRunner;
};
const importUncached = moduleRunner.import.bind(moduleRunner);
const modules = new Map<string, Promise<unknown>>();

export function cacheMainModule(): void {
  moduleRunner.import = (specifier, options) => {
    if (options) return importUncached(specifier, options);
    const known = modules.get(specifier) ?? importUncached(specifier);
    modules.set(specifier, known);
    return known;
  };
}
