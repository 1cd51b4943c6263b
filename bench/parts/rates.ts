import { inRounds, type Subject, type Summary } from "../measure/rounds.ts";
import { figure, table } from "../report/markdown.ts";
import { bundle } from "../serve/bundle.ts";
import { present, tokenCount, type Bench, type Part, type Version } from "./bench.ts";
import { floorOf, showFloor } from "./floor.ts";
import { callsOf, operations, prepared } from "./operations.ts";

const scale = 100_000;
const connectionCounts = [1, 8];
/** How many times the rate of the version that it is compared with. */
const goals: Record<string, number> = { get: 2, list: 1.6, create: 1.6 };

/** The versions beside each other on disk, in alternating rounds, and the floor of the present one. */
export const rates: Part = async (bench) => {
  const served: Awaited<ReturnType<typeof serve>>[] = [];
  for (const [i, version] of bench.versions.entries()) {
    served.push(await serve(bench, version, 8680 + i * 10));
  }
  const subjects = connectionCounts.flatMap((connections) =>
    operations.flatMap((operation) => {
      const name = `${operation.name}, ${connections} connection${connections === 1 ? "" : "s"}`;
      return served.flatMap(({ service, tokens, isPresent }): Subject[] => {
        const next = callsOf(operation, `${service.url()}/api/v1`, tokens);
        const own = { name, pid: service.pid, connections, next, status: operation.status };
        const floor = { ...floorOf(service, tokens, operation), name, connections };
        return isPresent ? [own, floor] : [own];
      });
    }),
  );
  const summaries = await inRounds(subjects, bench.rounds, bench.milliseconds);
  for (const { service } of served) await service.stop();
  return [{ title: "Rates on disk", text: report(bench.versions, summaries) }];
};

async function serve({ onDisk, builds }: Bench, { name, root }: Version, port: number) {
  const main = bundle("src/index.ts", builds, true, root);
  const isPresent = name === present;
  const bundles = isPresent ? { main, floor: bundle("bench/workers/floor.ts", builds) } : { main };
  const made = await prepared(onDisk(), bundles, port, scale, tokenCount, [], root);
  if (isPresent) await showFloor(made.service, made.tokens);
  return { ...made, isPresent };
}

function report(versions: readonly Version[], summaries: readonly Summary[]): string {
  const rows = [];
  const names = [...versions.map(({ name }) => name), "floor"];
  for (let i = 0; i < summaries.length; i += names.length) {
    const each = summaries.slice(i, i + names.length);
    const [first, last, floor] = [each[0], each.at(-2), each.at(-1)];
    if (!first || !last || !floor) break;
    const failures = each.reduce((sum, { failures: failed }) => sum + failed, 0);
    const compared =
      versions.length > 1 ? [ratio(first, last), `${times(first, floor).toFixed(2)} ×`] : ["", ""];
    rows.push([
      first.name,
      ...each.map(({ rate, p50, p99 }) => `${figure(rate)} (${figure(p50)} / ${figure(p99)})`),
      ...compared,
      ...each.map(({ cpu }) => figure(cpu)),
      failures,
    ]);
  }
  const head = [
    "req/s (p50 / p99, ms)",
    ...names,
    "ratio",
    "the floor's",
    ...names.map((name) => `CPU ${name}, µs`),
    "failures",
  ];
  return `${table(head, rows)}

${scale.toLocaleString("en-US")} submissions of 10 fields, data on disk; a create brings a key. The floor makes the same
call of the credential's object and the same D1 statements as the present version, and nothing else.`;
}

const times = (before: Summary, now: Summary) => now.rate / before.rate;

function ratio(before: Summary, now: Summary): string {
  const faster = times(before, now);
  const goal = goals[before.name.replace(/,.*/, "")];
  const judged = goal === undefined ? "" : faster >= goal ? " ✓" : ` ✗ (goal ${goal} ×)`;
  return `${faster.toFixed(2)} ×${judged}`;
}
