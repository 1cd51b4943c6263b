import type { Reporter } from "vitest/node";

/** For people; and, where VITEST_JSON names a folder, a report for the count that CI closes with. */
export function reporters(name: string, ...own: Reporter[]) {
  const folder = process.env["VITEST_JSON"];
  if (!folder) return { reporters: ["default", ...own] };
  return {
    reporters: ["default", "json", ...own],
    outputFile: { json: `${folder}/${name}.json` },
  };
}
