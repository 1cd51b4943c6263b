import { deepEqual, equal } from "node:assert/strict";
import { sentData } from "../fill.ts";
import { count, table } from "../report/markdown.ts";
import { bundle, project } from "../serve/bundle.ts";
import type { Counts } from "../workers/counts.ts";
import type { Bench, Part } from "./bench.ts";
import { prepared } from "./operations.ts";
import { counting } from "./counting.ts";
import { prices } from "./prices.ts";
import { paced } from "./pace.ts";

interface Route {
  name: string;
  /** The exact cost. The benchmark fails on any difference. */
  expected: Counts;
  send: (form: CostContext) => ReturnType<typeof counting>;
  status: number;
}

interface CostContext {
  call: (
    method: string,
    path: string,
    body?: object,
    headers?: Record<string, string>,
  ) => ReturnType<typeof counting>;
  /** Creates a submission. */
  createSubmission: () => ReturnType<typeof counting>;
}

const costs = (
  object: number,
  d1: number,
  rowsRead: number,
  rowsWritten: number,
  kvReads = 0,
  kvWrites = 0,
): Counts => ({ object, d1, rowsRead, rowsWritten, kvReads, kvWrites });

const submissions = "/forms/small/submissions";
const key = () => ({ "Idempotency-Key": crypto.randomUUID() });
const equality = { conditions: [{ field: "department", op: "eq", value: "department 3" }] };

const routes: Route[] = [
  {
    name: "GET /me",
    status: 200,
    expected: costs(1, 0, 0, 0),
    send: ({ call }) => call("GET", "/me"),
  },
  {
    name: "GET a submission",
    status: 200,
    expected: costs(1, 1, 2, 0),
    send: async ({ call, createSubmission }) =>
      call("GET", `/submissions/${(await createSubmission()).body.id}`),
  },
  {
    name: "GET a list of 50",
    status: 200,
    expected: costs(1, 1, 54, 0),
    send: ({ call }) => call("GET", "/forms/big/submissions"),
  },
  {
    name: "POST search, no conditions",
    status: 200,
    expected: costs(1, 1, 56, 0),
    send: ({ call }) => call("POST", "/forms/big/submissions/search", {}),
  },
  {
    name: "POST search, equality",
    status: 200,
    expected: costs(1, 1, 107, 0),
    send: ({ call }) => call("POST", "/forms/big/submissions/search", equality),
  },
  {
    name: "POST a submission, 8 indexed fields",
    status: 201,
    expected: costs(1, 1, 25, 15),
    send: ({ call }) => call("POST", submissions, { data: sentData(1) }),
  },
  {
    name: "the same with an Idempotency-Key",
    status: 201,
    expected: costs(1, 1, 32, 17, 1, 1),
    send: ({ call }) => call("POST", submissions, { data: sentData(2) }, key()),
  },
  {
    name: "its replay",
    status: 201,
    expected: costs(1, 1, 17, 0, 1, 0),
    send: async ({ call }) => {
      const headers = key();
      await call("POST", submissions, { data: sentData(3) }, headers);
      return call("POST", submissions, { data: sentData(3) }, headers);
    },
  },
  {
    name: "POST validate",
    status: 200,
    expected: costs(1, 1, 4, 0),
    send: ({ call }) => call("POST", `${submissions}/validate`, { data: sentData(4) }),
  },
  {
    name: "PATCH a submission, one indexed field",
    status: 200,
    expected: costs(1, 2, 32, 6),
    send: async ({ call, createSubmission }) =>
      call("PATCH", `/submissions/${(await createSubmission()).body.id}`, {
        data: { score: 1001 },
      }),
  },
  {
    name: "DELETE a submission",
    status: 204,
    expected: costs(1, 2, 54, 15),
    send: async ({ call, createSubmission }) =>
      call("DELETE", `/submissions/${(await createSubmission()).body.id}`),
  },
  {
    name: "GET a schema",
    status: 200,
    expected: costs(1, 1, 4, 0),
    send: ({ call }) => call("GET", "/forms/small/schema"),
  },
  {
    name: "a submission that is invalid (422)",
    status: 422,
    expected: costs(1, 1, 4, 0),
    send: ({ call }) => call("POST", submissions, { data: { score: "many" } }),
  },
];

/** With data databases, each batch also checks in one row that its database owns the collection. */
const withFences = (counts: Counts): Counts => ({
  ...counts,
  rowsRead: counts.rowsRead + counts.d1,
});

/** Counts the exact storage calls of each route. Fails if any differs from the expected cost. */
async function countCalls(
  bench: Bench,
  databases: readonly string[],
  expectedOf: (route: Route) => Counts,
): Promise<[name: string, counts: Counts][]> {
  const bundles = { main: bundle("bench/workers/counted.ts", bench.builds) };
  const { service, tokens } = await prepared(
    bench.inMemory(),
    bundles,
    1000,
    1,
    [],
    project,
    databases,
  );
  const [token = ""] = tokens;
  const call: CostContext["call"] = (method, path, body, headers) =>
    counting(`${service.url()}/api/v1${path}`, token, method, body, headers);
  const context = {
    call,
    createSubmission: () => call("POST", submissions, { data: sentData(7) }),
  };
  const counted: [string, Counts][] = [];
  for (const route of routes) {
    const { name, send, status } = route;
    // The first call loads the definitions into the isolate, and the credential into its object.
    await send(context);
    const response = await send(context);
    equal(response.status, status, `${name} answered ${JSON.stringify(response.body)}`);
    const what = `What ${name} costs with ${databases.join(" and ")} has changed.`;
    deepEqual(response.counts, expectedOf(route), what);
    counted.push([name, response.counts]);
  }
  await service.stop();
  return counted;
}

/** Counts the exact storage calls of each route in both layouts, and computes the price of a million requests. */
export const cost: Part = async (bench) => {
  const counted = await countCalls(bench, ["DB"], ({ expected }) => expected);
  await countCalls(bench, ["DB", "DATA_01"], ({ expected }) => withFences(expected));
  const rows = counted.map(([name, counts]) => row(name, counts));
  const header = [
    "",
    "object calls",
    "D1 round trips",
    "rows read",
    "rows written",
    "KV reads",
    "KV writes",
    "$ a million",
  ];
  const text = `${table(header, rows)}

What is asked for one answer, without what credentials' objects store and do later. With data databases, each D1 round trip
reads one row more, and nothing else differs.`;
  return [
    { title: "Cost", text },
    { title: "Cost with all that follows", text: await paced(bench) },
  ];
};

function row(name: string, counts: Counts): (string | number)[] {
  const { object, d1, rowsRead, rowsWritten, kvReads, kvWrites } = counts;
  const dollars =
    prices.worker +
    object * prices.object +
    rowsRead * prices.rowRead +
    rowsWritten * prices.rowWritten +
    kvReads * prices.kvRead +
    kvWrites * prices.kvWrite;
  return [name, object, d1, count(rowsRead), rowsWritten, kvReads, kvWrites, dollars.toFixed(2)];
}
