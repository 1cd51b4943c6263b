import { defineConfig } from "vitest/config";
import { reporters } from "../reporters.ts";

/** The pages in Debian's Chromium, as the built bundle serves them. */
export default defineConfig({
  root: new URL("../..", import.meta.url).pathname,
  test: {
    ...reporters("browser"),
    include: ["test/browser/**/*.test.ts"],
    globalSetup: "test/dev/built.ts",
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
