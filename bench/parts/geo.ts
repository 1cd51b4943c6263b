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
import { caller, type Call } from "../../src/dev/caller.ts";
import type { Part, Version } from "./bench.ts";

interface Operation {
  name: string;
  method: string;
  /** Each operation has a form of its own, so that an isolate that learns one knows nothing for the next. */
  path: (form: string, item: string) => string;
  status: number;
  body?: object;
  keyed?: boolean;
  write?: boolean;
  /** It decides on what it reads, beside the object, before it writes. */
  readsFirst?: boolean;
}

const submissions = (form: string) => `/forms/${form}/submissions`;
const one = (_: string, item: string) => `/submissions/${item}`;
const search = { conditions: [{ field: "department", op: "eq", value: "department 3" }] };
const create = { method: "POST", path: submissions, status: 201, body: { data: sentData(2) } };
const edit = { path: one, write: true, readsFirst: true };

const operations: Operation[] = [
  { name: "get", method: "GET", path: one, status: 200 },
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
const atATime = 3;
/** What remains beside the distances: a tenth of them, and the work itself. */
const allowed = (floor: number) => 1.1 * floor + 15;

interface Timed {
  floor: number;
  /** The median of each version, in the order of the versions. */
  p50: number[];
}

const formOf = ({ name: operation }: Operation) => operation.toLowerCase().replaceAll(/\W/g, "");
const slug = ({ name: place }: Place) => place.normalize("NFD").replaceAll(/[^A-Za-z]/g, "");

/** What each operation takes from ten cities, when only distance counts: a simulation. */
export const geo: Part = async (bench) => {
  const text = [];
  for (const replicas of [true, false]) {
    const taken: number[][][] = [];
    for (const [i, version] of bench.versions.entries()) {
      bench.note(`geo, ${version.name}, ${replicas ? "with" : "without"} replicas`);
      const folder = bench.inMemory();
      taken.push(await measured(version, replicas, folder, bench.builds, 8700 + i * 20));
    }
    for (const cold of [false, true]) {
      const where = replicas ? "A replica in each region" : "The primary alone";
      const state = cold ? "an isolate that knows nothing" : "a warm isolate";
      const rows = callers.map((city, i) => [
        city.name,
        ...operations.map((operation, j) => {
          const floor = floorOf(operation, distancesOf(city, replicas), cold);
          const at = (cold ? operations.length : 0) + j;
          return cell({ floor, p50: taken.map((each) => each[i]?.[at] ?? Number.NaN) });
        }),
      ]);
      const head = [`${where}, ${state}`, ...operations.map((operation) => operation.name)];
      text.push(table(head, rows));
    }
  }
  return [
    { title: "Distances, simulated", text: `${text.join("\n\n")}\n\n${told(bench.versions)}` },
  ];
};

function told(versions: readonly Version[]): string {
  const each = versions.map(({ name: version }) => version).join(" → ");
  return `Median milliseconds (${each}) / physical floor; ✗ where it is above 1.10 × the floor + 15 ms. **A simulation:** the bundle
runs under the plain runtime on one machine, and waits in front of the credential's object and of D1 as the great circle
says (1 ms + 1.4 ms for each 100 km, there and back). The database is written in ${primary.name}; the object is in the
nearest of the six regions that have objects, and so is the replica. The floor is the sum of the distances that the
operation cannot avoid: a read waits for the longer of object and database; a create for the object, then for the primary;
PATCH and DELETE, and a create by an isolate that does not know the definition, for the longer of object and read, then
for the primary.`;
}

function cell({ floor, p50 }: Timed): string {
  const missed = (p50.at(-1) ?? Number.NaN) > allowed(floor);
  return `${p50.map((each) => Math.round(each)).join(" → ")} / ${Math.round(floor)}${missed ? " ✗" : ""}`;
}

function distancesOf(city: Place, replicas: boolean): Distances {
  const object = nearest(city, regions);
  const replicaOf = (from: Place) => roundTrip(from, replicas ? nearest(from, regions) : primary);
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
  { object, replica, primary: written }: Distances,
  cold: boolean,
): number {
  if (!write) return Math.max(object, replica);
  return (readsFirst || cold ? Math.max(object, replica) : object) + written;
}

/** For each city the medians of the operations, warm and then cold. */
async function measured(
  { root }: Version,
  replicas: boolean,
  folder: string,
  builds: string,
  port: number,
): Promise<number[][]> {
  const main = bundle("src/index.ts", builds, true, root);
  const prepared = new Service(folder, { main }, port, root);
  await prepared.begin();
  const tokens = await prepared.tokens(callers.length * own);
  for (const each of operations) await prepared.define(formOf(each), tokens[0] ?? "", fields);
  await prepared.stop();
  const file = stage("bench/workers/far.ts", builds);
  const cities = callers.map((city) => [
    slug(city),
    { file, service: main, copies: coldSamples, says: distancesOf(city, replicas) },
  ]);
  const bundles: Bundles = { main, ...Object.fromEntries(cities) };
  const service = new Service(folder, bundles, port, root);
  await service.start();
  const taken: number[][] = [];
  const waiting = [...callers.entries()];
  const next = async () => {
    for (let found = waiting.shift(); found; found = waiting.shift()) {
      const [i, city] = found;
      const given = tokens.slice(i * own, (i + 1) * own);
      taken[i] = await takenFrom(service.url(slug(city)), service.url(), given);
    }
  };
  // They mostly wait; few enough at a time that none waits for another's work.
  await Promise.all(Array.from({ length: atATime }, next));
  await service.stop();
  return taken;
}

/** The credentials of each city: one that makes what is changed, and one for each operation. */
const own = operations.length + 1;

async function takenFrom(url: string, near: string, tokens: readonly string[]): Promise<number[]> {
  const [maker = "", ...each] = tokens;
  const make = caller(near, maker);
  const timer = (operation: Operation, i: number, isolate: Record<string, string> = {}) => {
    const call = caller(url, each[i] ?? "");
    const form = formOf(operation);
    return async () => {
      const made = await make("POST", submissions(form), { data: sentData(1) });
      return time(call, operation, String(made.body.id), isolate);
    };
  };
  const warm = [];
  for (const [i, operation] of operations.entries()) {
    const run = timer(operation, i);
    // The first one wakes the object, and teaches the isolate the definition.
    await run();
    const times = [];
    for (let n = 0; n < samples; n += 1) times.push(await run());
    warm.push(median(times));
  }
  const cold = operations.map((): number[] => []);
  for (let n = 0; n < coldSamples; n += 1) {
    const isolate = { "X-Isolate": String(n) };
    // It starts, and translates what all requests run.
    await caller(url, maker)("GET", "/me", undefined, isolate);
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
  const started = performance.now();
  const answer = await call(method, path(formOf(operation), item), body, headers);
  const taken = performance.now() - started;
  if (answer.status !== status) throw new Error(answer.text);
  return taken;
}
