import type { DefinitionCache } from "../../src/store/definitions/definition-cache";

/** For actions that a test calls itself. */
export const nothingCached: DefinitionCache = {
  recall: async () => undefined,
  keep: () => undefined,
};
