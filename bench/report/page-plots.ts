import { bars } from "./plot.ts";

/** Returns the cells of each row of the first table of a section. */
function rowsOf(results: string, title: string): string[][] {
  const [, section = ""] = results.split(`\n## ${title}\n`);
  const [table = ""] = /(^\|.*\|\n)+/m.exec(section.split("\n## ")[0] ?? "") ?? [];
  if (table === "") throw new Error(`RESULTS.md has no table under “${title}”.`);
  return table
    .trim()
    .split("\n")
    .map((row) =>
      row
        .slice(1, -1)
        .split("|")
        .map((cell) => cell.trim()),
    );
}

/** Returns the median in a cell like `218 → 88 / 75`, which also contains the former median and the floor. */
const medianOf = (cell = "") => Number(/(\d+) \//.exec(cell)?.[1]);

/** Returns the simulated medians of each city, sorted by the first one. */
export function latencies(results: string, operations: readonly string[]): [string, number[]][] {
  const [header = [], , ...rows] = rowsOf(results, "Distances, simulated");
  const columns = operations.map((operation) => header.indexOf(operation));
  return rows
    .map(([city = "", ...cells]): [string, number[]] => [
      city,
      columns.map((column) => medianOf(cells[column - 1])),
    ])
    .toSorted(([, [a = 0]], [, [b = 0]]) => a - b);
}

/** Returns the cost of a million of each request in USD. */
export function costs(results: string): Map<string, number> {
  const [, , ...rows] = rowsOf(results, "Cost");
  return new Map(rows.map(([request = "", ...cells]) => [request, Number(cells.at(-1))]));
}

const plottedCosts = {
  "get a submission": "GET a submission",
  "search by equality": "POST search, equality",
  "change one field": "PATCH a submission, one indexed field",
  "delete a submission": "DELETE a submission",
  "create, 8 fields": "POST a submission, 8 indexed fields",
  "create with a key": "the same with an Idempotency-Key",
};

/** Draws the plots of docs/numbers.md from the text of RESULTS.md. */
export function pagePlots(results: string): Record<string, string> {
  const latencyBars = latencies(results, ["get", "create, key"]).flatMap(
    ([city, [get = 0, create = 0]]) => [
      { label: `${city}, get`, value: get },
      { label: `${city}, create with a key`, value: create, colour: "#d9730d" },
    ],
  );
  const costByRequest = costs(results);
  const costBars = Object.entries(plottedCosts).map(([label, request]) => ({
    label,
    value: costByRequest.get(request) ?? NaN,
  }));
  return {
    latency: bars(latencyBars, "SIMULATED median latency in ms, primary database in Amsterdam"),
    cost: bars(costBars, "USD for a million requests, beyond the included amounts"),
  };
}
