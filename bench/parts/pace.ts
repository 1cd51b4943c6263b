import { fields, sentData } from "../fill.ts";
import { table } from "../report/markdown.ts";
import { bundle, stage } from "../serve/bundle.ts";
import { Service } from "../serve/service.ts";
import type { Metered } from "../workers/counts.ts";
import { caller } from "../../test/support/caller.ts";
import { present, type Bench, type Version } from "./bench.ts";
import { prices } from "./prices.ts";

/** Requests of one credential at one rate. */
interface Pace {
  name: string;
  operation: "get" | "create";
  /** Milliseconds from one request to the next. */
  every: number;
  /** The number of warm-up requests until costs are steady, and the number of counted requests. */
  requests: [number, number];
  /** The same for a short run. */
  short: [number, number];
  /** Dollars per million requests. */
  goal?: number;
}

const interval = (milliseconds: number, requests: [number, number], short: [number, number]) => ({
  every: milliseconds,
  requests,
  short,
});
const minute = interval(60_000, [3, 60], [2, 3]);
const second = interval(1000, [70, 300], [10, 30]);
const tenthSecond = interval(100, [650, 1200], [10, 60]);

const paces: Pace[] = [
  { ...minute, name: "GET a submission, 1 a minute", operation: "get", goal: 2.8 },
  { ...second, name: "GET a submission, 1 a second", operation: "get", goal: 0.65 },
  { ...tenthSecond, name: "GET a submission, 10 a second", operation: "get", goal: 0.6 },
  { ...minute, name: "POST a submission with a key, 1 a minute", operation: "create" },
  { ...second, name: "POST a submission with a key, 1 a second", operation: "create", goal: 23.5 },
];

/** A local run cannot measure the CPU time on Cloudflare, so each request counts as one millisecond. */
const cpuMilliseconds = 1;

/** Measures the cost of requests including all background work, at slow and fast rates of one credential. */
export async function paced(bench: Bench): Promise<string> {
  const results: { version: Version; metered: Metered[] }[] = [];
  for (const version of bench.versions) {
    bench.note(`cost with all that follows, ${version.name}`);
    const service = await startMetered(bench, version.root);
    results.push({ version, metered: await measurePaces(service, bench.short) });
    await service.stop();
  }
  const rows = paces.flatMap((pace, i) =>
    results.map(({ version, metered: meters }) => row(pace, version.name, meters[i])),
  );
  const header = [
    "for each request",
    "",
    "object calls",
    "object rows written",
    "object held, ms",
    "D1 round trips",
    "rows read",
    "rows written",
    "KV writes",
    "$ a million",
  ];
  return `${table(header, rows)}

One credential, whose isolate lives on; its object leaves memory when nothing has held it for ten seconds. Counted is all
that happens until the next request, by a clock that is put forward. A question of the object to D1 is reckoned to take
50 ms of its time, and a request a millisecond of CPU.`;
}

async function startMetered({ inMemory, builds }: Bench, root: string): Promise<Service> {
  const file = stage("bench/workers/metered.ts", builds);
  const main = bundle("src/index.ts", builds, true, root);
  const service = new Service(inMemory(), { main: { file, service: main, says: {} } }, root);
  await service.begin();
  return service;
}

async function measurePaces(service: Service, short: boolean): Promise<Metered[]> {
  const tokens = await service.tokens(paces.length + 1, { requests: 1200 });
  const [owner = ""] = tokens;
  const indexedFields = fields.filter(({ key }) => key !== "lines" && key !== "note");
  await service.define("small", owner, indexedFields);
  const submissions = "/forms/small/submissions";
  const created = await caller(service.url(), owner)("POST", submissions, { data: sentData(1) });
  const meters: Metered[] = [];
  for (const [i, { operation, every, ...numbers }] of paces.entries()) {
    const call = caller(service.url(), tokens[i + 1] ?? "");
    const sendOne = () =>
      operation === "get"
        ? call("GET", `/submissions/${created.body.id}`)
        : call("POST", submissions, { data: sentData(2) }, key());
    const run = async (requests: number) => {
      for (let n = 0; n < requests; n += 1) {
        const { status, text } = await sendOne();
        if (status >= 300) throw new Error(text);
        await fetch(`${service.url()}/clock?forward=${every}`, { method: "POST" });
      }
    };
    const [warmUpCount, measuredCount] = short ? numbers.short : numbers.requests;
    await run(warmUpCount);
    await counts(service);
    await run(measuredCount);
    meters.push(await counts(service));
  }
  return meters;
}

const key = () => ({ "Idempotency-Key": crypto.randomUUID() });

const counts = async (service: Service) =>
  (await (await fetch(`${service.url()}/counts`)).json()) as Metered;

function row({ name, goal }: Pace, version: string, meter: Metered | undefined): string[] {
  const perRequest = (member: keyof Metered) =>
    (meter?.[member] ?? Number.NaN) / (meter?.requests ?? 0);
  const dollars =
    prices.worker +
    cpuMilliseconds * prices.cpuMillisecond +
    perRequest("objectCalls") * prices.object +
    (perRequest("heldMilliseconds") / 1000) * prices.heldSecond +
    perRequest("objectRead") * prices.objectRowRead +
    perRequest("objectWritten") * prices.objectRowWritten +
    perRequest("rowsRead") * prices.rowRead +
    perRequest("rowsWritten") * prices.rowWritten +
    perRequest("kvReads") * prices.kvRead +
    perRequest("kvWrites") * prices.kvWrite;
  const isMissed = goal !== undefined && dollars > goal;
  if (isMissed && version === present) {
    throw new Error(`${name}: ${dollars.toFixed(2)} $ a million; ${goal.toFixed(2)} are the goal.`);
  }
  const verdict = goal === undefined ? "" : isMissed ? ` ✗ (goal ${goal.toFixed(2)})` : " ✓";
  return [
    name,
    version,
    perRequest("objectCalls").toFixed(2),
    perRequest("objectWritten").toFixed(2),
    perRequest("heldMilliseconds").toFixed(0),
    perRequest("d1").toFixed(2),
    perRequest("rowsRead").toFixed(2),
    perRequest("rowsWritten").toFixed(2),
    perRequest("kvWrites").toFixed(2),
    dollars.toFixed(2) + verdict,
  ];
}
