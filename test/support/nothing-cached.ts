import type { DefinitionCache } from "../../src/store/data/collections.ts";

/** For actions that a test calls itself. */
export const nothingCached: DefinitionCache = {
  recall: async () => undefined,
  keep: () => undefined,
};
