import { sentData } from "../fill.ts";
import { inRounds, type Subject, type Summary } from "../measure/rounds.ts";
import { memory } from "../measure/machine.ts";
import { count, figure, table, times } from "../report/markdown.ts";
import { bars } from "../report/plot.ts";
import { bundle } from "../serve/bundle.ts";
import { calls, tokenCount, type Bench, type Part, type Version } from "./bench.ts";
import { pageAt, prepared } from "./operations.ts";
import { running } from "./peer-process.ts";

/** A server that stores the same hundred thousand items and gets equivalent requests. */
interface Peer {
  name: string;
  pid: number;
  started: number;
  requests: Record<Operation, () => ReturnType<ReturnType<typeof calls>>>;
  status: Partial<Record<Operation, number>>;
  stop: () => Promise<void>;
}

const operations = [
  "get",
  "list",
  "deep page",
  "deep page by cursor",
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

/** Compares the service with other systems that store records in SQLite, on the same machine. */
export const peers: Part = async (bench) => {
  const allPeers: Peer[] = [];
  for (const [i, version] of bench.versions.toReversed().entries()) {
    allPeers.push(await edgeForms(bench, version, i));
  }
  allPeers.push(await directus(bench), await payload(bench));
  const subjects = operations.flatMap((operation) =>
    allPeers.map((peer): Subject => ({
      name: `${operation} ${peer.name}`,
      pid: peer.pid,
      next: peer.requests[operation],
      connections,
      status: peer.status[operation] ?? 200,
    })),
  );
  const summaries = await inRounds(subjects, bench.rounds, bench.milliseconds);
  const memories = allPeers.map(({ pid }) => memory(pid));
  for (const peer of allPeers) await peer.stop();
  return [{ title: "Peers", text: report(allPeers, summaries, memories, bench) }];
};

const key = () => ({ "Idempotency-Key": crypto.randomUUID() });

const createBody = (turn: number) => ({ data: sentData(turn) });

async function edgeForms(bench: Bench, { name, root }: Version, i: number): Promise<Peer> {
  const bundles = { main: bundle("src/index.ts", bench.builds, true, root) };
  const { service, tokens, started } = await prepared(
    bench.onDisk(),
    bundles,
    scale,
    tokenCount,
    [],
    root,
  );
  const items = `${service.url()}/api/v1/forms/big/submissions`;
  const middle = `${service.url()}/api/v1/submissions/sub_${String(scale / 2).padStart(26, "0")}`;
  const deepPage = calls(tokens, "GET", await pageAt(service, tokens, scale * 0.9));
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
    requests: {
      get: calls(tokens, "GET", middle),
      list: calls(tokens, "GET", items),
      "deep page": deepPage,
      "deep page by cursor": deepPage,
      search: calls(tokens, "POST", `${items}/search`, () => search),
      create: calls(tokens, "POST", items, createBody),
      "create with a key": calls(tokens, "POST", items, createBody, key),
    },
    status: { create: 201, "create with a key": 201 },
    stop: () => service.stop(),
  };
}

const peerItem = (due: string) => (turn: number) => ({
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
  const { origin, ...server } = await running(bench, "directus", scale);
  const url = `${origin}/items/submissions`;
  const get = (query: string) => calls([], "GET", url + query, undefined, directusKey);
  const create = calls([], "POST", url, peerItem("2026-11-21"), directusKey);
  const range = "filter[amount][_gte]=4000&filter[amount][_lt]=5000&filter[department][_eq]=sales";
  return {
    ...server,
    name: "Directus",
    requests: {
      get: get(`/${scale / 2}`),
      list: get("?limit=50&sort=id"),
      "deep page": get(`?limit=50&offset=${scale * 0.9}&sort=id`),
      "deep page by cursor": get(`?limit=50&sort=id&filter[id][_gt]=${scale * 0.9}`),
      search: get(`?${range}&sort=due&limit=50`),
      create,
      "create with a key": create,
    },
    status: {},
  };
}

const payloadKey = () => ({ Authorization: "users API-Key bench-key-0123456789abcdef" });

async function payload(bench: Bench): Promise<Peer> {
  const { origin, ...server } = await running(bench, "payload", scale);
  const url = `${origin}/api/submissions`;
  const get = (query: string) => calls([], "GET", url + query, undefined, payloadKey);
  const list = "limit=50&sort=id&depth=0";
  const body = peerItem("2026-11-21T00:00:00.000Z");
  const create = calls([], "POST", `${url}?depth=0`, body, payloadKey);
  const range =
    "where[amount][greater_than_equal]=4000&where[amount][less_than]=5000&where[department][equals]=sales";
  return {
    ...server,
    name: "Payload",
    requests: {
      get: get(`/${scale / 2}?depth=0`),
      list: get(`?${list}&pagination=false`),
      "deep page": get(`?${list}&page=${(scale * 0.9) / 50 + 1}`),
      "deep page by cursor": get(
        `?${list}&where[id][greater_than]=${scale * 0.9}&pagination=false`,
      ),
      search: get(`?${range}&sort=due&limit=50&depth=0&pagination=false`),
      create,
      "create with a key": create,
    },
    status: { create: 201, "create with a key": 201 },
  };
}

function report(
  allPeers: readonly Peer[],
  summaries: readonly Summary[],
  memories: readonly number[],
  { plot }: Bench,
): string {
  const ratios: { label: string; value: number; goal: number | undefined }[] = [];
  const rows = operations.map((operation, i) => {
    const [service, ...otherSummaries] = summaries.slice(
      i * allPeers.length,
      (i + 1) * allPeers.length,
    );
    const cells = allPeers
      .map((_, j) => summaries[i * allPeers.length + j])
      .map(
        (summary) =>
          summary && `${figure(summary.rate)} (${figure(summary.p50)} / ${figure(summary.p99)})`,
      );
    const comparisons = otherSummaries.map((peerSummary, j) => {
      const name = allPeers[j + 1]?.name ?? "";
      const goal = goals[name]?.[operation];
      const ratio = (service?.rate ?? Number.NaN) / peerSummary.rate;
      ratios.push({ label: `${operation}, ${name}`, value: ratio, goal });
      if (goal === undefined) return times(ratio);
      return `${times(ratio)} ${ratio >= goal ? "✓" : `✗ (goal ${goal} ×)`}`;
    });
    return [operation, ...cells.map((cell) => cell ?? ""), ...comparisons];
  });
  const comparisonTitles = allPeers.slice(1).map(({ name }) => `to ${name}`);
  const startTimes = allPeers
    .map(({ name, started }) => `${name} ${started.toFixed(2)} s`)
    .join(", ");
  const failures = summaries.reduce((sum, summary) => sum + summary.failures, 0);
  const memoryUse = allPeers.map(({ name }, i) => `${name} ${memories[i]} MB`).join(", ");
  return `${plot("peers", "Throughput as a multiple of the peers'", bars(ratios, "throughput, as a multiple of the peer's"))}

${table(["req/s (p50 / p99, ms)", ...allPeers.map(({ name }) => name), ...comparisonTitles], rows)}

Start-up: ${startTimes}. Memory after the load: ${memoryUse}. ${failures} failures.

${count(scale)} items of 10 fields each, ${connections} connections, data on disk, authenticated. Edge Forms with all that it
does: exact limits, audit, every field indexed. A create with a key is compared with their plain create, as they have none. The peers have indexes on the three fields
that are searched, write-ahead logging, and what they do beyond the work is turned off.`;
}
