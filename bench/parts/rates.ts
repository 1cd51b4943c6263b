import { inRounds, type Subject, type Summary } from "../measure/rounds.ts";
import { figure, table } from "../report/markdown.ts";
import { bundle } from "../serve/bundle.ts";
import { tokenCount, type Bench, type Part, type Version } from "./bench.ts";
import { callsOf, operations, prepared } from "./operations.ts";

const scale = 100_000;
const connectionCounts = [1, 8];
/** How many times the rate of the version that it is compared with. */
const goals: Record<string, number> = { get: 2, list: 1.6, create: 1.6 };

/** The versions beside each other on disk, in alternating rounds. */
export const rates: Part = async (bench) => {
  const served: Awaited<ReturnType<typeof prepared>>[] = [];
  for (const [i, version] of bench.versions.entries()) {
    served.push(await serve(bench, version, 8680 + i * 10));
  }
  const subjects = connectionCounts.flatMap((connections) =>
    operations.flatMap((operation) =>
      served.map(({ service, tokens }): Subject => {
        const next = callsOf(operation, `${service.url()}/api/v1`, tokens);
        const { name, status } = operation;
        const title = `${name}, ${connections} connection${connections === 1 ? "" : "s"}`;
        return { name: title, pid: service.pid, connections, next, status };
      }),
    ),
  );
  const summaries = await inRounds(subjects, bench.rounds, bench.milliseconds);
  for (const { service } of served) await service.stop();
  return [{ title: "Rates on disk", text: report(bench.versions, summaries) }];
};

function serve({ onDisk, builds }: Bench, { root }: Version, port: number) {
  const main = bundle("src/index.ts", builds, true, root);
  return prepared(onDisk(), { main }, port, scale, tokenCount, [], root);
}

function report(versions: readonly Version[], summaries: readonly Summary[]): string {
  const rows = [];
  for (let i = 0; i < summaries.length; i += versions.length) {
    const each = summaries.slice(i, i + versions.length);
    const [first, last] = [each[0], each.at(-1)];
    if (!first || !last) break;
    const failures = each.reduce((sum, { failures: failed }) => sum + failed, 0);
    const compared = versions.length > 1 ? ratio(first, last) : "";
    rows.push([
      first.name,
      ...each.map(({ rate, p50, p99 }) => `${figure(rate)} (${figure(p50)} / ${figure(p99)})`),
      compared,
      ...each.map(({ cpu }) => figure(cpu)),
      failures,
    ]);
  }
  const names = versions.map(({ name }) => name);
  const head = [
    "req/s (p50 / p99, ms)",
    ...names,
    "ratio",
    ...names.map((name) => `CPU ${name}, µs`),
    "failures",
  ];
  return `${table(head, rows)}

${scale.toLocaleString("en-US")} submissions of 10 fields, data on disk; a create brings a key.`;
}

function ratio(before: Summary, now: Summary): string {
  const times = now.rate / before.rate;
  const goal = goals[before.name.replace(/,.*/, "")];
  const judged = goal === undefined ? "" : times >= goal ? " ✓" : ` ✗ (goal ${goal} ×)`;
  return `${times.toFixed(2)} ×${judged}`;
}
