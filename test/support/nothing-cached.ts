import type { DefinitionCache } from "../../src/store/data/collections.ts";

/** An empty definition cache for tests that call actions directly. */
export const nothingCached: DefinitionCache = {
  find: async () => undefined,
  put: () => undefined,
};
