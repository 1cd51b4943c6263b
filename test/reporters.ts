import type { Reporter } from "vitest/node";

/** The default reporter. If VITEST_JSON names a folder, a JSON report too, from which CI counts the tests. */
export function reporters(name: string, ...extraReporters: Reporter[]) {
  const folder = process.env["VITEST_JSON"];
  if (!folder) return { reporters: ["default", ...extraReporters] };
  return {
    reporters: ["default", "json", ...extraReporters],
    outputFile: { json: `${folder}/${name}.json` },
  };
}
