import { fields, sentData } from "../fill.ts";
import { inRounds, type Subject, type Summary } from "../measure/rounds.ts";
import { count, figure, table, times } from "../report/markdown.ts";
import { lines } from "../report/plot.ts";
import { searches } from "../searches.ts";
import { bundle } from "../serve/bundle.ts";
import { Service } from "../serve/service.ts";
import { calls, tokenCount, type Bench, type Part } from "./bench.ts";
import { counting } from "./counting.ts";
import { pageAt } from "./operations.ts";

interface FilledService {
  scale: number;
  service: Service;
  tokens: string[];
  /** The URL of a cursor page after nine tenths of the items. */
  deep: string;
}

interface Measurable {
  name: string;
  method: string;
  path: (target: FilledService) => string;
  body?: (turn: number) => object;
  status: number;
}

const form = "/api/v1/forms/big/submissions";
const middleId = (scale: number) => `sub_${String(Math.ceil(scale / 2)).padStart(26, "0")}`;

const operations: Measurable[] = [
  {
    name: "get",
    method: "GET",
    path: ({ service, scale }) => `${service.url()}/api/v1/submissions/${middleId(scale)}`,
    status: 200,
  },
  { name: "list", method: "GET", path: ({ service }) => service.url() + form, status: 200 },
  { name: "cursor page at 90 %", method: "GET", path: ({ deep }) => deep, status: 200 },
  {
    name: "create",
    method: "POST",
    path: ({ service }) => service.url() + form,
    body: (turn) => ({ data: sentData(turn) }),
    status: 201,
  },
  ...searches.map(({ name, body }) => ({
    name: `search: ${name}`,
    method: "POST",
    path: ({ service }: FilledService) => `${service.url()}${form}/search`,
    body: () => body,
    status: 200,
  })),
];

/** Measures latency and rows read of the same requests in databases of different sizes. */
export const growth: Part = async (bench) => {
  const sizes: FilledService[] = [];
  for (const scale of bench.scales) sizes.push(await startFilled(bench, scale));
  const reads = await rowsRead(sizes);
  const subjects = operations.flatMap((operation) =>
    sizes.map((target): Subject => subjectOf(operation, target)),
  );
  const summaries = await inRounds(subjects, bench.rounds, bench.milliseconds / 2);
  for (const { service } of sizes) {
    await service.stop();
    service.remove();
  }
  return [{ title: "Growth", text: report(sizes, reads, summaries, bench.plot) }];
};

async function startFilled(bench: Bench, scale: number): Promise<FilledService> {
  bench.note(`growth: fills ${count(scale)}`);
  const bundles = {
    main: bundle("src/index.ts", bench.builds),
    counted: bundle("bench/workers/counted.ts", bench.builds),
  };
  const service = new Service(bench.onDisk(), bundles);
  await service.begin();
  const tokens = await service.tokens(tokenCount);
  await service.define("big", tokens[0] ?? "", fields);
  await service.stop();
  await service.fill("big", scale);
  await service.start();
  return { scale, service, tokens, deep: await pageAt(service, tokens, scale * 0.9) };
}

function subjectOf(
  { name, method, path, body, status }: Measurable,
  target: FilledService,
): Subject {
  const next = calls(target.tokens, method, path(target), body);
  return { name: `${name} ${target.scale}`, pid: target.service.pid, next, status, connections: 1 };
}

/** Counts the rows read by each operation at each size, in the order of the subjects. */
async function rowsRead(sizes: readonly FilledService[]): Promise<number[]> {
  const rows = [];
  for (const { method, path, body } of operations) {
    for (const target of sizes) {
      const url = path(target).replace(target.service.url(), target.service.url("counted"));
      const countRows = () => counting(url, target.tokens[0] ?? "", method, body?.(1));
      await countRows();
      rows.push((await countRows()).counts.rowsRead);
    }
  }
  return rows;
}

function report(
  sizes: readonly FilledService[],
  reads: readonly number[],
  summaries: readonly Summary[],
  plot: Bench["plot"],
): string {
  const series = operations.map(({ name }, i) => ({
    name,
    points: sizes.map(({ scale }, j) => ({
      scale,
      rows: reads[i * sizes.length + j] ?? Number.NaN,
      summary: summaries[i * sizes.length + j],
    })),
  }));
  const scales = sizes.map(({ scale }) => count(scale));
  const latency = table(
    ["p50 / p99, ms", ...scales, "largest to smallest", "largest to the one before"],
    series.map(({ name, points }) => {
      const p50 = points.map(({ summary }) => summary?.p50 ?? Number.NaN);
      const largest = p50.at(-1) ?? Number.NaN;
      return [
        name,
        ...points.map(
          ({ summary }) =>
            `${figure(summary?.p50 ?? Number.NaN)} / ${figure(summary?.p99 ?? Number.NaN)}`,
        ),
        times(largest / (p50[0] ?? Number.NaN)),
        times(largest / (p50.at(-2) ?? Number.NaN)),
      ];
    }),
  );
  const rows = table(
    ["rows read", ...scales],
    series.map(({ name, points }) => [name, ...points.map((point) => count(point.rows))]),
  );
  const failures = summaries.reduce((sum, { failures: failed }) => sum + failed, 0);
  const plotted = series.slice(0, 4).concat(series.slice(5, 7), series.slice(10, 11));
  const plotLines = plotted.map(({ name, points }) => ({
    label: name,
    points: points.map(({ scale, summary }) => ({ x: scale, y: summary?.p50 ?? Number.NaN })),
  }));
  return `${plot("growth", "Median latency over the number of submissions", lines(plotLines, "median latency in ms over the number of submissions"))}

${latency}

${rows}

One connection, data on disk, one database for each size. ${failures} failures.`;
}
