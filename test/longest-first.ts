import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The files that take longest at full size, in this order. Some wait most of the time, while others keep the cores busy. */
const longestFiles = [
  "test/faults/every-route.test.ts",
  "test/dev/deployment/deployment.test.ts",
  "test/dev/clients.test.ts",
  "test/browser/every-page.test.ts",
  "test/dev/service.test.ts",
  "test/simulation/simulation.test.ts",
  "test/browser/documentation.test.ts",
  "test/dev/fresh-clone.test.ts",
  "test/dev/docs.test.ts",
  "test/dev/soak.test.ts",
  "test/dev/deployment/rebuild.test.ts",
  "test/simulation/files.test.ts",
  "test/fuzz/bodies.test.ts",
  "test/admin/expensive-rows.test.ts",
];

/** Starts the longest files first, so that the last worker does not end long after the others. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const index = longestFiles.findIndex((path) => moduleId.endsWith(path));
      return index === -1 ? longestFiles.length : index;
    };
    // oxlint-disable-next-line unicorn/no-array-sort -- not an array's method
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}
