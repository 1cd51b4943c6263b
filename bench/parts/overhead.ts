import { inRounds, type Subject, type Summary } from "../measure/rounds.ts";
import { figure, percent, table } from "../report/markdown.ts";
import { bars } from "../report/plot.ts";
import { bundle } from "../serve/bundle.ts";
import type { Service } from "../serve/service.ts";
import { tokenCount, type Part } from "./bench.ts";
import { floorOf, showFloor } from "./floor.ts";
import { callsOf, operations, prepared, type Operation } from "./operations.ts";

const scale = 100_000;
/** Creates call KV as well as D1. They are compared with a floor without KV calls, and with one that has them. */
const comparisons: { name: string; operation: Operation; query: string }[] = [
  ...operations.map((operation) => ({ name: operation.name, operation, query: "" })),
  ...operations
    .filter(({ name }) => name === "create")
    .map((operation) => ({ name: "create, KV in both", operation, query: "?cache" })),
];
const connectionCounts = [1, 16];
const goals: Record<string, number> = {
  get: 0.85,
  list: 0.85,
  "create, KV in both": 0.8,
};
/** Compares the service with a bare Worker that makes the same storage calls in the same process. */
export const overhead: Part = async (bench) => {
  const bundles = {
    main: bundle("src/index.ts", bench.builds),
    floor: bundle("bench/workers/floor.ts", bench.builds),
  };
  const { service, tokens } = await prepared(bench.inMemory(), bundles, scale, tokenCount);
  await showFloor(service, tokens);
  const summaries: Summary[] = [];
  for (const connections of connectionCounts) {
    bench.note(`overhead, ${connections} connections`);
    const subjects = comparisons.flatMap((comparison) => subjectsOf(service, tokens, comparison));
    const roundSubjects = subjects.map((subject) => ({ ...subject, connections }));
    summaries.push(...(await inRounds(roundSubjects, bench.rounds, bench.milliseconds)));
  }
  await service.stop();
  service.remove();
  return [{ title: "Overhead over the floor", text: report(summaries, bench.plot) }];
};

function subjectsOf(
  service: Service,
  tokens: string[],
  { name, operation, query }: (typeof comparisons)[number],
): Subject[] {
  const { status } = operation;
  const common = { pid: service.pid, connections: 1 };
  const nextCall = callsOf(operation, `${service.url()}/api/v1`, tokens);
  return [
    { ...floorOf(service, tokens, operation, query), name: `${name} floor`, connections: 1 },
    { ...common, name: `${name} service`, next: nextCall, status },
  ];
}

function report(summaries: readonly Summary[], plot: Parameters<Part>[0]["plot"]): string {
  const rows: (string | number)[][] = [];
  const ratios: { label: string; value: number; goal: number | undefined }[] = [];
  for (let i = 0; i + 1 < summaries.length; i += 2) {
    const [floor, service] = [summaries[i], summaries[i + 1]];
    if (!floor || !service) break;
    const name = floor.name.replace(/ floor$/, "");
    const connections = connectionCounts[Math.floor(i / 2 / comparisons.length)] ?? 0;
    const goal = goals[name];
    const ratio = service.rate / floor.rate;
    ratios.push({ label: `${name}, ${connections}`, value: ratio, goal });
    rows.push([
      `${name}, ${connections} connection${connections === 1 ? "" : "s"}`,
      figure(floor.rate),
      figure(service.rate),
      `${percent(ratio)}${goal === undefined ? "" : ratio >= goal ? " ✓" : ` ✗ (goal ${percent(goal)})`}`,
      `${figure(floor.p50)} / ${figure(floor.p99)}`,
      `${figure(service.p50)} / ${figure(service.p99)}`,
      figure(floor.cpu),
      figure(service.cpu),
      floor.failures + service.failures,
    ]);
  }
  const header = [
    "",
    "floor, req/s",
    "service, req/s",
    "of the floor",
    "floor p50 / p99, ms",
    "service p50 / p99, ms",
    "floor CPU, µs",
    "service CPU, µs",
    "failures",
  ];
  return `${plot("overhead", "Throughput of the service as a share of the floor's", bars(ratios, "share of the floor's throughput"))}

${table(header, rows)}

${scale.toLocaleString("en-US")} submissions of 10 fields, data in memory (tmpfs). The floor makes the same call of the
credential's object and the same D1 statements, and answers with their rows; "KV in both" has it ask KV for the answer
to the key and give it the new one, too.`;
}
