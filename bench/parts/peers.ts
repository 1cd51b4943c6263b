import { sentData } from "../fill.ts";
import { inRounds, type Subject, type Summary } from "../measure/rounds.ts";
import { memory } from "../measure/machine.ts";
import { count, figure, table, times } from "../report/markdown.ts";
import { bars } from "../report/plot.ts";
import { bundle } from "../serve/bundle.ts";
import { calls, tokenCount, type Bench, type Part, type Version } from "./bench.ts";
import { pageAt, prepared } from "./operations.ts";
import { running } from "./peer-process.ts";

/** A server with the same hundred thousand items, that is asked for the same. */
interface Peer {
  name: string;
  pid: number;
  started: number;
  asks: Record<Operation, () => ReturnType<ReturnType<typeof calls>>>;
  status: Partial<Record<Operation, number>>;
  stop: () => Promise<void>;
}

const operations = [
  "get",
  "list",
  "deep page",
  "deep page by key",
  "search",
  "create",
  "create with a key",
] as const;
type Operation = (typeof operations)[number];

const scale = 100_000;
const connections = 8;
const goals: Record<string, Partial<Record<Operation, number>>> = {
  Directus: { get: 1.5, list: 1.5, "deep page": 5, search: 2, create: 1.5 },
  Payload: { get: 1.6, list: 3, "deep page": 15, search: 5, create: 2.5, "create with a key": 2.5 },
};

/** Beside other systems that keep records in SQLite, doing the same work on the same machine. */
export const peers: Part = async (bench) => {
  const all: Peer[] = [];
  for (const [i, each] of bench.versions.toReversed().entries()) {
    all.push(await edgeForms(bench, each, i));
  }
  all.push(await directus(bench), await payload(bench));
  const subjects = operations.flatMap((operation) =>
    all.map((peer): Subject => ({
      name: `${operation} ${peer.name}`,
      pid: peer.pid,
      next: peer.asks[operation],
      connections,
      status: peer.status[operation] ?? 200,
    })),
  );
  const summaries = await inRounds(subjects, bench.rounds, bench.milliseconds);
  const memories = all.map(({ pid }) => memory(pid));
  for (const peer of all) await peer.stop();
  return [{ title: "Peers", text: report(all, summaries, memories, bench) }];
};

const key = () => ({ "Idempotency-Key": crypto.randomUUID() });

const sent = (turn: number) => ({ data: sentData(turn) });

async function edgeForms(bench: Bench, { name, root }: Version, i: number): Promise<Peer> {
  const bundles = { main: bundle("src/index.ts", bench.builds, true, root) };
  const { service, tokens, started } = await prepared(
    bench.onDisk(),
    bundles,
    8860 + i,
    scale,
    tokenCount,
    [],
    root,
  );
  const items = `${service.url()}/api/v1/forms/big/submissions`;
  const middle = `${service.url()}/api/v1/submissions/sub_${String(scale / 2).padStart(26, "0")}`;
  const deep = calls(tokens, "GET", await pageAt(service, tokens, scale * 0.9));
  const search = {
    conditions: [
      { field: "amount", op: "between", value: [400_000, 500_000] },
      { field: "department", op: "eq", value: "department 3" },
    ],
    sort: [{ field: "due" }],
  };
  return {
    name: i === 0 ? "Edge Forms" : `at ${name}`,
    pid: service.pid,
    started,
    asks: {
      get: calls(tokens, "GET", middle),
      list: calls(tokens, "GET", items),
      "deep page": deep,
      "deep page by key": deep,
      search: calls(tokens, "POST", `${items}/search`, () => search),
      create: calls(tokens, "POST", items, sent),
      "create with a key": calls(tokens, "POST", items, sent, key),
    },
    status: { create: 201, "create with a key": 201 },
    stop: () => service.stop(),
  };
}

const created = (due: string) => (turn: number) => ({
  title: `Request ${turn}`,
  customer: "Customer 1",
  email: "customer1@example.com",
  department: "sales",
  amount: 12.34,
  quantity: 3,
  due,
  priority: "high",
  note: "hello",
  done: true,
});

const directusKey = () => ({ Authorization: "Bearer bench-token-0123456789abcdef" });

async function directus(bench: Bench): Promise<Peer> {
  const port = 8055;
  const server = await running(bench, "directus", port, scale);
  const url = `http://127.0.0.1:${port}/items/submissions`;
  const get = (query: string) => calls([], "GET", url + query, undefined, directusKey);
  const create = calls([], "POST", url, created("2026-11-21"), directusKey);
  const range = "filter[amount][_gte]=4000&filter[amount][_lt]=5000&filter[department][_eq]=sales";
  return {
    ...server,
    name: "Directus",
    asks: {
      get: get(`/${scale / 2}`),
      list: get("?limit=50&sort=id"),
      "deep page": get(`?limit=50&offset=${scale * 0.9}&sort=id`),
      "deep page by key": get(`?limit=50&sort=id&filter[id][_gt]=${scale * 0.9}`),
      search: get(`?${range}&sort=due&limit=50`),
      create,
      "create with a key": create,
    },
    status: {},
  };
}

const payloadKey = () => ({ Authorization: "users API-Key bench-key-0123456789abcdef" });

async function payload(bench: Bench): Promise<Peer> {
  const port = 8056;
  const server = await running(bench, "payload", port, scale);
  const url = `http://127.0.0.1:${port}/api/submissions`;
  const get = (query: string) => calls([], "GET", url + query, undefined, payloadKey);
  const list = "limit=50&sort=id&depth=0";
  const body = created("2026-11-21T00:00:00.000Z");
  const create = calls([], "POST", `${url}?depth=0`, body, payloadKey);
  const range =
    "where[amount][greater_than_equal]=4000&where[amount][less_than]=5000&where[department][equals]=sales";
  return {
    ...server,
    name: "Payload",
    asks: {
      get: get(`/${scale / 2}?depth=0`),
      list: get(`?${list}&pagination=false`),
      "deep page": get(`?${list}&page=${(scale * 0.9) / 50 + 1}`),
      "deep page by key": get(`?${list}&where[id][greater_than]=${scale * 0.9}&pagination=false`),
      search: get(`?${range}&sort=due&limit=50&depth=0&pagination=false`),
      create,
      "create with a key": create,
    },
    status: { create: 201, "create with a key": 201 },
  };
}

function report(
  all: readonly Peer[],
  summaries: readonly Summary[],
  memories: readonly number[],
  { plot }: Bench,
): string {
  const ratios: { label: string; value: number; goal: number | undefined }[] = [];
  const rows = operations.map((operation, i) => {
    const [own, ...others] = summaries.slice(i * all.length, (i + 1) * all.length);
    const cells = all
      .map((_, j) => summaries[i * all.length + j])
      .map((each) => each && `${figure(each.rate)} (${figure(each.p50)} / ${figure(each.p99)})`);
    const compared = others.map((other, j) => {
      const name = all[j + 1]?.name ?? "";
      const goal = goals[name]?.[operation];
      const ratio = (own?.rate ?? Number.NaN) / other.rate;
      ratios.push({ label: `${operation}, ${name}`, value: ratio, goal });
      if (goal === undefined) return times(ratio);
      return `${times(ratio)} ${ratio >= goal ? "✓" : `✗ (goal ${goal} ×)`}`;
    });
    return [operation, ...cells.map((cell) => cell ?? ""), ...compared];
  });
  const others = all.slice(1).map(({ name }) => `to ${name}`);
  const startUp = all.map(({ name, started }) => `${name} ${started.toFixed(2)} s`).join(", ");
  const failures = summaries.reduce((sum, each) => sum + each.failures, 0);
  const resident = all.map(({ name }, i) => `${name} ${memories[i]} MB`).join(", ");
  return `${plot("peers", "Throughput as a multiple of the peers'", bars(ratios, "throughput, as a multiple of the peer's"))}

${table(["req/s (p50 / p99, ms)", ...all.map(({ name }) => name), ...others], rows)}

Start-up: ${startUp}. Memory after the load: ${resident}. ${failures} failures.

${count(scale)} items of 10 fields each, ${connections} connections, data on disk, authenticated. Edge Forms with all that it
does: exact limits, audit, every field indexed. A create with a key is compared with their plain create, as they have none. The peers have indexes on the three fields
that are searched, write-ahead logging, and what they do beyond the work is turned off.`;
}
