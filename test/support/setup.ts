import { vi } from "vitest";
import { cacheMainModule } from "./cached-main-module";
import { forgetCollections } from "./conformance";
import { emptyStorage } from "./empty-storage";
import { quietRequestLog } from "./quiet-request-log";

/**
 * Starts a test file. Files share runtimes, but each has empty storage, an empty memory of the service, and its own
 * test modules. Only the sources and the imports of this file stay.
 */

interface ModuleNode {
  promise: unknown;
  exports: unknown;
  evaluated: boolean;
  importers: Set<string>;
}

const { moduleRunner } = Reflect.get(globalThis, "__vitest_mocker__") as {
  moduleRunner: { evaluatedModules: { idToModuleMap: Map<string, ModuleNode> } };
};
const root = new URL("../..", import.meta.url).pathname;
const modulesThatStay =
  /\/support\/(setup|cached-main-module|quiet-request-log|conformance|client|happenings|empty-storage|databases)\.ts$/;
const isEvaluatedAgain = (id: string) =>
  (id.startsWith(`${root}test/`) || id.startsWith(`${root}bench/`)) && !modulesThatStay.test(id);

for (const [id, node] of moduleRunner.evaluatedModules.idToModuleMap) {
  if (!isEvaluatedAgain(id)) continue;
  Object.assign(node, { promise: undefined, exports: undefined, evaluated: false });
  node.importers.clear();
}
cacheMainModule();
quietRequestLog();
vi.useRealTimers();
forgetCollections();
await emptyStorage();
