import { expect, it } from "vitest";
import { nearestTests, type TestFile } from "../nearest-tests.ts";

const test = (path: string, distance: number, others: Partial<TestFile> = {}): TestFile => ({
  path: `test/${path}.test.ts`,
  text: "",
  distance,
  ms: 100,
  hasFailed: false,
  ...others,
});
const nearest = (source: string, tests: TestFile[]) =>
  nearestTests(`src/${source}.ts`, tests).paths.map((path) =>
    path.slice("test/".length, -".test.ts".length),
  );

it("After a change to a source, two files run again: failed ones, then those nearest to the source", () => {
  const tests = [test("api/files", 4), test("api/views", 4), test("domain/views", 1)];
  expect(nearest("domain/views", [...tests, test("gate/meter", Infinity)])).toEqual([
    "domain/views",
    "api/views",
  ]);
  expect(
    nearest("domain/views", [...tests, test("gate/meter", Infinity, { hasFailed: true })]),
  ).toEqual(["gate/meter", "domain/views"]);
});

it("Files that mention the name of the source come before others, and quick files before slow ones as near", () => {
  const tests = [
    test("api/files", 3),
    test("api/downloads", 4, { text: 'Accept: "text/csv"', ms: 2000 }),
    test("api/listing", 4, { text: 'Accept: "text/csv"', ms: 300 }),
  ];
  expect(nearest("documents/csv", tests)).toEqual(["api/listing", "api/files"]);
});

it("A slow file runs alone if it imports the source", () => {
  const tests = [test("api/files", 4), test("pattern/pattern", 1, { ms: 3000 })];
  expect(nearest("domain/pattern/parse", tests)).toEqual(["pattern/pattern"]);
});

it("Other slow files run only if no file is quicker, and are named otherwise", () => {
  const slow = [test("admin/audit", 4, { ms: 2000 }), test("admin/lists", 4, { ms: 3000 })];
  const source = "src/admin/audit/audit.tsx";
  expect(nearestTests(source, [...slow, test("api/files", 4)])).toEqual({
    paths: ["test/api/files.test.ts"],
    slowPath: "test/admin/audit.test.ts",
  });
  expect(nearestTests(source, slow)).toEqual({
    paths: ["test/admin/audit.test.ts"],
    slowPath: undefined,
  });
});
