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

interface Sized {
  scale: number;
  service: Service;
  tokens: string[];
  /** A cursor page nine tenths in. */
  deep: string;
}

interface Measurable {
  name: string;
  method: string;
  path: (sized: Sized) => string;
  body?: (turn: number) => object;
  status: number;
}

const form = "/api/v1/forms/big/submissions";
const middle = (scale: number) => `sub_${String(Math.ceil(scale / 2)).padStart(26, "0")}`;

const operations: Measurable[] = [
  {
    name: "get",
    method: "GET",
    path: ({ service, scale }) => `${service.url()}/api/v1/submissions/${middle(scale)}`,
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
    path: ({ service }: Sized) => `${service.url()}${form}/search`,
    body: () => body,
    status: 200,
  })),
];

/** The same requests in databases of different sizes: latency, and rows read. */
export const growth: Part = async (bench) => {
  const sizes: Sized[] = [];
  for (const [i, scale] of bench.scales.entries()) sizes.push(await sized(bench, scale, i));
  const reads = await rowsRead(sizes);
  const subjects = operations.flatMap((operation) =>
    sizes.map((each): Subject => subjectOf(operation, each)),
  );
  const summaries = await inRounds(subjects, bench.rounds, bench.milliseconds / 2);
  for (const { service } of sizes) {
    await service.stop();
    service.remove();
  }
  return [{ title: "Growth", text: report(sizes, reads, summaries, bench.plot) }];
};

async function sized(bench: Bench, scale: number, i: number): Promise<Sized> {
  bench.note(`growth: fills ${count(scale)}`);
  const bundles = {
    main: bundle("src/index.ts", bench.builds),
    counted: bundle("bench/workers/counted.ts", bench.builds),
  };
  const service = new Service(bench.onDisk(), bundles, 8840 + i * 10);
  await service.begin();
  const tokens = await service.tokens(tokenCount);
  await service.define("big", tokens[0] ?? "", fields);
  await service.stop();
  await service.fill("big", scale);
  await service.start();
  return { scale, service, tokens, deep: await pageAt(service, tokens, scale * 0.9) };
}

function subjectOf({ name, method, path, body, status }: Measurable, each: Sized): Subject {
  const next = calls(each.tokens, method, path(each), body);
  return { name: `${name} ${each.scale}`, pid: each.service.pid, next, status, connections: 1 };
}

/** Rows read by each operation at each size, in the order of the subjects. */
async function rowsRead(sizes: readonly Sized[]): Promise<number[]> {
  const rows = [];
  for (const { method, path, body } of operations) {
    for (const each of sizes) {
      const url = path(each).replace(each.service.url(), each.service.url("counted"));
      const ask = () => counting(url, each.tokens[0] ?? "", method, body?.(1));
      await ask();
      rows.push((await ask()).counts.rowsRead);
    }
  }
  return rows;
}

function report(
  sizes: readonly Sized[],
  reads: readonly number[],
  summaries: readonly Summary[],
  plot: Bench["plot"],
): string {
  const at = operations.map(({ name }, i) => ({
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
    at.map(({ name, points }) => {
      const p50 = points.map(({ summary }) => summary?.p50 ?? Number.NaN);
      const last = p50.at(-1) ?? Number.NaN;
      return [
        name,
        ...points.map(
          ({ summary }) =>
            `${figure(summary?.p50 ?? Number.NaN)} / ${figure(summary?.p99 ?? Number.NaN)}`,
        ),
        times(last / (p50[0] ?? Number.NaN)),
        times(last / (p50.at(-2) ?? Number.NaN)),
      ];
    }),
  );
  const rows = table(
    ["rows read", ...scales],
    at.map(({ name, points }) => [name, ...points.map((point) => count(point.rows))]),
  );
  const failures = summaries.reduce((sum, { failures: each }) => sum + each, 0);
  const series = at.slice(0, 4).concat(at.slice(5, 7), at.slice(10, 11));
  const drawn = series.map(({ name, points }) => ({
    label: name,
    points: points.map(({ scale, summary }) => ({ x: scale, y: summary?.p50 ?? Number.NaN })),
  }));
  return `${plot("growth", "Median latency over the number of submissions", lines(drawn, "median latency in ms over the number of submissions"))}

${latency}

${rows}

One connection, data on disk, one database for each size. ${failures} failures.`;
}
