import { expect, it } from "vitest";
import { nearestTests } from "../nearest-tests.ts";

it("After a change to a source, two files run again: failed ones, then those nearest to the source", () => {
  const distances = new Map([
    ["test/api/files.test.ts", 4],
    ["test/api/views.test.ts", 4],
    ["test/domain/views.test.ts", 1],
  ]);
  const tests = [...distances.keys(), "test/gate/meter.test.ts"];
  const nearest = (failed: string[] = []) =>
    nearestTests("src/domain/views.ts", distances, tests, failed);
  expect(nearest()).toEqual(["test/domain/views.test.ts", "test/api/views.test.ts"]);
  expect(nearest(["test/gate/meter.test.ts"])).toEqual([
    "test/gate/meter.test.ts",
    "test/domain/views.test.ts",
  ]);
});
