import { fields, sentData } from "../fill.ts";
import { load, type Measured } from "../measure/load.ts";
import { memory } from "../measure/machine.ts";
import { median } from "../measure/statistics.ts";
import { count, figure, table } from "../report/markdown.ts";
import { lines } from "../report/plot.ts";
import { bundle } from "../serve/bundle.ts";
import { Service } from "../serve/service.ts";
import { calls, tokenCount, type Part } from "./bench.ts";

const connections = 4;
/** The share of the run before memory is compared. By then V8 has grown its heap for the load. */
const warmUpShare = 0.25;
const maxGrowth = 1.2;

const body = (turn: number) => ({ data: sentData(turn) });
const key = () => ({ "Idempotency-Key": crypto.randomUUID() });
const search = { conditions: [{ field: "city", op: "eq", value: "City 7" }], limit: 10 };

/** Runs a long mixed load. Fails if a request fails or if the runtime's memory grows. */
export const soak: Part = async (bench) => {
  const service = new Service(bench.onDisk(), { main: bundle("src/index.ts", bench.builds) });
  await service.begin();
  const tokens = await service.tokens(tokenCount);
  await service.define("big", tokens[0] ?? "", fields);
  const base = `${service.url()}/api/v1/forms/big/submissions`;
  const requestKinds: (Omit<Parameters<typeof load>[0], "milliseconds" | "connections"> & {
    name: string;
  })[] = [
    { name: "list of 10", next: calls(tokens, "GET", `${base}?limit=10`), status: 200 },
    { name: "search", next: calls(tokens, "POST", `${base}/search`, () => search), status: 200 },
    { name: "create", next: calls(tokens, "POST", base, body, key), status: 201 },
    { name: "validate", next: calls(tokens, "POST", `${base}/validate`, body), status: 200 },
  ];
  const minutes = bench.soakMinutes;
  const memories: { x: number; y: number }[] = [];
  const startedAt = performance.now();
  const memoryTimer = setInterval(() => {
    const seconds = (performance.now() - startedAt) / 1000;
    memories.push({ x: seconds, y: memory(service.pid) });
  }, 2000);
  const measurements = await Promise.all(
    requestKinds.map(({ next, status }) =>
      load({
        next,
        status,
        connections: connections / requestKinds.length,
        milliseconds: minutes * 60_000,
      }),
    ),
  );
  clearInterval(memoryTimer);
  await service.stop();
  service.remove();
  return [
    {
      title: "Soak",
      text: report(
        requestKinds.map(({ name }) => name),
        measurements,
        memories,
        bench,
      ),
    },
  ];
};

function report(
  names: readonly string[],
  measurements: readonly Measured[],
  memories: readonly { x: number; y: number }[],
  { soakMinutes, plot }: Parameters<Part>[0],
): string {
  const failures = measurements.reduce((sum, measurement) => sum + measurement.failures, 0);
  if (failures > 0) throw new Error(`${failures} requests of the soak failed.`);
  const warmMemories = memories.slice(Math.floor(memories.length * warmUpShare)).map(({ y }) => y);
  const half = Math.floor(warmMemories.length / 2);
  const [firstMedian, secondMedian] = [
    median(warmMemories.slice(0, half)),
    median(warmMemories.slice(half)),
  ];
  if (soakMinutes >= 10 && secondMedian > firstMedian * maxGrowth) {
    throw new Error(`The runtime's memory grew from ${firstMedian} to ${secondMedian} MB.`);
  }
  const rows = measurements.map((measurement, i) => [
    names[i] ?? "",
    count(measurement.requests),
    figure(measurement.rate),
    figure(measurement.p50),
    figure(measurement.p99),
    measurement.failures,
  ]);
  const chart = lines(
    [{ label: "MB", points: [...memories] }],
    "memory of the runtime in MB over seconds",
  );
  return `${plot("soak", "Memory of the runtime", chart)}

${table([`${soakMinutes} minutes`, "requests", "req/s", "p50, ms", "p99, ms", "failures"], rows)}

Memory of the runtime after a quarter of the time: ${firstMedian} MB in the middle of the first half, ${secondMedian} MB of the second.`;
}
