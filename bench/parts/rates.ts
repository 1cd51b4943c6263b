import { inRounds, type Subject, type Summary } from "../measure/rounds.ts";
import { figure, table } from "../report/markdown.ts";
import { bundle } from "../serve/bundle.ts";
import { present, tokenCount, type Bench, type Part, type Version } from "./bench.ts";
import { floorOf, showFloor } from "./floor.ts";
import { callsOf, operations, prepared } from "./operations.ts";

const scale = 100_000;
const connectionCounts = [1, 8];
/** The goals, as multiples of the rate of the version to compare with. */
const goals: Record<string, number> = { get: 2, list: 1.6, create: 1.6 };

/** Compares the versions on disk in alternating rounds, with the floor of the current version. */
export const rates: Part = async (bench) => {
  const services: Awaited<ReturnType<typeof serve>>[] = [];
  for (const version of bench.versions) services.push(await serve(bench, version));
  const subjects = connectionCounts.flatMap((connections) =>
    operations.flatMap((operation) => {
      const name = `${operation.name}, ${connections} connection${connections === 1 ? "" : "s"}`;
      return services.flatMap(({ service, tokens, isPresent }): Subject[] => {
        const next = callsOf(operation, `${service.url()}/api/v1`, tokens);
        const subject = { name, pid: service.pid, connections, next, status: operation.status };
        const floor = { ...floorOf(service, tokens, operation), name, connections };
        return isPresent ? [subject, floor] : [subject];
      });
    }),
  );
  const summaries = await inRounds(subjects, bench.rounds, bench.milliseconds);
  for (const { service } of services) await service.stop();
  return [{ title: "Rates on disk", text: report(bench.versions, summaries) }];
};

async function serve({ onDisk, builds }: Bench, { name, root }: Version) {
  const main = bundle("src/index.ts", builds, true, root);
  const isPresent = name === present;
  const bundles = isPresent ? { main, floor: bundle("bench/workers/floor.ts", builds) } : { main };
  const started = await prepared(onDisk(), bundles, scale, tokenCount, [], root);
  if (isPresent) await showFloor(started.service, started.tokens);
  return { ...started, isPresent };
}

function report(versions: readonly Version[], summaries: readonly Summary[]): string {
  const rows = [];
  const names = [...versions.map(({ name }) => name), "floor"];
  for (let i = 0; i < summaries.length; i += names.length) {
    const round = summaries.slice(i, i + names.length);
    const [first, last, floor] = [round[0], round.at(-2), round.at(-1)];
    if (!first || !last || !floor) break;
    const failures = round.reduce((sum, { failures: failed }) => sum + failed, 0);
    const comparison =
      versions.length > 1
        ? [ratioWithGoal(first, last), `${rateFactor(first, floor).toFixed(2)} ×`]
        : ["", ""];
    rows.push([
      first.name,
      ...round.map(({ rate, p50, p99 }) => `${figure(rate)} (${figure(p50)} / ${figure(p99)})`),
      ...comparison,
      ...round.map(({ cpu }) => figure(cpu)),
      failures,
    ]);
  }
  const header = [
    "req/s (p50 / p99, ms)",
    ...names,
    "ratio",
    "the floor's",
    ...names.map((name) => `CPU ${name}, µs`),
    "failures",
  ];
  return `${table(header, rows)}

${scale.toLocaleString("en-US")} submissions of 10 fields, data on disk; a create brings a key. The floor makes the same
call of the credential's object and the same D1 statements as the present version, and nothing else.`;
}

const rateFactor = (baseline: Summary, measured: Summary) => measured.rate / baseline.rate;

function ratioWithGoal(baseline: Summary, measured: Summary): string {
  const factor = rateFactor(baseline, measured);
  const goal = goals[baseline.name.replace(/,.*/, "")];
  const verdict = goal === undefined ? "" : factor >= goal ? " ✓" : ` ✗ (goal ${goal} ×)`;
  return `${factor.toFixed(2)} ×${verdict}`;
}
