import { figure, table } from "../report/markdown.ts";
import { bundle } from "../serve/bundle.ts";
import { Service } from "../serve/service.ts";
import { aggregates } from "../worst/aggregates.ts";
import { batches } from "../worst/batches.ts";
import { bodies } from "../worst/bodies.ts";
import { definitions } from "../worst/definitions.ts";
import { downloads } from "../worst/downloads.ts";
import { formulas } from "../worst/formulas.ts";
import { measure, type Measured } from "../worst/measure.ts";
import { patterns } from "../worst/patterns.ts";
import { representations } from "../worst/representations.ts";
import { rows } from "../worst/rows.ts";
import { searches } from "../worst/searches.ts";
import { texts } from "../worst/texts.ts";
import type { Part } from "./bench.ts";

/**
 * The limits of a request: milliseconds of CPU time, and megabytes beyond the idle process. The megabytes include the
 * local database, which runs in the same process, and uncollected garbage. An isolate has 128 MB.
 */
const usualMaxCpuMs = 400;
const maxMegabytes = 96;

const cases = [
  ...texts,
  ...bodies,
  ...batches,
  ...rows,
  ...representations,
  ...formulas,
  ...patterns,
  ...definitions,
  ...searches,
  ...aggregates,
  ...downloads,
];

/** Measures the most expensive known input of each route. No accepted request may delay other requests for long. */
export const worst: Part = async (bench) => {
  const main = bundle("src/index.ts", bench.builds);
  const service = new Service(bench.inMemory(), { main });
  await service.begin();
  await service.tokens(0);
  const results: Measured[] = [];
  const selectedCases = cases.filter(({ input }) => input.includes(bench.only));
  if (selectedCases.length === 0) throw new Error(`No worst case contains "${bench.only}".`);
  for (const worstCase of selectedCases) {
    const result = await measure(service, worstCase, bench.rounds);
    bench.note(rowOf(result).join(" | "));
    results.push(result);
  }
  await service.stop();
  service.remove();
  const exceeding = results.filter(
    ({ cpu, megabytes, inParts, maxCpuMs = usualMaxCpuMs }) =>
      (cpu > maxCpuMs && !inParts) || megabytes > maxMegabytes,
  );
  if (exceeding.length > 0) {
    const limits = `${usualMaxCpuMs} ms of CPU time, more where a case says so, or ${maxMegabytes} MB`;
    throw new Error(
      `${exceeding.length} requests take more than ${limits}:\n${tableOf(exceeding)}`,
    );
  }
  return [{ title: "Worst cases", text: tableOf(results) }];
};

const tableOf = (results: readonly Measured[]) =>
  table(["request", "input", "CPU, ms", "MB", "status"], results.map(rowOf));

/** Builds a table row. An aborted request has status 0, and its cost is only a lower bound. */
function rowOf({ route, input, cpu, megabytes, status }: Measured) {
  const prefix = status === 0 ? "> " : "";
  return [route, input, prefix + figure(cpu), prefix + figure(megabytes), status || "–"];
}
