import { figure, table } from "../report/markdown.ts";
import { bundle } from "../serve/bundle.ts";
import { Service } from "../serve/service.ts";
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
 * What a request may take: milliseconds of CPU time, and megabytes beyond the idle process. Those count the local
 * database, which is in the same process, and garbage that nobody had to collect yet; an isolate has 128 MB.
 */
const mostCpu = 400;
const mostMegabytes = 96;

const cases = [
  ...texts,
  ...bodies,
  ...rows,
  ...representations,
  ...formulas,
  ...patterns,
  ...definitions,
  ...searches,
  ...downloads,
];

/** The most costly input of each route that is known: whatever is accepted, no request holds up the others. */
export const worst: Part = async (bench) => {
  const main = bundle("src/index.ts", bench.builds);
  const service = new Service(bench.inMemory(), { main }, 8899);
  await service.begin();
  await service.tokens(0);
  const measured: Measured[] = [];
  for (const each of cases) {
    const found = await measure(service, each, bench.rounds);
    bench.note(rowOf(found).join(" | "));
    measured.push(found);
  }
  await service.stop();
  service.remove();
  const above = measured.filter(
    ({ cpu, megabytes, inParts }) => (cpu > mostCpu && !inParts) || megabytes > mostMegabytes,
  );
  if (above.length > 0) {
    const limits = `${mostCpu} ms of CPU time or ${mostMegabytes} MB`;
    throw new Error(`${above.length} requests take more than ${limits}:\n${tableOf(above)}`);
  }
  return [{ title: "Worst cases", text: tableOf(measured) }];
};

const tableOf = (measured: readonly Measured[]) =>
  table(["request", "input", "CPU, ms", "MB", "status"], measured.map(rowOf));

/** A request that was broken off has no status: it takes more than stands there. */
function rowOf({ route, input, cpu, megabytes, status }: Measured) {
  const more = status === 0 ? "> " : "";
  return [route, input, more + figure(cpu), more + figure(megabytes), status || "–"];
}
