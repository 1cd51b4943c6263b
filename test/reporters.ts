/** For people; and, where VITEST_JSON names a folder, a report for the count that CI closes with. */
export function reporters(name: string) {
  const folder = process.env["VITEST_JSON"];
  if (!folder) return { reporters: ["default"] };
  return { reporters: ["default", "json"], outputFile: { json: `${folder}/${name}.json` } };
}
