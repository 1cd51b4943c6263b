import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { nothing, recording, type Recorded } from "../../bench/workers/recording";
import { app as service } from "../../src/app.ts";
import { findCollection } from "../../src/store/data/collections.ts";
import { keepDefinition } from "../../src/store/data/collections.ts";
import { waiting } from "../../src/http/gate-reports.ts";
import { newCollection } from "../faults/world";
import { speak } from "../mcp/speaking";
import { rightRequest } from "../support/right-requests";
import { routes } from "../support/routes";
import { everything, client, issue, admin, makeApp, makeForm } from "../support/service";
import { world } from "../support/world";
import { Client, host, type Json } from "../support/client";

const patience = 400;
const prefix = "/api/v1";

interface Way {
  recorded: Recorded;
  /** Round trips to the database that had begun when the object answered. */
  before: number;
}

/** An object that answers only once the database was asked; or, where nobody asks, after a while. */
function slowObject(gate: Bindings["GATE"], way: Way): Bindings["GATE"] {
  const getByName = (name: string) => {
    const stub = gate.getByName(name);
    type Stub = typeof stub;
    return {
      note: (...args: Parameters<Stub["note"]>) => stub.note(...args),
      admit: async (...args: Parameters<Stub["admit"]>) => {
        const until = Date.now() + patience;
        while (way.recorded.trips.length === 0 && Date.now() < until) await scheduler.wait(1);
        const admission = await stub.admit(...args);
        way.before = way.recorded.trips.length;
        return admission;
      },
    };
  };
  return { getByName } as unknown as Bindings["GATE"];
}

/** A call, and which way it went. */
async function going(
  by: Client,
  call: (one: Client) => Promise<{ status: number; text: string }>,
  change: (bindings: Bindings) => Bindings = (bindings) => bindings,
) {
  const way: Way = { recorded: nothing(), before: 0 };
  const through = by.through(async (request) => {
    const ctx = createExecutionContext();
    const recorded = recording(env, way.recorded);
    const bindings = change({ ...recorded, GATE: slowObject(recorded.GATE, way) });
    const response = await service.fetch(request, bindings, ctx);
    await waitOnExecutionContext(ctx);
    return response;
  });
  const { status, text } = await call(through);
  const { trips, admissions } = way.recorded;
  return { status, text, object: admissions.length, before: way.before, trips: trips.length };
}

const plain = [
  { key: "a", type: "text", searchable: false },
  { key: "n", type: "number" },
];

describe("From far away, what counts is how often one waits for light", () => {
  let by: Client;
  let app: string;
  let form: string;
  beforeAll(async () => {
    Object.assign(waiting, { refused: 0, served: 0 });
    by = await client();
    app = await makeApp(by, plain);
    form = await makeForm(by, plain);
  });
  const item = async (at = `/forms/${form}/submissions`): Promise<Json> =>
    (await by.post(at, { data: { a: "x", n: 1 } })).body;
  const beside = { object: 1, before: 1, trips: 1 };

  const reads: [string, (key: string) => (one: Client) => ReturnType<Client["get"]>][] = [
    ["a list", (key) => (one) => one.get(`/forms/${key}/submissions`)],
    ["a schema", (key) => (one) => one.get(`/forms/${key}/schema`)],
    ["an OpenAPI document", (key) => (one) => one.get(`/forms/${key}/openapi.json`)],
  ];

  it.each(reads)("%s is read beside the object: known to this isolate or not", async (_, read) => {
    expect(await going(by, read(form))).toMatchObject({ status: 200, ...beside });
    const unknown = await newCollection("form");
    expect(await going(by, read(unknown))).toMatchObject({ status: 200, ...beside });
  });

  it("an item is, by its id and by its receipt number: known to this isolate or not", async () => {
    await item(`/apps/${app}/records`);
    for (const key of [app, await copyWithItem("app")]) {
      const { id, receipt_number } = (await rowOf(key)) as Json;
      for (const name of [receipt_number, id]) {
        await forgetDefinition(key);
        const read = await going(by, (through) => through.get(`/apps/${key}/records/${name}`));
        expect(read).toMatchObject({ status: 200, ...beside });
      }
    }
    const { id } = await item();
    expect(await going(by, (through) => through.get(`/submissions/${id}`))).toMatchObject(beside);
    const unknown = await copyWithItem("form");
    const { id: other } = (await rowOf(unknown)) as Json;
    const read = await going(by, (through) => through.get(`/submissions/${other}`));
    expect(read).toMatchObject({ status: 200, ...beside });
  });

  it("a search is; where its definition is not known, after one more trip, or as others near by know it", async () => {
    const search = (key: string) => (through: Client) =>
      through.post(`/forms/${key}/submissions/search`, { sort: [{ field: "n" }] });
    expect(await going(by, search(form))).toMatchObject({ status: 200, ...beside });
    const unknown = await copyWithItem("form");
    expect(await going(by, search(unknown))).toMatchObject({ status: 200, object: 1, trips: 2 });
    const another = await copyWithItem("form");
    const stored = await findCollection(env.DB, "form", another);
    if (!stored) throw new Error("It was not made.");
    await keepDefinition(caches.default, host, stored);
    expect(await going(by, search(another))).toMatchObject({ status: 200, ...beside });
    // What is cached may be old: that is learnt on the way.
    const changed = await copyWithItem("form");
    const old = await findCollection(env.DB, "form", changed);
    if (!old) throw new Error("It was not made.");
    await keepDefinition(caches.default, host, old);
    await forgetDefinition(changed);
    expect(await going(by, search(changed))).toMatchObject({ status: 200, object: 1, trips: 2 });
    expect(await going(by, search(changed))).toMatchObject(beside);
  });

  it("a create waits for the object, then for the primary: nothing is written before it is admitted", async () => {
    const create = (key: string) => (through: Client) =>
      through.post(`/forms/${key}/submissions`, { data: { a: "x" } });
    const known = await going(by, create(form));
    expect(known).toMatchObject({ status: 201, object: 1, before: 0, trips: 1 });
    const unknown = await newCollection("form");
    const cold = await going(by, create(unknown));
    expect(cold).toMatchObject({ status: 201, object: 1, before: 1, trips: 2 });
  });

  it("a change and a deletion are made of a read beside the object, and one batch", async () => {
    const { id } = await item();
    const patch = (through: Client) => through.patch(`/submissions/${id}`, { data: { n: 2 } });
    expect(await going(by, patch)).toMatchObject({ status: 200, object: 1, before: 1, trips: 2 });
    const remove = (through: Client) => through.delete(`/submissions/${id}`);
    expect(await going(by, remove)).toMatchObject({ status: 204, object: 1, before: 1, trips: 2 });
  });

  it("a definition that has changed since comes along with what is read", async () => {
    const changed =
      "UPDATE collection SET revision = revision + 1, name = name || '+' WHERE key = ?";
    await env.DB.prepare(changed).bind(form).run();
    const list = await going(by, (through) => through.get(`/forms/${form}/submissions`));
    expect(list).toMatchObject(beside);
    await env.DB.prepare(changed).bind(form).run();
    // The SQL of a search is made of it.
    const search = await going(by, (through) =>
      through.post(`/forms/${form}/submissions/search`, {}),
    );
    expect(search).toMatchObject({ status: 200, trips: 2 });
  });
});

describe("Whatever is read by GET", () => {
  const gets = [...routes.keys()].filter((name) => name.startsWith("GET /api/v1/"));
  const unread = ["GET /api/v1/me", "GET /api/v1/openapi.json"];
  // Where the feed is, the definition is asked for at the same time.
  const askedFor = (name: string) =>
    unread.includes(name) ? 0 : name.endsWith("/changes") ? 2 : 1;

  it.each(gets)("%s: the database is asked beside the object, and not again", async (name) => {
    const { bearer } = await world();
    const { path } = await rightRequest(name);
    const read = await going(new Client(bearer), (one) => one.get(path.slice(prefix.length)));
    const trips = askedFor(name);
    expect(read).toMatchObject({ status: 200, object: 1, before: trips, trips });
  });

  it("the definitions of a joined document, and lists for who sees only some", async () => {
    const by = await client();
    const [one, other] = [await makeApp(by, plain), await makeApp(by, plain)];
    const joined = await going(by, (through) => through.get(`/openapi.json?apps=${one},${other}`));
    expect(joined).toMatchObject({ status: 200, object: 1, before: 1, trips: 1 });
    const some = await client({ permissions: everything, resources: [`app:${one}`] });
    const hidden = await some.get(`/openapi.json?apps=${one},${other}`);
    expect(hidden.status).toBe(404);
    const list = await going(some, (through) => through.get("/apps"));
    expect(list).toMatchObject({ status: 200, object: 1, before: 1, trips: 2 });
    expect(JSON.parse(list.text).items).toMatchObject([{ key: one }]);
  });
});

describe("What tools of /mcp read", () => {
  it("is read beside the object, and seen by nobody whom it is refused to", async () => {
    const by = await client();
    const [app, form] = [await makeApp(by, plain), await makeForm(by, plain)];
    const data = { a: "secret", n: 1 };
    const { id: record } = (await by.post(`/apps/${app}/records`, { data })).body;
    const { id: submission } = (await by.post(`/forms/${form}/submissions`, { data })).body;
    const elsewhere = await client({ permissions: everything, resources: ["app:another"] });
    const calls: [string, object][] = [
      ["get_record", { app, id: record }],
      ["get_submission", { id: submission }],
      ["search_records", { app, conditions: [] }],
      [`search_submissions_${form}`, {}],
      ["read_definition", { kind: "form", key: form }],
    ];
    for (const [name, sent] of calls) {
      const tool = (one: Client) => speak(one, "tools/call", { name, arguments: sent });
      const read = await going(by, tool);
      expect([name, read]).toMatchObject([name, { object: 1, before: 1, trips: 1 }]);
      expect(read.text).toContain(name === "read_definition" ? form : "secret");
      const refused = await going(elsewhere, tool);
      expect(refused.text).toContain("not_found");
      expect(refused.text).not.toContain("secret");
    }
    const wrong = { app, conditions: [{ field: "nothing", op: "eq", value: 1 }] };
    const hidden = await going(elsewhere, (one) =>
      speak(one, "tools/call", { name: "search_records", arguments: wrong }),
    );
    expect(hidden.text).toContain("not_found");
  });
});

/** What reads the database beside the object is nobody's until the object and the permissions say so. */
describe("What was read ahead of its admission is seen by nobody whom it is refused to", () => {
  const failing = () => Promise.reject(new Error("broken"));
  const statement = { bind: () => statement, all: failing, raw: failing };
  const session = { prepare: () => statement, batch: failing, getBookmark: () => null };
  const DB = { ...session, withSession: () => session } as unknown as D1Database;
  const broken = (bindings: Bindings): Bindings => ({ ...bindings, DB });

  it("401, 403 and 404 are said whatever was read, and whatever failed meanwhile", async () => {
    const maker = await client();
    const app = await makeApp(maker, plain);
    const other = await makeApp(maker, plain);
    const { id } = (await maker.post(`/apps/${app}/records`, { data: { a: "secret", n: 1 } })).body;
    const paths = [`/apps/${app}/records`, `/apps/${app}/records/${id}`, `/apps/${app}/schema`];
    const blind = await client({ permissions: ["submissions:read"] });
    const elsewhere = await client({
      permissions: everything,
      resources: [`app:${other}`],
    });
    const gone = await issue();
    await admin("POST", `/integrations/${gone.id}/revoke`);
    const refusals: [Client, number][] = [
      [blind, 403],
      [elsewhere, 404],
      [new Client(gone.token), 401],
    ];
    for (const path of paths) {
      for (const [who, status] of refusals) {
        for (const change of [(same: Bindings) => same, broken]) {
          const refused = await going(who, (one) => one.get(path), change);
          expect([refused.status, path]).toEqual([status, path]);
          expect(refused.text).not.toContain("secret");
        }
      }
    }
  });

  it("who was refused, or is beyond a limit, costs the database nothing from then on", async () => {
    const maker = await client();
    const app = await makeApp(maker, plain);
    const read = (one: Client) => one.get(`/apps/${app}/records`);
    const limited = await client({ requests: 1 });
    expect(await going(limited, read)).toMatchObject({ status: 200, trips: 1 });
    expect((await going(limited, read)).status).toBe(429);
    expect(await going(limited, read)).toMatchObject({ status: 429, object: 1, trips: 0 });
    const gone = await issue();
    await admin("POST", `/integrations/${gone.id}/revoke`);
    const revoked = new Client(gone.token);
    expect((await going(revoked, read)).status).toBe(401);
    expect(await going(revoked, read)).toMatchObject({ status: 401, object: 1, trips: 0 });
  });
});

/** A collection with one item, made by SQL, that no isolate has seen. */
async function copyWithItem(kind: "app" | "form"): Promise<string> {
  const key = await newCollection(kind);
  await env.DB.prepare(
    `INSERT INTO item (number, id, collection_id, receipt_number, status, version, definition_version,
      created_at, created_by, updated_at, updated_by, data)
      SELECT id * 4294967296 + 1, ?3 || '_of_' || key, id, iif(kind = 'app', receipt_prefix || '000001', null),
        iif(kind = 'form', 'submitted', null), 1, 1, 1, 'system', 1, 'system', '{}'
        FROM collection WHERE key = ?1 AND kind = ?2`,
  )
    .bind(key, kind, kind === "app" ? "rec" : "sub")
    .run();
  return key;
}

const rowOf = (key: string) =>
  env.DB.prepare(
    "SELECT i.id, i.receipt_number FROM item i JOIN collection c ON c.id = i.collection_id WHERE c.key = ? LIMIT 1",
  )
    .bind(key)
    .first();

/** Another state of the definition, which no isolate knows. */
const forgetDefinition = (key: string) =>
  env.DB.prepare("UPDATE collection SET revision = revision + 1 WHERE key = ?").bind(key).run();
