import { fields, sentData } from "../fill.ts";
import { table } from "../report/markdown.ts";
import { bundle, stage } from "../serve/bundle.ts";
import { Service } from "../serve/service.ts";
import type { Metered } from "../workers/counts.ts";
import { caller } from "../../src/dev/caller.ts";
import { present, type Bench, type Version } from "./bench.ts";
import { prices } from "./prices.ts";

/** Requests of one credential at one pace. */
interface Pace {
  name: string;
  what: "get" | "create";
  /** Milliseconds from one request to the next. */
  every: number;
  /** Requests after which all goes on as before, and those that are counted. */
  requests: [number, number];
  /** The same when it has to be quick. */
  short: [number, number];
  /** Dollars a million. */
  goal?: number;
}

const at = (every: number, requests: [number, number], short: [number, number]) => ({
  every,
  requests,
  short,
});
const minute = at(60_000, [3, 60], [2, 3]);
const second = at(1000, [70, 300], [10, 30]);
const tenth = at(100, [650, 1200], [10, 60]);

const paces: Pace[] = [
  { ...minute, name: "GET a submission, 1 a minute", what: "get", goal: 2.8 },
  { ...second, name: "GET a submission, 1 a second", what: "get", goal: 0.65 },
  { ...tenth, name: "GET a submission, 10 a second", what: "get", goal: 0.6 },
  { ...minute, name: "POST a submission with a key, 1 a minute", what: "create" },
  { ...second, name: "POST a submission with a key, 1 a second", what: "create", goal: 22.5 },
];

/** A request's own CPU time on Cloudflare is not known here: a millisecond is reckoned for each. */
const cpuMilliseconds = 1;

/** What requests cost with all that happens later, at the paces of few and of many requests of one credential. */
export async function paced(bench: Bench): Promise<string> {
  const taken: { version: Version; metered: Metered[] }[] = [];
  for (const [i, version] of bench.versions.entries()) {
    bench.note(`cost with all that follows, ${version.name}`);
    const service = await metered(bench, version.root, 8900 + i * 10);
    taken.push({ version, metered: await takenAt(service, bench.short) });
    await service.stop();
  }
  const rows = paces.flatMap((pace, i) =>
    taken.map(({ version, metered: each }) => row(pace, version.name, each[i])),
  );
  const head = [
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
  return `${table(head, rows)}

One credential, whose isolate lives on; its object leaves memory when nothing has held it for ten seconds. Counted is all
that happens until the next request, by a clock that is put forward. A question of the object to D1 is reckoned to take
50 ms of its time, and a request a millisecond of CPU.`;
}

async function metered({ inMemory, builds }: Bench, root: string, port: number): Promise<Service> {
  const file = stage("bench/workers/metered.ts", builds);
  const main = bundle("src/index.ts", builds, true, root);
  const service = new Service(inMemory(), { main: { file, service: main, says: {} } }, port, root);
  await service.begin();
  return service;
}

async function takenAt(service: Service, short: boolean): Promise<Metered[]> {
  const tokens = await service.tokens(paces.length + 1, { requests: 1200 });
  const [owner = ""] = tokens;
  const indexed = fields.filter(({ key }) => key !== "lines" && key !== "note");
  await service.define("small", owner, indexed);
  const submissions = "/forms/small/submissions";
  const made = await caller(service.url(), owner)("POST", submissions, { data: sentData(1) });
  const taken: Metered[] = [];
  for (const [i, { what, every, ...numbers }] of paces.entries()) {
    const call = caller(service.url(), tokens[i + 1] ?? "");
    const ask = () =>
      what === "get"
        ? call("GET", `/submissions/${made.body.id}`)
        : call("POST", submissions, { data: sentData(2) }, key());
    const run = async (requests: number) => {
      for (let n = 0; n < requests; n += 1) {
        const { status, text } = await ask();
        if (status >= 300) throw new Error(text);
        await fetch(`${service.url()}/clock?forward=${every}`, { method: "POST" });
      }
    };
    const [first, counted] = short ? numbers.short : numbers.requests;
    await run(first);
    await counts(service);
    await run(counted);
    taken.push(await counts(service));
  }
  return taken;
}

const key = () => ({ "Idempotency-Key": crypto.randomUUID() });

const counts = async (service: Service) =>
  (await (await fetch(`${service.url()}/counts`)).json()) as Metered;

function row({ name, goal }: Pace, version: string, taken: Metered | undefined): string[] {
  const each = (what: keyof Metered) => (taken?.[what] ?? Number.NaN) / (taken?.requests ?? 0);
  const dollars =
    prices.worker +
    cpuMilliseconds * prices.cpuMillisecond +
    each("objectCalls") * prices.object +
    (each("heldMilliseconds") / 1000) * prices.heldSecond +
    each("objectRead") * prices.objectRowRead +
    each("objectWritten") * prices.objectRowWritten +
    each("rowsRead") * prices.rowRead +
    each("rowsWritten") * prices.rowWritten +
    each("kvReads") * prices.kvRead +
    each("kvWrites") * prices.kvWrite;
  const isMissed = goal !== undefined && dollars > goal;
  if (isMissed && version === present) {
    throw new Error(`${name}: ${dollars.toFixed(2)} $ a million; ${goal.toFixed(2)} are the goal.`);
  }
  const judged = goal === undefined ? "" : isMissed ? ` ✗ (goal ${goal.toFixed(2)})` : " ✓";
  return [
    name,
    version,
    each("objectCalls").toFixed(2),
    each("objectWritten").toFixed(2),
    each("heldMilliseconds").toFixed(0),
    each("d1").toFixed(2),
    each("rowsRead").toFixed(2),
    each("rowsWritten").toFixed(2),
    each("kvWrites").toFixed(2),
    dollars.toFixed(2) + judged,
  ];
}
