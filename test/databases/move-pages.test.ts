import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { runMoves } from "../../src/actions/run-moves.ts";
import { app } from "../../src/app.ts";
import { workerPorts, workerSettings, type WorkerBindings } from "../../src/platform.ts";
import { createService } from "../../src/service.ts";
import { answerOf, type Answer, type Client } from "../support/client";
import { newMember } from "../support/members";
import { adminRequest, freshKey } from "../support/service";
import {
  bothDatabases,
  databasesOf,
  first,
  home,
  isolate,
  migrate,
  newCaller,
  useOnly,
  valueOf,
} from "./installation";
import { finish, letTimePass, phaseOf, scheduleContext, type Names } from "./moves";

const base = "/settings/databases";
const bindings = { ...env, ...bothDatabases } as unknown as WorkerBindings;

/** A request to the administration area of an installation with three databases, as the owner unless a cookie is given. */
async function area(
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const service = createService(workerPorts(bindings), workerSettings(bindings));
  const request = await adminRequest(method, path, body, headers);
  return answerOf(await app.fetch(request, service, createExecutionContext()));
}

const asPage = { Accept: "text/html" };
const start = (collection: string, to: string, headers = {}) =>
  area("POST", `${base}/move`, { collection, to }, headers);
const plan = (collection: string, to: string, headers = {}) =>
  area("GET", `${base}/move?collection=${collection}&to=${to}`, undefined, headers);
const moveRows = (name: string) =>
  valueOf(home, "select count(*) from collection_move where name = ?", name);
const auditRows = (name: string) =>
  valueOf(
    home,
    "select group_concat(action) from audit_entry where subject = ? and action like 'move.%'",
    name,
  );

let caller: Client;
let several: Client;
beforeAll(async () => {
  await migrate();
  caller = await newCaller();
});
beforeEach(async () => {
  several = isolate(caller);
  await home.prepare("delete from collection_move").run();
  await home.prepare("delete from data_database").run();
});

const open = (location: string | null = null) =>
  home.prepare("update data_database set used_from = 0, location = ?").bind(location).run();

/** A form with items in this database. Returns its name. */
async function makeForm(database: Names, count = 0, fields: object[] = []): Promise<string> {
  const key = freshKey("moved");
  await useOnly(database);
  const all = [{ key: "title", type: "text" }, ...fields];
  expect((await several.put(`/forms/${key}/schema`, { fields: all })).status).toBe(201);
  await open();
  for (let n = 0; n < count; n += 1)
    await several.post(`/forms/${key}/submissions`, { data: { title: `t${n}` } });
  return `form:${key}`;
}

describe("Move a form or app", () => {
  it("shows what moves along, and starts the move", async () => {
    await useOnly("DATA_01");
    const suppliers = freshKey("suppliers");
    await several.put(`/apps/${suppliers}/schema`, { fields: [{ key: "name", type: "text" }] });
    await several.post(`/apps/${suppliers}/records`, { data: { name: "one" } });
    const form = await makeForm("DATA_01", 2, [
      { key: "supplier", type: "reference", app: suppliers },
    ]);
    const { body } = await plan(form, "DATA_02");
    expect(body.refusal).toBe(null);
    expect(body.move).toEqual({
      source: "DATA_01",
      target: "DATA_02",
      collections: [
        { name: `app:${suppliers}`, items: 1 },
        { name: form, items: 2 },
      ],
      items: 3,
      delays: [],
    });
    const { text } = await plan(form, "DATA_02", asPage);
    expect(text).toContain("Move 2 forms and apps with 3 items");
    const started = await start(`app:${suppliers}`, "DATA_02");
    expect([started.status, started.body]).toMatchObject([
      201,
      { collection: `app:${suppliers}`, target: "DATA_02", phase: "requested", can_stop: true },
    ]);
    await finish(`app:${suppliers}`);
    expect(await databasesOf(form.slice(5))).toEqual(["DATA_02"]);
    const [listed] = (await area("GET", base)).body.moves;
    expect(listed).toMatchObject({ phase: "kept", source: "DATA_01", items: 3, problem: null });
    expect(listed.collections).toEqual([`app:${suppliers}`, form]);
    const page = (await area("GET", base, undefined, asPage)).text;
    expect(page).toMatch(/Moved<\/span>/);
    expect(page).toContain("and 1 linked");
  });

  it("says what would delay it", async () => {
    const form = await makeForm("DATA_01");
    await first.prepare("insert into owed_erasure values ('sub_X')").run();
    try {
      expect((await plan(form, "DATA_02")).body.move.delays).toEqual(["waits_for_repairs"]);
      expect((await plan(form, "DATA_02", asPage)).text).toContain("Waits for work on all rows");
    } finally {
      await first.prepare("delete from owed_erasure").run();
    }
  });

  it("makes one move and one audit entry of a hundred simultaneous starts", async () => {
    const form = await makeForm("DATA_01");
    const answers = await Promise.all(Array.from({ length: 100 }, () => start(form, "DATA_02")));
    const statuses = answers.map(({ status }) => status).toSorted();
    expect(statuses).toEqual([...Array.from({ length: 99 }, () => 200), 201]);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect(await moveRows(form)).toBe(1);
    expect(await auditRows(form)).toBe("move.start");
  });

  it("lets owners and admins start and stop moves, and nobody else", async () => {
    const form = await makeForm("DATA_01");
    const expected = { owner: [200, 201, 200], admin: [200, 201, 200] };
    for (const role of ["owner", "admin", "editor", "viewer"] as const) {
      await home.prepare("delete from collection_move").run();
      const { cookie } = await newMember(role);
      const as = { Cookie: cookie };
      const shown = await plan(form, "DATA_02", as);
      const started = await start(form, "DATA_02", as);
      if (started.status === 403) await start(form, "DATA_02");
      const id = await valueOf(home, "select id from collection_move");
      const stopped = await area("POST", `${base}/moves/${String(id)}/stop`, {}, as);
      const statuses = [shown.status, started.status, stopped.status];
      const right = role in expected ? expected[role as keyof typeof expected] : [403, 403, 403];
      expect([role, statuses]).toEqual([role, right]);
    }
    const anonymous = await start(form, "DATA_02", { Cookie: "" });
    expect(anonymous.status).toBe(401);
  });

  it("stops a move that is running, and leaves the form where it is", async () => {
    const form = await makeForm("DATA_01", 3);
    const { body: move } = await start(form, "DATA_02");
    await runMoves(scheduleContext());
    expect(await phaseOf(form)).toBe("following");
    const page = (await area("GET", base, undefined, asPage)).text;
    expect(page).toContain("Following changes");
    expect(page).toContain("until every location knows of the move");
    const stopped = await area("POST", `${base}/moves/${move.id}/stop`, {});
    expect([stopped.status, stopped.body.phase]).toEqual([200, "stopping"]);
    await letTimePass();
    await finish(form);
    expect(await phaseOf(form)).toBe("stopped");
    expect(await databasesOf(form.slice(5))).toEqual(["DATA_01"]);
    expect((await area("POST", `${base}/moves/${move.id}/stop`, {})).status).toBe(200);
    expect(await auditRows(form)).toBe("move.start,move.stop");
    const path = `/forms/${form.slice(5)}/submissions`;
    expect((await several.post(path, { data: { title: "after" } })).status).toBe(201);
    const audit = await area("GET", `/audit?collection=${form}`, undefined, asPage);
    expect(audit.text).toContain("started to move");
    expect(audit.text).toContain("stopped the move of");
    expect((await start(form, "DATA_02")).status).toBe(201);
    await finish(form);
    expect(await databasesOf(form.slice(5))).toEqual(["DATA_02"]);
  });

  it("cannot stop a move that switches over, nor one that does not exist", async () => {
    const form = await makeForm("DATA_01");
    const { body: move } = await start(form, "DATA_02");
    await home.prepare("update collection_move set phase = 'flipping'").run();
    const late = await area("POST", `${base}/moves/${move.id}/stop`, {});
    expect([late.status, late.body.code]).toEqual([409, "conflict"]);
    expect(await phaseOf(form)).toBe("flipping");
    expect(await auditRows(form)).toBe("move.start");
    const unknown = await area("POST", `${base}/moves/${move.id + 1}/stop`, {});
    expect(unknown.status).toBe(404);
    expect((await area("POST", `${base}/moves/x/stop`, {})).status).toBe(404);
  });

  it("takes a form back while its former copy is kept", async () => {
    const form = await makeForm("DATA_01", 2);
    await start(form, "DATA_02");
    await finish(form);
    expect((await start(form, "DATA_01")).status).toBe(201);
    await finish(form);
    expect(await databasesOf(form.slice(5))).toEqual(["DATA_01"]);
    await home.prepare("update collection_move set erase_at = 0 where target = 'DATA_02'").run();
    await letTimePass();
    await runMoves(scheduleContext());
    const { body } = await several.get(`/forms/${form.slice(5)}/submissions`);
    expect(body.items).toHaveLength(2);
  });
});

describe("A move that cannot start", () => {
  const refusals: [string, string, (form: string) => Promise<[string, string]>][] = [
    ["unknown_collection", "collection", async (form) => [`${form}x`, "DATA_02"]],
    ["unknown_collection", "collection", async () => ["moved", "DATA_02"]],
    ["unknown_database", "to", async (form) => [form, "DATA_22"]],
    ["same_database", "to", async (form) => [form, "DATA_01"]],
    [
      "database_not_ready",
      "to",
      async (form) => {
        await useOnly("DATA_01");
        return [form, "DATA_02"];
      },
    ],
    [
      "busy",
      "collection",
      async (form) => {
        await start(await makeForm("DATA_01"), "DATA_02");
        return [form, "DATA_02"];
      },
    ],
    [
      "busy",
      "collection",
      async (form) => {
        await start(form, "DATA_02");
        return [form, "DB"];
      },
    ],
  ];

  it.each(refusals)("is refused as %s beside “%s”", async (refusal, field, prepare) => {
    const form = await makeForm("DATA_01");
    const [name, target] = await prepare(form);
    const before = await valueOf(home, "select count(*) from collection_move");
    expect((await plan(name, target)).body).toMatchObject({ refusal, move: null });
    const refused = await start(name, target);
    expect([refused.status, refused.body.errors[0].field]).toEqual([422, field]);
    const page = await start(name, target, asPage);
    expect([page.status, page.text.includes(refused.body.errors[0].reason)]).toEqual([422, true]);
    expect((await plan(name, target, asPage)).text).toContain(`id="f-${field}-wrong"`);
    expect(await valueOf(home, "select count(*) from collection_move")).toBe(before);
    if (refusal.startsWith("unknown_") && name !== "moved")
      expect(refused.body.errors[0].reason).toContain(
        field === "to" ? "Did you mean DATA_02?" : `Did you mean ${form}?`,
      );
  });

  it("is refused in another location, and allowed within its own", async () => {
    const key = freshKey("european");
    await useOnly("DATA_01");
    await open("eu");
    await home.prepare("update data_database set location = 'us' where name = 'DATA_02'").run();
    const fields = [{ key: "title", type: "text" }];
    const put = await several.put(`/forms/${key}/schema`, { location: "eu", fields });
    expect(put.status).toBe(201);
    const form = `form:${key}`;
    for (const target of ["DATA_02", "DB"]) {
      const refused = await start(form, target);
      expect([refused.status, refused.body.errors[0].field]).toEqual([422, "to"]);
      expect((await plan(form, target)).body.refusal).toBe("other_location");
    }
    const page = (await area("GET", `/forms/${key}`, undefined, asPage)).text;
    expect(page).toContain(`/admin${base}/move?collection=${form}`);
    await open("eu");
    expect((await start(form, "DATA_02")).status).toBe(201);
  });

  it("is refused by its run if the location has changed by then", async () => {
    const key = freshKey("european");
    await useOnly("DATA_01");
    await open("eu");
    await several.put(`/forms/${key}/schema`, { location: "eu", fields: [] });
    const [source = ""] = await databasesOf(key);
    const target = source === "DATA_01" ? "DATA_02" : "DATA_01";
    expect((await start(`form:${key}`, target)).status).toBe(201);
    await home
      .prepare("update data_database set location = 'us' where name = ?")
      .bind(target)
      .run();
    await finish(`form:${key}`);
    expect((await area("GET", base)).body.moves[0]).toMatchObject({
      phase: "stopped",
      problem: "other_location",
    });
  });

  it("is named in Japanese too", async () => {
    const form = await makeForm("DATA_01");
    const headers = { ...asPage, "Accept-Language": "ja" };
    expect((await plan(form, "DATA_01", headers)).text).toContain(
      "データはすでにこのデータベースにあります。",
    );
    await start(form, "DATA_02");
    expect((await area("GET", base, undefined, headers)).text).toContain("準備中");
  });
});
