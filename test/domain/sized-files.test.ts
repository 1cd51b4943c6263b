import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { isolatedFiles, longFiles, sizedFiles, unitFiles } from "../projects.ts";

const root = new URL("../..", import.meta.url).pathname;
const files = (patterns: readonly string[]) => globSync([...patterns], { cwd: root }).toSorted();
const read = (file: string) => readFileSync(join(root, file), "utf8");
const usesSize = (file: string) => /from "[./]*\/support\/size(\.ts)?"/.test(read(file));
const longWorkerFiles = files(longFiles.worker);
const longIsolatedFiles = files(longFiles.isolated);

it("runs long files in test:rest whole, in the runtimes that npm test leaves them out of", () => {
  const isolated = files(isolatedFiles);
  expect(longIsolatedFiles.filter((file) => !isolated.includes(file))).toEqual([]);
  expect(longWorkerFiles.filter((file) => isolated.includes(file))).toEqual([]);
  const long = [...longWorkerFiles, ...longIsolatedFiles];
  expect(long.filter((file) => read(file).includes("unsized"))).toEqual([]);
  const sized = files(Object.values(sizedFiles).flat());
  expect(long.filter((file) => sized.includes(file))).toEqual([]);
});

it("runs each file that has a full size in test:rest, in its project", () => {
  const [unit, isolated] = [files(unitFiles), files(isolatedFiles)];
  const inWorkerd = files(["test/**/*.test.ts"]).filter(
    (file) => !/^test\/(dev|browser|smoke|simulation)\//.test(file) && !unit.includes(file),
  );
  const withSize = {
    unit: unit.filter(usesSize),
    worker: inWorkerd.filter(
      (file) => !isolated.includes(file) && !longWorkerFiles.includes(file) && usesSize(file),
    ),
  };
  for (const project of ["unit", "worker"] as const)
    expect(files(sizedFiles[project])).toEqual(expect.arrayContaining(withSize[project]));
  const isolatedInRest = longIsolatedFiles;
  expect(isolatedInRest).toEqual(expect.arrayContaining(isolated.filter(usesSize)));
});
