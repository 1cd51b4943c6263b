import { defineConfig } from "vitest/config";
import { reporters } from "../reporters.ts";

/** The built bundle, called over HTTP: where eval is forbidden and processes can be killed. */
export default defineConfig({
  root: new URL("../..", import.meta.url).pathname,
  test: {
    ...reporters("dev"),
    include: ["test/dev/**/*.test.ts", "packages/client/test/**/*.test.ts"],
    globalSetup: "test/dev/built.ts",
    // One after another: several of them build the client.
    fileParallelism: false,
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
});
