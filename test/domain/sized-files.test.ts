import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { isolatedFiles, sizedFiles, unitFiles } from "../projects.ts";

const root = new URL("../..", import.meta.url).pathname;
const files = (patterns: readonly string[]) => globSync([...patterns], { cwd: root }).toSorted();
const usesSize = (file: string) =>
  /from "[./]*\/support\/size(\.ts)?"/.test(readFileSync(join(root, file), "utf8"));

it("runs each file that has a full size in test:rest, in its project", () => {
  const [unit, isolated] = [files(unitFiles), files(isolatedFiles)];
  const inWorkerd = files(["test/**/*.test.ts"]).filter(
    (file) => !/^test\/(dev|browser|smoke|simulation)\//.test(file) && !unit.includes(file),
  );
  const withSize = {
    unit: unit.filter(usesSize),
    worker: inWorkerd.filter((file) => !isolated.includes(file) && usesSize(file)),
    isolated: isolated.filter(usesSize),
  };
  for (const project of ["unit", "worker", "isolated"] as const)
    expect(files(sizedFiles[project])).toEqual(expect.arrayContaining(withSize[project]));
});
