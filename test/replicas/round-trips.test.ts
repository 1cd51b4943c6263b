import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { ulid } from "ulid";
import { beforeAll, describe, expect, it } from "vitest";
import { nothing, recording, type Recorded } from "../../bench/workers/recording";
import { newItemId } from "../../src/domain/item/item.ts";
import { findCollection } from "../../src/store/data/collections.ts";
import { cacheCollection } from "../../src/store/data/collections.ts";
import { newCollection } from "../faults/world";
import { speak } from "../mcp/mcp-client";
import { rightRequest } from "../support/right-requests";
import { routeName, routes } from "../support/routes";
import { everything, client, issue, admin, makeApp, makeForm } from "../support/service";
import { world } from "../support/world";
import { Client, host, type Json } from "../support/client";
import { reportsAtOnce, serve } from "../support/serve";
import { databases, dataHandle, dataDb, withDataDb } from "../support/databases";

/** The turns of the event loop in which a query begins, however busy the machine is. */
const maxTurns = 50;
const prefix = "/api/v1";

interface Observation {
  recorded: Recorded;
  /** What had begun when the object admitted the request. */
  beforeAdmission: { trips: number; lookups: number };
}

const isLookup = ({ statements }: Recorded["trips"][number]) =>
  statements.some(({ sql }) => sql.includes("from placement"));
const tripsToData = ({ trips }: Recorded) => trips.filter((trip) => !isLookup(trip));
/** Where collections are in several databases, an isolate asks once where a collection is. */
const lookupsOf = ({ trips }: Recorded) => trips.filter(isLookup);
const maxLookups = databases.directory ? 1 : 0;

/** A gate that admits only after the first query to the database, or after `maxTurns` without one. */
function slowObject(gate: Bindings["GATE"], observation: Observation): Bindings["GATE"] {
  const getByName = (name: string) => {
    const stub = gate.getByName(name);
    type Stub = typeof stub;
    return {
      note: (...args: Parameters<Stub["note"]>) => stub.note(...args),
      admit: async (...args: Parameters<Stub["admit"]>) => {
        for (
          let turn = 0;
          turn < maxTurns && tripsToData(observation.recorded).length === 0;
          turn += 1
        )
          await scheduler.wait(1);
        const admission = await stub.admit(...args);
        const { recorded } = observation;
        observation.beforeAdmission = {
          trips: tripsToData(recorded).length,
          lookups: lookupsOf(recorded).length,
        };
        return admission;
      },
    };
  };
  return { getByName } as unknown as Bindings["GATE"];
}

/**
 * Sends one call and counts its round trips. `before` are those that began before the admission. Lookups of the database
 * are counted apart: one at most, and none in an isolate that has made it.
 */
async function observe(
  caller: Client,
  call: (caller: Client) => Promise<{ status: number; text: string }>,
  changeBindings: (bindings: Bindings) => Bindings = (bindings) => bindings,
) {
  const beforeAdmission = { trips: 0, lookups: 0 };
  const observation: Observation = { recorded: nothing(), beforeAdmission };
  const observed = caller.through(async (request) => {
    const ctx = createExecutionContext();
    const recorded = recording(changeBindings(env), observation.recorded);
    const bindings = { ...recorded, GATE: slowObject(recorded.GATE, observation) };
    const response = await serve(request, { ...bindings, TIMEOUTS: reportsAtOnce }, ctx);
    await waitOnExecutionContext(ctx);
    return response;
  });
  const { status, text } = await call(observed);
  const { admissions } = observation.recorded;
  const trips = tripsToData(observation.recorded);
  const lookups = lookupsOf(observation.recorded).length;
  expect(lookups).toBeLessThanOrEqual(maxLookups);
  // The lookup runs in parallel with the object, like the first read.
  expect(observation.beforeAdmission.lookups).toBe(lookups);
  return {
    status,
    text,
    object: admissions.length,
    before: observation.beforeAdmission.trips,
    trips: trips.length,
    lookups,
    sql: trips.flatMap(({ statements }) => statements.map(({ sql }) => sql)).join("\n"),
  };
}

const fields = [
  { key: "a", type: "text", searchable: false },
  { key: "n", type: "number" },
];

describe("Round trips of a request", () => {
  let caller: Client;
  let app: string;
  let form: string;
  beforeAll(async () => {
    caller = await client();
    app = await makeApp(caller, fields);
    form = await makeForm(caller, fields);
  });
  const createItem = async (path = `/forms/${form}/submissions`): Promise<Json> =>
    (await caller.post(path, { data: { a: "x", n: 1 } })).body;
  const inParallel = { object: 1, before: 1, trips: 1 };

  const reads: [string, (key: string) => (sender: Client) => ReturnType<Client["get"]>][] = [
    ["a list", (key) => (sender) => sender.get(`/forms/${key}/submissions`)],
    ["a schema", (key) => (sender) => sender.get(`/forms/${key}/schema`)],
    ["an OpenAPI document", (key) => (sender) => sender.get(`/forms/${key}/openapi.json`)],
  ];

  it.each(reads)(
    "are one, in parallel with the object, for %s, with a cached definition or not",
    async (_, read) => {
      expect(await observe(caller, read(form))).toMatchObject({ status: 200, ...inParallel });
      const unknown = await newCollection("form");
      const cold = await observe(caller, read(unknown));
      expect(cold).toMatchObject({ status: 200, ...inParallel, lookups: maxLookups });
      expect((await observe(caller, read(unknown))).lookups).toBe(0);
    },
  );

  it("are one, in parallel with the object, for an item by id or receipt number", async () => {
    await createItem(`/apps/${app}/records`);
    for (const key of [app, await newCollectionWithItem("app")]) {
      const { id, receipt_number } = (await itemRowOf(key)) as Json;
      for (const name of [receipt_number, id]) {
        await outdateDefinition(key);
        const read = await observe(caller, (sender) => sender.get(`/apps/${key}/records/${name}`));
        expect(read).toMatchObject({ status: 200, ...inParallel });
      }
    }
    const { id } = await createItem();
    expect(await observe(caller, (sender) => sender.get(`/submissions/${id}`))).toMatchObject(
      inParallel,
    );
    const unknown = await newCollectionWithItem("form");
    const { id: otherId } = (await itemRowOf(unknown)) as Json;
    const read = await observe(caller, (sender) => sender.get(`/submissions/${otherId}`));
    expect(read).toMatchObject({ status: 200, ...inParallel });
  });

  it("are one for a search with a cached definition, and two without", async () => {
    const search = (key: string) => (sender: Client) =>
      sender.post(`/forms/${key}/submissions/search`, { sort: [{ field: "n" }] });
    await observe(caller, search(form));
    expect(await observe(caller, search(form))).toMatchObject({ status: 200, ...inParallel });
    const unknown = await newCollectionWithItem("form");
    expect(await observe(caller, search(unknown))).toMatchObject({
      status: 200,
      object: 1,
      trips: 2,
    });
    const cachedForm = await newCollectionWithItem("form");
    const collection = await findCollection(dataHandle, "form", cachedForm);
    if (!collection) throw new Error("The form is missing.");
    await cacheCollection(caches.default, host, collection);
    // The first search waits for the admission. Until then, only the definition is read.
    const first = { status: 200, object: 1, before: 1, trips: 2 };
    expect(await observe(caller, search(cachedForm))).toMatchObject(first);
    expect(await observe(caller, search(cachedForm))).toMatchObject({ status: 200, ...inParallel });
    // An outdated definition in the cache costs one more round trip.
    const changedForm = await newCollectionWithItem("form");
    const oldCollection = await findCollection(dataHandle, "form", changedForm);
    if (!oldCollection) throw new Error("The form is missing.");
    await cacheCollection(caches.default, host, oldCollection);
    await outdateDefinition(changedForm);
    expect(await observe(caller, search(changedForm))).toMatchObject({
      status: 200,
      object: 1,
      trips: 2,
    });
    expect(await observe(caller, search(changedForm))).toMatchObject(inParallel);
  });

  it("are one for a create, or two without a cached definition; the write waits for the admission", async () => {
    const create = (key: string) => (sender: Client) =>
      sender.post(`/forms/${key}/submissions`, { data: { a: "x" } });
    const warm = await observe(caller, create(form));
    expect(warm).toMatchObject({ status: 201, object: 1, before: 0, trips: 1 });
    const unknown = await newCollection("form");
    const cold = await observe(caller, create(unknown));
    expect(cold).toMatchObject({
      status: 201,
      object: 1,
      before: 1,
      trips: 2,
      lookups: maxLookups,
    });
    expect((await observe(caller, create(unknown))).lookups).toBe(0);
  });

  it("are two for a PATCH or DELETE: a read in parallel with the object, then a batch", async () => {
    const { id } = await createItem();
    const patch = (sender: Client) => sender.patch(`/submissions/${id}`, { data: { n: 2 } });
    expect(await observe(caller, patch)).toMatchObject({
      status: 200,
      object: 1,
      before: 1,
      trips: 2,
      lookups: 0,
    });
    const remove = (sender: Client) => sender.delete(`/submissions/${id}`);
    expect(await observe(caller, remove)).toMatchObject({
      status: 204,
      object: 1,
      before: 1,
      trips: 2,
    });
  });

  it("are one for a list after a definition change, and two for a search", async () => {
    const changed =
      "UPDATE collection SET revision = revision + 1, name = name || '+' WHERE key = ?";
    await dataDb.prepare(changed).bind(form).run();
    const list = await observe(caller, (sender) => sender.get(`/forms/${form}/submissions`));
    expect(list).toMatchObject(inParallel);
    await dataDb.prepare(changed).bind(form).run();
    // The SQL of a search depends on the definition.
    const search = await observe(caller, (sender) =>
      sender.post(`/forms/${form}/submissions/search`, {}),
    );
    expect(search).toMatchObject({ status: 200, trips: 2 });
  });
});

describe("A search of a credential that this isolate has not seen admitted to it", () => {
  const search = (key: string) => (sender: Client) =>
    sender.post(`/forms/${key}/submissions/search`, {});

  it("starts only after the admission, and in parallel with it from then on", async () => {
    const caller = await client();
    const [form, otherForm] = [await makeForm(caller, fields), await makeForm(caller, fields)];
    for (const key of [form, otherForm]) {
      const cold = await observe(await client(), search(key));
      expect([cold.status, cold.before, cold.trips]).toEqual([200, 1, 2]);
      expect(cold.sql).toMatch(/\b(item|search_entry)\b/);
      for (const before of [0, 1])
        expect(await observe(caller, search(key))).toMatchObject({ status: 200, before, trips: 1 });
    }
  });

  it("returns 403 or 404 without reading items, and does so again after a narrowing", async () => {
    const creator = await client();
    const [form, otherForm] = [await makeForm(creator, fields), await makeForm(creator, fields)];
    const blind = await client({ permissions: ["submissions:create"] });
    const elsewhere = await client({ permissions: everything, resources: [`form:${otherForm}`] });
    const refusals = [blind, elsewhere].flatMap((caller) =>
      [form, "not_there"].map((key) => observe(caller, search(key))),
    );
    const refused = await Promise.all(refusals);
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 404, 404]);
    for (const { object, sql } of refused) {
      expect(object).toBe(1);
      expect(sql).not.toMatch(/\b(item|search_entry)\b/);
    }
    const narrowed = await issue();
    const caller = new Client(narrowed.token);
    await observe(caller, search(form));
    const resources = [`form:${otherForm}`];
    await admin("POST", `/integrations/${narrowed.id}`, { resources });
    expect((await observe(caller, search(form))).status).toBe(404);
    expect(await observe(caller, search(form))).toMatchObject({ status: 404, trips: 0 });
  });

  it("returns 403 and 404 while a read that was started early never ends", async () => {
    const creator = await client();
    const app = await makeApp(creator, fields);
    const never = () => new Promise(() => undefined);
    const statement = { bind: () => statement, all: never, raw: never };
    const session = { prepare: () => statement, batch: never, getBookmark: () => null };
    const DB = { ...session, withSession: () => session } as unknown as D1Database;
    const blind = await client({ permissions: ["submissions:create"] });
    const elsewhere = await client({ permissions: everything, resources: ["app:another"] });
    for (const path of [
      `/apps/${app}/records`,
      `/apps/${app}/schema`,
      `/openapi.json?apps=${app}`,
    ]) {
      for (const [caller, status] of [
        [blind, 403],
        [elsewhere, 404],
      ] as const) {
        const read = (sender: Client) => sender.get(path);
        const refused = await observe(caller, read, (bindings) => withDataDb(bindings, DB));
        expect([path, refused.status]).toEqual([path, status]);
        expect(refused.before).toBeGreaterThan(0);
      }
    }
  });
});

describe("Round trips of every GET", () => {
  const gets = [...routes.keys()].filter((name) => name.startsWith("GET /api/v1/"));
  const withoutRead = [routeName("getMe"), routeName("getDocument")];
  const lists = [routeName("listApps"), routeName("listForms")];
  const all = databases.dataDatabases().length;
  const tripsFor = (name: string) =>
    withoutRead.includes(name) ? 0 : lists.includes(name) ? all : 1;

  it.each(gets)(
    "%s: reads the database in parallel with the object, and not again",
    async (name) => {
      const { bearer } = await world();
      const { path } = await rightRequest(name);
      const observeGet = () =>
        observe(new Client(bearer), (sender) => sender.get(path.slice(prefix.length)));
      const read = await observeGet();
      const trips = tripsFor(name);
      expect(read).toMatchObject({ status: 200, object: 1, before: trips, trips });
      if (read.lookups > 0) expect((await observeGet()).lookups).toBe(0);
    },
  );

  it("are one for a joined document, and two for a list of a credential with few apps", async () => {
    const caller = await client();
    const [firstApp, secondApp] = [await makeApp(caller, fields), await makeApp(caller, fields)];
    const document = await observe(caller, (sender) =>
      sender.get(`/openapi.json?apps=${firstApp},${secondApp}`),
    );
    expect(document).toMatchObject({ status: 200, object: 1, before: all, trips: all });
    const limited = await client({ permissions: everything, resources: [`app:${firstApp}`] });
    const hidden = await limited.get(`/openapi.json?apps=${firstApp},${secondApp}`);
    expect(hidden.status).toBe(404);
    const list = await observe(limited, (sender) => sender.get("/apps"));
    expect(list).toMatchObject({ status: 200, object: 1, before: all, trips: 2 * all });
    expect(JSON.parse(list.text).items).toMatchObject([{ key: firstApp }]);
  });
});

describe("Reads of MCP tools", () => {
  it("run in parallel with the object, and return `not_found` to a credential without access", async () => {
    const caller = await client();
    const [app, form] = [await makeApp(caller, fields), await makeForm(caller, fields)];
    const data = { a: "secret", n: 1 };
    const { id: record } = (await caller.post(`/apps/${app}/records`, { data })).body;
    const { id: submission } = (await caller.post(`/forms/${form}/submissions`, { data })).body;
    const elsewhere = await client({ permissions: everything, resources: ["app:another"] });
    const calls: [string, object][] = [
      ["get_record", { app, id: record }],
      ["get_submission", { id: submission }],
      ["search_records", { app, conditions: [] }],
      [`search_submissions_${form}`, {}],
      ["read_definition", { form }],
    ];
    for (const [name, args] of calls) {
      const tool = (sender: Client) => speak(sender, "tools/call", { name, arguments: args });
      // The first search waits for the admission.
      if (name.startsWith("search_"))
        expect(await observe(caller, tool)).toMatchObject({ object: 1, before: 0, trips: 1 });
      const read = await observe(caller, tool);
      expect([name, read]).toMatchObject([name, { object: 1, before: 1, trips: 1 }]);
      expect(read.text).toContain(name === "read_definition" ? form : "secret");
    }
    const invalidSearch = { app, conditions: [{ field: "nothing", op: "eq", value: 1 }] };
    const rejections = [...calls, ["search_records", invalidSearch] as const].map(([name, args]) =>
      observe(elsewhere, (sender) => speak(sender, "tools/call", { name, arguments: args })),
    );
    for (const { text } of await Promise.all(rejections)) {
      expect(text).toContain("not_found");
      expect(text).not.toContain("secret");
    }
  });
});

describe("Reads before the admission", () => {
  const rejectQuery = () => Promise.reject(new Error("broken"));
  const statement = { bind: () => statement, all: rejectQuery, raw: rejectQuery };
  const session = { prepare: () => statement, batch: rejectQuery, getBookmark: () => null };
  const DB = { ...session, withSession: () => session } as unknown as D1Database;
  const withBrokenDatabase = (bindings: Bindings): Bindings => withDataDb(bindings, DB);

  it("return 401, 403 or 404 without data, also when the read fails", async () => {
    const creator = await client();
    const app = await makeApp(creator, fields);
    const otherApp = await makeApp(creator, fields);
    const { id } = (await creator.post(`/apps/${app}/records`, { data: { a: "secret", n: 1 } }))
      .body;
    const paths = [`/apps/${app}/records`, `/apps/${app}/records/${id}`, `/apps/${app}/schema`];
    const blind = await client({ permissions: ["submissions:read"] });
    const elsewhere = await client({
      permissions: everything,
      resources: [`app:${otherApp}`],
    });
    const revoked = await issue();
    await admin("POST", `/integrations/${revoked.id}/revoke`);
    const expectedStatuses: [Client, number][] = [
      [blind, 403],
      [elsewhere, 404],
      [new Client(revoked.token), 401],
    ];
    // All at once, because a rejected credential stops the reads of later requests.
    const rejections = paths.flatMap((path) =>
      expectedStatuses.flatMap(([caller, status]) =>
        [(same: Bindings) => same, withBrokenDatabase].map(async (change) => {
          const rejected = await observe(caller, (sender) => sender.get(path), change);
          expect([rejected.status, rejected.before, path]).toEqual([status, 1, path]);
          expect(rejected.text).not.toContain("secret");
        }),
      ),
    );
    await Promise.all(rejections);
  });

  it("stop for a credential after a 401 or 429", async () => {
    const creator = await client();
    const app = await makeApp(creator, fields);
    const read = (sender: Client) => sender.get(`/apps/${app}/records`);
    const limited = await client({ requests: 1 });
    expect(await observe(limited, read)).toMatchObject({ status: 200, trips: 1 });
    expect((await observe(limited, read)).status).toBe(429);
    expect(await observe(limited, read)).toMatchObject({ status: 429, object: 1, trips: 0 });
    const issued = await issue();
    await admin("POST", `/integrations/${issued.id}/revoke`);
    const revoked = new Client(issued.token);
    expect((await observe(revoked, read)).status).toBe(401);
    expect(await observe(revoked, read)).toMatchObject({ status: 401, object: 1, trips: 0 });
  });
});

/** Creates a collection with one item by SQL. No isolate has cached its definition. */
async function newCollectionWithItem(kind: "app" | "form"): Promise<string> {
  const key = await newCollection(kind);
  const collection = await findCollection(dataHandle, kind, key);
  if (!collection) throw new Error("The collection is missing.");
  const id = newItemId(kind, collection.collection.id, ulid());
  await dataDb
    .prepare(
      `INSERT INTO item (number, id, collection_id, receipt_number, status, version, definition_version,
      created_at, created_by, updated_at, updated_by, data)
      SELECT id * 4294967296 + 1, ?3, id, iif(kind = 'app', receipt_prefix || '000001', null),
        iif(kind = 'form', 'submitted', null), 1, 1, 1, 'system', 1, 'system', '{}'
        FROM collection WHERE key = ?1 AND kind = ?2`,
    )
    .bind(key, kind, id)
    .run();
  return key;
}

const itemRowOf = (key: string) =>
  dataDb
    .prepare(
      "SELECT i.id, i.receipt_number FROM item i JOIN collection c ON c.id = i.collection_id WHERE c.key = ? LIMIT 1",
    )
    .bind(key)
    .first();

/** Changes the revision, so that every cached definition is outdated. */
const outdateDefinition = (key: string) =>
  dataDb.prepare("UPDATE collection SET revision = revision + 1 WHERE key = ?").bind(key).run();
