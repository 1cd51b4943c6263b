import type { Reporter } from "vitest/node";

/** The default reporter. If VITEST_JSON names a file, a JSON report too, from which CI counts the tests. */
export function reporters(...extraReporters: Reporter[]) {
  const json = process.env["VITEST_JSON"];
  if (json === undefined) return { reporters: ["default", ...extraReporters] };
  return { reporters: ["default", "json", ...extraReporters], outputFile: { json } };
}
