import { fields, sentData } from "../fill.ts";
import {
  callers,
  nearest,
  primary,
  regions,
  roundTrip,
  type Distances,
  type Place,
} from "../measure/distances.ts";
import { median } from "../measure/statistics.ts";
import { table } from "../report/markdown.ts";
import { bundle, stage } from "../serve/bundle.ts";
import { Service, type Bundles } from "../serve/service.ts";
import { caller, type Call } from "../../test/support/caller.ts";
import type { Part, Version } from "./bench.ts";

interface Operation {
  name: string;
  method: string;
  /** Each operation has its own form, so that a definition cached for one operation does not help the next. */
  path: (form: string, item: string) => string;
  status: number;
  body?: object;
  keyed?: boolean;
  write?: boolean;
  /** Whether the operation reads from the database in parallel with the object call before it writes. */
  readsFirst?: boolean;
}

const submissions = (form: string) => `/forms/${form}/submissions`;
const submissionPath = (_: string, item: string) => `/submissions/${item}`;
const search = { conditions: [{ field: "department", op: "eq", value: "department 3" }] };
const create = { method: "POST", path: submissions, status: 201, body: { data: sentData(2) } };
const edit = { path: submissionPath, write: true, readsFirst: true };

const operations: Operation[] = [
  { name: "get", method: "GET", path: submissionPath, status: 200 },
  { name: "list", method: "GET", path: submissions, status: 200 },
  {
    name: "search",
    method: "POST",
    path: (form) => `${submissions(form)}/search`,
    status: 200,
    body: search,
  },
  { name: "schema", method: "GET", path: (form) => `/forms/${form}/schema`, status: 200 },
  { ...create, name: "create", write: true },
  { ...create, name: "create, key", write: true, keyed: true },
  { ...edit, name: "PATCH", method: "PATCH", status: 200, body: { data: { score: 1001 } } },
  { ...edit, name: "DELETE", method: "DELETE", status: 204 },
];
const samples = 7;
const coldSamples = 3;
const maxConcurrentCities = 3;
/** Returns the limit: the floor plus a tenth, plus 15 ms for the work itself. */
const maxMilliseconds = (floor: number) => 1.1 * floor + 15;

interface Timing {
  floor: number;
  /** The median of each version, in the order of the versions. */
  p50: number[];
}

const formOf = ({ name: operation }: Operation) => operation.toLowerCase().replaceAll(/\W/g, "");
const slug = ({ name: place }: Place) => place.normalize("NFD").replaceAll(/[^A-Za-z]/g, "");

/** Simulates the latency of each operation from ten cities, when only distance counts. */
export const geo: Part = async (bench) => {
  const text = [];
  for (const replicas of [true, false]) {
    const mediansByVersion: number[][][] = [];
    for (const version of bench.versions) {
      bench.note(`geo, ${version.name}, ${replicas ? "with" : "without"} replicas`);
      const folder = bench.inMemory();
      mediansByVersion.push(await measureVersion(version, replicas, folder, bench.builds));
    }
    for (const cold of [false, true]) {
      const setting = replicas ? "A replica in each region" : "The primary alone";
      const state = cold ? "an isolate that knows nothing" : "a warm isolate";
      const rows = callers.map((city, i) => [
        city.name,
        ...operations.map((operation, j) => {
          const floor = floorOf(operation, distancesOf(city, replicas), cold);
          const column = (cold ? operations.length : 0) + j;
          return cell({
            floor,
            p50: mediansByVersion.map((medians) => medians[i]?.[column] ?? Number.NaN),
          });
        }),
      ]);
      const head = [`${setting}, ${state}`, ...operations.map((operation) => operation.name)];
      text.push(table(head, rows));
    }
  }
  return [
    {
      title: "Distances, simulated",
      text: `${text.join("\n\n")}\n\n${explanation(bench.versions)}`,
    },
  ];
};

function explanation(versions: readonly Version[]): string {
  const names = versions.map(({ name: version }) => version).join(" → ");
  return `Median milliseconds (${names}) / physical floor; ✗ where it is above 1.10 × the floor + 15 ms. **A simulation:** the bundle
runs under the plain runtime on one machine, and waits in front of the credential's object and of D1 as the great circle
says (1 ms + 1.4 ms for each 100 km, there and back). The database is written in ${primary.name}; the object is in the
nearest of the six regions that have objects, and so is the replica. The floor is the sum of the distances that the
operation cannot avoid: a read waits for the longer of object and database; a create for the object, then for the primary;
PATCH and DELETE, and a create by an isolate that does not know the definition, for the longer of object and read, then
for the primary.`;
}

function cell({ floor, p50 }: Timing): string {
  const isMissed = (p50.at(-1) ?? Number.NaN) > maxMilliseconds(floor);
  return `${p50.map((milliseconds) => Math.round(milliseconds)).join(" → ")} / ${Math.round(floor)}${isMissed ? " ✗" : ""}`;
}

function distancesOf(city: Place, replicas: boolean): Distances {
  const object = nearest(city, regions);
  const replicaOf = (origin: Place) =>
    roundTrip(origin, replicas ? nearest(origin, regions) : primary);
  return {
    object: roundTrip(city, object),
    primary: roundTrip(city, primary),
    replica: replicaOf(city),
    objectToPrimary: roundTrip(object, primary),
    objectToReplica: replicaOf(object),
  };
}

function floorOf(
  { write, readsFirst }: Operation,
  { object, replica, primary: primaryDistance }: Distances,
  cold: boolean,
): number {
  if (!write) return Math.max(object, replica);
  return (readsFirst || cold ? Math.max(object, replica) : object) + primaryDistance;
}

/** Returns for each city the medians of the operations, first warm and then cold. */
async function measureVersion(
  { root }: Version,
  replicas: boolean,
  folder: string,
  builds: string,
): Promise<number[][]> {
  const main = bundle("src/index.ts", builds, true, root);
  const setupService = new Service(folder, { main }, root);
  await setupService.begin();
  const tokens = await setupService.tokens(callers.length * tokensPerCity);
  for (const operation of operations)
    await setupService.define(formOf(operation), tokens[0] ?? "", fields);
  await setupService.stop();
  const file = stage("bench/workers/far.ts", builds);
  const cities = callers.map((city) => [
    slug(city),
    { file, service: main, copies: coldSamples, says: distancesOf(city, replicas) },
  ]);
  const bundles: Bundles = { main, ...Object.fromEntries(cities) };
  const service = new Service(folder, bundles, root);
  await service.start();
  const mediansByCity: number[][] = [];
  const queue = [...callers.entries()];
  const runNext = async () => {
    for (let entry = queue.shift(); entry; entry = queue.shift()) {
      const [i, city] = entry;
      const cityTokens = tokens.slice(i * tokensPerCity, (i + 1) * tokensPerCity);
      mediansByCity[i] = await measureCity(service.url(slug(city)), service.url(), cityTokens);
    }
  };
  // Cities mostly wait. So few of them run at the same time that none waits for the CPU.
  await Promise.all(Array.from({ length: maxConcurrentCities }, runNext));
  await service.stop();
  return mediansByCity;
}

/** Each city has one credential that creates items, and one for each operation. */
const tokensPerCity = operations.length + 1;

async function measureCity(
  url: string,
  nearUrl: string,
  tokens: readonly string[],
): Promise<number[]> {
  const [setupToken = "", ...operationTokens] = tokens;
  const callNear = caller(nearUrl, setupToken);
  const timer = (operation: Operation, i: number, isolate: Record<string, string> = {}) => {
    const call = caller(url, operationTokens[i] ?? "");
    const form = formOf(operation);
    return async () => {
      const created = await callNear("POST", submissions(form), { data: sentData(1) });
      return time(call, operation, String(created.body.id), isolate);
    };
  };
  const warm = [];
  for (const [i, operation] of operations.entries()) {
    const run = timer(operation, i);
    // The first request wakes the object and loads the definition into the isolate.
    await run();
    const times = [];
    for (let sample = 0; sample < samples; sample += 1) times.push(await run());
    warm.push(median(times));
  }
  const cold = operations.map((): number[] => []);
  for (let sample = 0; sample < coldSamples; sample += 1) {
    const isolate = { "X-Isolate": String(sample) };
    // This request starts the isolate and compiles the code that all requests run.
    await caller(url, setupToken)("GET", "/me", undefined, isolate);
    for (const [i, operation] of operations.entries()) {
      cold[i]?.push(await timer(operation, i, isolate)());
    }
  }
  return [...warm, ...cold.map(median)];
}

async function time(
  call: Call,
  operation: Operation,
  item: string,
  isolate: Record<string, string>,
): Promise<number> {
  const { method, path, status, body, keyed } = operation;
  const headers = { ...isolate, ...(keyed ? { "Idempotency-Key": crypto.randomUUID() } : {}) };
  const startedAt = performance.now();
  const response = await call(method, path(formOf(operation), item), body, headers);
  const elapsed = performance.now() - startedAt;
  if (response.status !== status) throw new Error(response.text);
  return elapsed;
}
