/**
 * For each request and each call of a Durable Object, the runtime of the tests imports the entry of the Worker, and Vitest
 * asks its server each time. Within one test file the answer stays the same.
 */

interface ModuleRunner {
  import: (specifier: string) => Promise<unknown>;
  importUncached?: (specifier: string) => Promise<unknown>;
}

const { moduleRunner } = Reflect.get(globalThis, "__vitest_mocker__") as {
  moduleRunner: ModuleRunner;
};
// Files that share a runtime run this again.
const importUncached = (moduleRunner.importUncached ??= moduleRunner.import.bind(moduleRunner));
const modules = new Map<string, Promise<unknown>>();

moduleRunner.import = (specifier) => {
  const known = modules.get(specifier) ?? importUncached(specifier);
  modules.set(specifier, known);
  return known;
};
