import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { costs, latencies, pagePlots } from "../../bench/report/page-plots.ts";

const read = (path: string) =>
  readFileSync(new URL(`../../${path}`, import.meta.url).pathname, "utf8");
const results = read("bench/RESULTS.md");
const page = read("docs/numbers.md");
const rowsBelow = (heading: string) => {
  const [, section = ""] = page.split(`\n## ${heading}\n`);
  const lines = section.split("\n## ")[0]?.split("\n") ?? [];
  const rows = lines.filter((line) => line.startsWith("|")).slice(2);
  return rows.map((row) =>
    row
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim()),
  );
};

describe("Figures of docs/numbers.md", () => {
  it("plots what bench/RESULTS.md contains. `npm run bench plots` draws the plots again", () => {
    for (const [name, drawing] of Object.entries(pagePlots(results)))
      expect(read(`bench/plots/${name}.svg`)).toBe(drawing);
  });

  it("has the simulated latencies of bench/RESULTS.md", () => {
    const measured = latencies(results, ["get", "search", "create, key", "PATCH"]);
    const documented = rowsBelow("Latency from ten cities").map(
      ([city = "", ...cells]): [string, number[]] => [city, cells.map(Number)],
    );
    expect(new Map(documented)).toEqual(new Map(measured));
  });

  it("has the costs of single requests of bench/RESULTS.md", () => {
    const measured = costs(results);
    const documented = rowsBelow("Cost of a million requests").map(([, cost]) => Number(cost));
    expect(documented).toEqual(
      [
        "GET a submission",
        "POST search, equality",
        "POST a submission, 8 indexed fields",
        "the same with an Idempotency-Key",
        "PATCH a submission, one indexed field",
      ].map((request) => measured.get(request)),
    );
  });
});
