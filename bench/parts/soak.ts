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
/** Memory is looked at from here on: by then V8 has grown its heap to what the load needs. */
const warmUp = 0.25;
const mostGrowth = 1.2;

const body = (turn: number) => ({ data: sentData(turn) });
const key = () => ({ "Idempotency-Key": crypto.randomUUID() });
const search = { conditions: [{ field: "city", op: "eq", value: "City 7" }], limit: 10 };

/** Mixed load for long: no request fails, and the runtime's memory does not grow. */
export const soak: Part = async (bench) => {
  const service = new Service(bench.onDisk(), { main: bundle("src/index.ts", bench.builds) }, 8895);
  await service.begin();
  const tokens = await service.tokens(tokenCount);
  await service.define("big", tokens[0] ?? "", fields);
  const base = `${service.url()}/api/v1/forms/big/submissions`;
  const kinds: (Omit<Parameters<typeof load>[0], "milliseconds" | "connections"> & {
    name: string;
  })[] = [
    { name: "list of 10", next: calls(tokens, "GET", `${base}?limit=10`), status: 200 },
    { name: "search", next: calls(tokens, "POST", `${base}/search`, () => search), status: 200 },
    { name: "create", next: calls(tokens, "POST", base, body, key), status: 201 },
    { name: "validate", next: calls(tokens, "POST", `${base}/validate`, body), status: 200 },
  ];
  const minutes = bench.soakMinutes;
  const memories: { x: number; y: number }[] = [];
  const started = performance.now();
  const watching = setInterval(() => {
    const seconds = (performance.now() - started) / 1000;
    memories.push({ x: seconds, y: memory(service.pid) });
  }, 2000);
  const measured = await Promise.all(
    kinds.map(({ next, status }) =>
      load({
        next,
        status,
        connections: connections / kinds.length,
        milliseconds: minutes * 60_000,
      }),
    ),
  );
  clearInterval(watching);
  await service.stop();
  service.remove();
  return [
    {
      title: "Soak",
      text: report(
        kinds.map(({ name }) => name),
        measured,
        memories,
        bench,
      ),
    },
  ];
};

function report(
  names: readonly string[],
  measured: readonly Measured[],
  memories: readonly { x: number; y: number }[],
  { soakMinutes, plot }: Parameters<Part>[0],
): string {
  const failures = measured.reduce((sum, each) => sum + each.failures, 0);
  if (failures > 0) throw new Error(`${failures} requests of the soak failed.`);
  const warm = memories.slice(Math.floor(memories.length * warmUp)).map(({ y }) => y);
  const half = Math.floor(warm.length / 2);
  const [first, second] = [median(warm.slice(0, half)), median(warm.slice(half))];
  if (soakMinutes >= 10 && second > first * mostGrowth) {
    throw new Error(`The runtime's memory grew from ${first} to ${second} MB.`);
  }
  const rows = measured.map((each, i) => [
    names[i] ?? "",
    count(each.requests),
    figure(each.rate),
    figure(each.p50),
    figure(each.p99),
    each.failures,
  ]);
  const chart = lines(
    [{ label: "MB", points: [...memories] }],
    "memory of the runtime in MB over seconds",
  );
  return `${plot("soak", "Memory of the runtime", chart)}

${table([`${soakMinutes} minutes`, "requests", "req/s", "p50, ms", "p99, ms", "failures"], rows)}

Memory of the runtime after a quarter of the time: ${first} MB in the middle of the first half, ${second} MB of the second.`;
}
