import { createExecutionContext, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { runPersonSearches } from "../../src/actions/person-search.ts";
import { repeatErasures } from "../../src/actions/repeat-erasures.ts";
import { runMoves } from "../../src/actions/run-moves.ts";
import { app } from "../../src/app.ts";
import { deliverAll } from "../../src/delivery/deliver.ts";
import { Ledger } from "../../src/delivery/ledger.ts";
import { workerPorts, workerSettings, type WorkerBindings } from "../../src/platform.ts";
import { onSchedule, sweepStorage } from "../../src/schedule.ts";
import { createService } from "../../src/service.ts";
import { host, type Client } from "../support/client";
import { pdf, sha256, upload } from "../support/files";
import { background } from "../support/serve";
import { freshKey } from "../support/service";
import {
  bothDatabases,
  first,
  home,
  isolate,
  migrate,
  newCaller,
  useOnly,
  valueOf,
} from "./installation";
import { finish, idOf, letTimePass, phaseOf, request, scheduleContext } from "./moves";

// A deployment without its settings, or a rollback, serves without the bindings of some or all data databases.

const hourMs = 60 * 60_000;
const later = () => Date.now() + 13 * hourMs;

const withoutAny = { DATA_01: undefined, DATA_02: undefined };
const withoutSecond = { ...bothDatabases, DATA_02: undefined };

const serviceOf = (replaced: object) => {
  const bindings = { ...env, ...replaced } as unknown as WorkerBindings;
  return createService(workerPorts(bindings), workerSettings(bindings));
};
const contextOf = (replaced: object) => background(serviceOf(replaced).databases);

let caller: Client;
beforeAll(async () => {
  await migrate();
  caller = await newCaller();
});
beforeEach(() => vi.spyOn(console, "log").mockReturnValue());

const fields = [
  { key: "invoices", type: "files" },
  { key: "title", type: "text" },
];

/** Creates a form in a database. */
async function makeForm(database: string): Promise<string> {
  await useOnly(database);
  const key = freshKey("lost");
  expect((await isolate(caller).put(`/forms/${key}/schema`, { fields })).status).toBe(201);
  // Both databases stay part of the installation.
  await useOnly("DATA_01", "DATA_02");
  return key;
}

async function makeSubmission(form: string, data: object): Promise<string> {
  const { status, body } = await isolate(caller).post(`/forms/${form}/submissions`, { data });
  expect(status).toBe(201);
  return body.id as string;
}

describe("Without the binding of a database", () => {
  const { files } = background();

  /** An object without a row in any database. */
  async function orphan(name: string): Promise<string> {
    const id = `fil_01ARZ3NDEKTSV4RRFFQ69G${name}`;
    await files.put(id, "a");
    return id;
  }

  it.each([
    ["all", withoutAny],
    ["one", withoutSecond],
  ])("deletes no object, if the bindings of %s are missing", async (_, bindings) => {
    const form = await makeForm("DATA_02");
    const id = await upload(isolate(caller), `form:${form}`);
    await makeSubmission(form, { invoices: [id] });
    await sweepStorage(contextOf(bindings), later());
    expect(await files.head(id)).not.toBeNull();
    const { status, text } = await isolate(caller).get(`/files/${id}/content`);
    expect([status, sha256(new TextEncoder().encode(text))]).toEqual([200, sha256(pdf())]);
  });

  it("deletes objects without a row again once it is bound", async () => {
    const id = await orphan("5FAA");
    await sweepStorage(contextOf(withoutSecond), later());
    expect(await files.head(id)).not.toBeNull();
    await sweepStorage(contextOf(bothDatabases), later());
    expect(await files.head(id)).toBeNull();
  });

  it("deletes no object while a collection moves, or if a move took place while it looked", async () => {
    const id = await orphan("5FAB");
    await request("form:nothing", "DATA_02");
    await sweepStorage(contextOf(bothDatabases), later());
    expect(await files.head(id)).not.toBeNull();
    await home.prepare("update collection_move set phase = 'stopped'").run();

    // Another isolate begins and ends a move after this one has asked the directory.
    const moving = new Proxy(first, {
      get(target, name) {
        if (name !== "prepare") return Reflect.get(target, name) as unknown;
        return (sql: string) => {
          const statement = target.prepare(sql);
          const bind = statement.bind.bind(statement);
          return Object.assign(statement, {
            bind: (...values: unknown[]) => {
              const bound = bind(...values);
              const all = bound.all.bind(bound);
              return Object.assign(bound, {
                all: async () => {
                  if (sql.includes("not exists (select 1 from file")) {
                    await request("form:nothing", "DATA_02");
                    await home.prepare("update collection_move set phase = 'kept'").run();
                  }
                  return all();
                },
              });
            },
          });
        };
      },
    });
    await sweepStorage(contextOf({ ...bothDatabases, DATA_01: moving }), later());
    expect(await files.head(id)).not.toBeNull();
    await sweepStorage(contextOf(bothDatabases), later());
    expect(await files.head(id)).toBeNull();
  });

  it.each([
    ["all", withoutAny],
    ["one", withoutSecond],
  ])(
    "keeps what a restore has to erase again, if the bindings of %s are missing",
    async (_, bindings) => {
      const form = await makeForm("DATA_02");
      const id = await makeSubmission(form, { title: "a" });
      const subjects = [id, `${await idOf(form)} form:${form}`];
      for (const subject of subjects)
        await home.prepare("insert into owed_erasure values (?)").bind(subject).run();
      await repeatErasures(contextOf(bindings)).catch(() => undefined);
      expect(await valueOf(home, "select count(*) from owed_erasure")).toBe(2);
      await repeatErasures(contextOf(bothDatabases));
      expect(await valueOf(home, "select count(*) from owed_erasure")).toBe(0);
      expect((await isolate(caller).get(`/submissions/${id}`)).status).toBe(404);
      expect((await isolate(caller).get(`/forms/${form}/schema`)).status).toBe(404);
    },
  );

  it("keeps the copy of a move whose new database is missing", async () => {
    const form = await makeForm("DATA_01");
    await makeSubmission(form, { title: "a" });
    const copied = `select count(*) from item where number / 4294967296 = ${await idOf(form)}`;
    await request(`form:${form}`, "DATA_02");
    await finish(`form:${form}`);
    await home.prepare("update collection_move set erase_at = 1 where erase_at > 1").run();
    await letTimePass();
    await runMoves(scheduleContext(withoutSecond));
    expect([await valueOf(first, copied), await phaseOf(`form:${form}`)]).toEqual([1, "kept"]);
    await letTimePass();
    await runMoves(scheduleContext());
    expect([await valueOf(first, copied), await phaseOf(`form:${form}`)]).toEqual([0, "done"]);
  });

  it("does not finish a search for a person, which would find too little", async () => {
    const form = await makeForm("DATA_02");
    await makeSubmission(form, { title: "Hanako Yamada" });
    const start = `insert into person_search (id, text, actor, created_at, expires_at, state, collection_id, part, after,
      searched, found) values ('one', 'hanako yamada', 'system', ?1, ?2, 'running', 0, 'changes', 0, 0, 0)`;
    await home.prepare(start).bind(Date.now(), later()).run();
    const found = async () =>
      Object.values((await home.prepare("select state, found from person_search").first()) ?? {});
    for (const bindings of [withoutAny, withoutSecond]) {
      await runPersonSearches(contextOf(bindings)).catch(() => undefined);
      expect((await found())[0]).toBe("running");
    }
    await runPersonSearches(contextOf(bothDatabases));
    expect(await found()).toEqual(["done", 1]);
  });

  it("does not begin the timeline of a webhook, which would skip what was not sent", async () => {
    const service = (bindings: object) =>
      serviceOf({ ...bindings, RESTORE_EPOCH: "restored", RESTORES: "1" });
    const epochAfter = (bindings: object) =>
      runInDurableObject(env.HOOKS.getByName("whk_lost"), async (_, { storage }) => {
        const ledger = new Ledger(storage);
        await deliverAll(service(bindings), ledger, "whk_lost").catch(() => undefined);
        return ledger.epoch;
      });
    await makeForm("DATA_02");
    expect(await epochAfter(withoutAny)).toBe("");
    expect(await epochAfter(withoutSecond)).toBe("");
    expect(await epochAfter(bothDatabases)).toBe("restored");
  });

  it("is a warning of /health?deep and an error of the log, which name it", async () => {
    await makeForm("DATA_02");
    const healthOf = async (bindings: object) => {
      const url = new Request(`${host}/health?deep`);
      return (await app.fetch(url, serviceOf(bindings), createExecutionContext())).json();
    };
    const warning = (name: string) => expect.stringContaining(`database ${name} is not bound`);
    expect(await healthOf(withoutAny)).toMatchObject({
      status: "ok",
      warnings: [warning("DATA_01"), warning("DATA_02")],
    });
    expect(await healthOf(withoutSecond)).toMatchObject({ warnings: [warning("DATA_02")] });
    expect(await healthOf(bothDatabases)).toMatchObject({ warnings: [] });
    const error = vi.spyOn(console, "error").mockReturnValue();
    await onSchedule(serviceOf(withoutSecond), Date.now()).catch(() => undefined);
    const lines = error.mock.calls.map(([line]) => JSON.parse(String(line)));
    expect(lines).toEqual([{ event: "database_missing", database: "DATA_02" }]);
  });
});
