import { describe, expect, it } from "vitest";

const sources = import.meta.glob<string>("../../src/**/*.{ts,tsx}", {
  query: "?raw",
  import: "default",
  eager: true,
});

/** What no lint rule knows: the time of now and an id of now, without the clock. */
const impure = /\bnew Date\(\)|\bDate\(\)|\bulid\(\)/;
const outsideTheWorker = /\/src\/(?:dev|assets)\//;

describe("The Worker's sources", () => {
  it("read the time from the clock that they are given", () => {
    const files = Object.entries(sources).filter(([path]) => !outsideTheWorker.test(path));
    expect(files.length).toBeGreaterThan(200);
    const found = files.filter(([, text]) => impure.test(text)).map(([path]) => path);
    expect(found).toEqual([]);
  });
});
