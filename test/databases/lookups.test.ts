import { beforeAll, describe, expect, it, vi } from "vitest";
import type { Answer, Client } from "../support/client";
import { freshKey } from "../support/service";
import {
  bothDatabases,
  first as firstDatabase,
  home,
  isolate,
  migrate,
  newCaller,
  useOnly,
} from "./installation";
import { reportsAtOnce } from "../support/serve";

/** The home database. Statements that look up a placement pass through `onLookup`. */
function homeWith(onLookup: (statement: D1PreparedStatement) => D1PreparedStatement): D1Database {
  return new Proxy(home, {
    get(target, name) {
      if (name === "prepare")
        return (sql: string) => {
          const statement = target.prepare(sql);
          return sql.includes("from placement") ? onLookup(statement) : statement;
        };
      const member: unknown = Reflect.get(target, name);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

/** The home database, which counts how often a request looks up a placement. */
const counting = (counts: { lookups: number }): D1Database =>
  homeWith((statement) => {
    counts.lookups += 1;
    return statement;
  });

/** The home database, which answers so many lookups, and no more. */
const silentAfter = (answers: number): D1Database => {
  let count = 0;
  const hang = (statement: D1PreparedStatement): D1PreparedStatement => {
    const bind = statement.bind.bind(statement);
    return Object.assign(statement, {
      bind: (...values: unknown[]) => hang(bind(...values)),
      all: () => new Promise(() => undefined),
    });
  };
  return homeWith((statement) => {
    count += 1;
    return count > answers ? hang(statement) : statement;
  });
};

let caller: Client;
let app: string;
let form: string;
let record: { id: string; receipt_number: string };
let submission: { id: string };

beforeAll(async () => {
  // No other isolate has cached the definitions either.
  vi.spyOn(caches.default, "match").mockResolvedValue(undefined);
  await migrate();
  caller = await newCaller();
  const creator = isolate(caller);
  [app, form] = [freshKey("target"), freshKey("source")];
  await useOnly("DATA_01");
  const text = { key: "t", type: "text" };
  await creator.put(`/apps/${app}/schema`, { fields: [{ ...text, unique: true }] });
  const reference = { key: "ref", type: "reference", app };
  await creator.put(`/forms/${form}/schema`, { fields: [reference, text] });
  record = (await creator.post(`/apps/${app}/records`, { data: { t: "a" } })).body;
  const data = { ref: record.id, t: "x" };
  submission = (await creator.post(`/forms/${form}/submissions`, { data })).body;
});

type Call = (isolated: Client) => Promise<Answer>;
const submissions = () => `/forms/${form}/submissions`;
const search =
  (body: object): Call =>
  (to) =>
    to.post(`${submissions()}/search`, body);
const create =
  (data: () => object): Call =>
  (to) =>
    to.post(submissions(), { data: data() });
const batch =
  (data: () => object): Call =>
  (to) =>
    to.post(`${submissions()}/batch`, { operations: [{ op: "create", data: data() }] });
const first =
  (one: Call, two: Call): Call =>
  async (to) => {
    await one(to);
    return two(to);
  };
const list: Call = (to) => to.get(submissions());
const getById: Call = (to) => to.get(`/submissions/${submission.id}`);
const byReceipt = () => ({ ref: record.receipt_number });
const byValue = () => ({ ref: { t: "a" } });
const matches = [{ field: "ref", op: "matches", value: [{ field: "t", op: "eq", value: "a" }] }];

const calls: [name: string, call: Call][] = [
  ["a list", list],
  ["a list with `expand`", (to) => to.get(`${submissions()}?expand=ref`)],
  ["a list of records", (to) => to.get(`/apps/${app}/records`)],
  ["an item by its ID", getById],
  ["an item with `expand`", (to) => to.get(`/submissions/${submission.id}?expand=ref`)],
  [
    "a record by its receipt number",
    (to) => to.get(`/apps/${app}/records/${record.receipt_number}`),
  ],
  ["an item, then a list", first(getById, list)],
  ["a list, then an item", first(list, getById)],
  ["a search", search({})],
  ["a search with `matches`", search({ conditions: matches })],
  ["a search with `expand`", search({ expand: ["ref"] })],
  [
    "an aggregate",
    (to) => to.post(`${submissions()}/aggregate`, { metrics: { n: { op: "count" } } }),
  ],
  ["a feed", (to) => to.get(`/forms/${form}/changes`)],
  ["a schema", (to) => to.get(`/forms/${form}/schema`)],
  ["a create", create(() => ({ t: "y" }))],
  ["a create with a reference by ID", create(() => ({ ref: record.id }))],
  ["a create with a reference by receipt number", create(byReceipt)],
  ["a create with a reference by a unique value", create(byValue)],
  ["a PATCH", (to) => to.patch(`/submissions/${submission.id}`, { data: { t: "z" } })],
  [
    "a PATCH with a reference",
    (to) => to.patch(`/submissions/${submission.id}`, { data: byValue() }),
  ],
  ["a batch", batch(() => ({ t: "y" }))],
  ["a batch with a reference by receipt number", batch(byReceipt)],
  ["a batch with a reference by a unique value", batch(byValue)],
];

describe("An isolate that has just started looks up the database once, and then not again, for", () => {
  it.each(calls)("%s", async (_, call) => {
    const counts = { lookups: 0 };
    const isolated = isolate(caller, { ...bothDatabases, DB: counting(counts) });
    const cold = await call(isolated);
    expect([cold.status < 300, counts.lookups]).toEqual([true, 1]);
    await call(isolated);
    expect(counts.lookups).toBe(1);
  });
});

describe("If the directory does not answer in time, the response is 503, for", () => {
  const isolated = (answers = 0) =>
    isolate(caller, {
      ...bothDatabases,
      DB: silentAfter(answers),
      TIMEOUTS: { ...reportsAtOnce, storageMs: 150 },
    });

  it("a list and an item", async () => {
    for (const call of [list, getById]) {
      const { status, body } = await call(isolated());
      expect([status, body.code]).toEqual([503, "try_again"]);
    }
  });

  it("an item whose ID does not name its collection", async () => {
    const id = "sub_01ARZ3NDEKZZZZZZZZZZZZZZZZ";
    const { body } = await isolate(caller).post(submissions(), { data: { t: "old" } });
    await firstDatabase.prepare("update item set id = ? where id = ?").bind(id, body.id).run();
    expect((await isolate(caller).get(`/submissions/${id}`)).status).toBe(200);
    for (const answers of [0, 1])
      expect((await isolated(answers).get(`/submissions/${id}`)).status).toBe(503);
  });

  it("a definition that refers to an app", async () => {
    const reference = { key: "ref", type: "reference", app };
    const path = `/forms/${freshKey("late")}/schema`;
    expect((await isolated().put(path, { fields: [reference] })).status).toBe(503);
  });
});
