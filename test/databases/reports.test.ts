import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { app } from "../../src/app.ts";
import { workerPorts, workerSettings, type WorkerBindings } from "../../src/platform.ts";
import { onSchedule } from "../../src/schedule.ts";
import { createService } from "../../src/service.ts";
import { answerOf, host, type Answer, type Client, type Json } from "../support/client";
import { adminRequest, freshKey } from "../support/service";
import {
  bothDatabases,
  databasesOf,
  first,
  home,
  isolate,
  migrate,
  newCaller,
  second,
} from "./installation";

const minuteMs = 60_000;
const gigabyte = 1_000_000_000;

const serviceOf = (replaced: object) => {
  const bindings = { ...env, ...replaced } as unknown as WorkerBindings;
  return createService(workerPorts(bindings), workerSettings(bindings));
};

/** A request of the owner to the administration area of this installation. */
async function area(
  method: string,
  path: string,
  {
    body,
    html = false,
    replaced = bothDatabases,
  }: { body?: object; html?: boolean; replaced?: object } = {},
): Promise<Answer> {
  const request = await adminRequest(method, path, body, html ? { Accept: "text/html" } : {});
  return answerOf(await app.fetch(request, serviceOf(replaced), createExecutionContext()));
}

const schedule = (at: number, replaced: object = bothDatabases) =>
  onSchedule(serviceOf(replaced), at);

const listed = async (replaced: object = bothDatabases): Promise<Json[]> =>
  (await area("GET", "/settings/databases", { replaced })).body.items;

let caller: Client;
beforeAll(async () => {
  await migrate();
  caller = await newCaller();
});
beforeEach(async () => {
  vi.spyOn(console, "log").mockReturnValue();
  await home.prepare("delete from database_report").run();
  await home.prepare("delete from data_database").run();
  await home
    .prepare("insert into data_database values ('DATA_01', 'eu', 0), ('DATA_02', 'apac', 0)")
    .run();
});

describe("Settings → Databases", () => {
  it("lists each database with its size, location, collections, and the writes of the last minute", async () => {
    const key = freshKey("written");
    const several = isolate(caller);
    await several.put(`/forms/${key}/schema`, {
      location: "eu",
      fields: [{ key: "n", type: "number" }],
    });
    const start = Date.now();
    await schedule(start);
    for (let n = 0; n < 6; n += 1) await several.post(`/forms/${key}/submissions`, { data: { n } });
    await schedule(start + 2 * minuteMs);
    const rows = await listed();
    expect(rows.map(({ name, location }) => [name, location])).toEqual([
      ["DB", null],
      ["DATA_01", "eu"],
      ["DATA_02", "apac"],
    ]);
    expect(rows.map((row) => row.writes_per_minute)).toEqual([0, 3, 0]);
    expect(rows.map(({ bytes }) => bytes > 10_000)).toEqual([true, true, true]);
    expect(rows[1].collections - rows[2].collections).toBeGreaterThan(0);
    expect(rows[1].reported_at).toBe(new Date(start + 2 * minuteMs).toISOString());
    const { text } = await area("GET", "/settings/databases", { html: true });
    expect(text).toContain("European Union");
  });

  it("lists the only database of an installation", async () => {
    const alone = { DATA_01: undefined };
    expect(await listed(alone)).toMatchObject([{ name: "DB", bytes: null, reported_at: null }]);
    await schedule(Date.now(), alone);
    expect(await listed(alone)).toMatchObject([{ name: "DB", bytes: expect.any(Number) }]);
  });

  it("keeps the last report of a database that does not respond", async () => {
    const start = Date.now();
    await schedule(start);
    const away = new Proxy(second, {
      get: (target, name) => {
        if (name === "prepare") throw new Error("D1 is away");
        return Reflect.get(target, name) as unknown;
      },
    });
    await schedule(start + minuteMs, { ...bothDatabases, DATA_02: away }).catch(() => undefined);
    const [, one, two] = await listed();
    expect(one.reported_at).toBe(new Date(start + minuteMs).toISOString());
    expect(two.reported_at).toBe(new Date(start).toISOString());
  });

  it("counts no writes in the minute in which a collection came or went", async () => {
    const start = Date.now();
    await schedule(start);
    await home
      .prepare(
        "update database_report set collections = collections - 1, changes = changes - 1000, writes_per_minute = 7",
      )
      .run();
    await schedule(start + minuteMs);
    expect((await listed()).map((row) => row.writes_per_minute)).toEqual([7, 7, 7]);
  });
});

describe("The overview", () => {
  it.each(["eu", "apac"])(
    "counts the submissions of a form in %s, if no other database has forms",
    async (location) => {
      for (const db of [home, first, second]) await db.prepare("delete from collection").run();
      const several = isolate(caller);
      const key = freshKey("counted");
      await several.put(`/forms/${key}/schema`, {
        location,
        fields: [{ key: "n", type: "number" }],
      });
      for (let n = 0; n < 3; n += 1)
        await several.post(`/forms/${key}/submissions`, { data: { n } });
      const { submission_days: days } = (await area("GET", "")).body;
      expect([days.length, days.at(-1).submissions]).toEqual([30, 3]);
    },
  );
});

describe("A database at 70 % of its limit", () => {
  beforeEach(async () => {
    await home
      .prepare(
        "insert into database_report values ('DATA_01', ?, 1, 0, 0, null, ?), ('DATA_02', ?, 1, 0, 0, null, ?)",
      )
      .bind(7 * gigabyte, Date.now(), 6.9 * gigabyte, Date.now())
      .run();
  });

  it("needs attention on the overview, and only that one", async () => {
    const { body } = await area("GET", "");
    expect(body.databases).toEqual([{ name: "DATA_01", bytes: 7 * gigabyte }]);
    const { text } = await area("GET", "", { html: true });
    expect(text).toMatch(/DATA_01<\/bdi><\/strong>” holds 7 GB of 10 GB/);
    expect((await listed()).map((row) => row.nearly_full)).toEqual([false, true, false]);
  });

  it("is a warning of /health?deep, whose status stays ok, and of the log", async () => {
    const sized = (bytes: number) =>
      new Proxy(first, {
        get(target, name) {
          if (name !== "prepare") return Reflect.get(target, name) as unknown;
          return (sql: string) => {
            const statement = target.prepare(sql);
            const all = statement.all.bind(statement);
            return Object.assign(statement, {
              all: async () => {
                const result = await all();
                return { ...result, meta: { ...result.meta, size_after: bytes } };
              },
            });
          };
        },
      });
    const replaced = { ...bothDatabases, DATA_01: sized(7.2 * gigabyte) };
    const answer = await app.fetch(
      new Request(`${host}/health?deep`),
      serviceOf(replaced),
      createExecutionContext(),
    );
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({
      status: "ok",
      databases: { DB: { status: "ok" }, DATA_01: { status: "ok", percent_full: 72 } },
      warnings: [expect.stringContaining("DATA_01 is 72 % full")],
    });
    const warn = vi.spyOn(console, "warn").mockReturnValue();
    await schedule(Date.now() + minuteMs, replaced).catch(() => undefined);
    const lines = warn.mock.calls.map(([line]) => JSON.parse(String(line)));
    expect(lines).toMatchObject([{ event: "database", database: "DATA_01", percent_full: 72 }]);
  });
});

describe("The location of a new form", () => {
  const draft = { name: "Residents", version: "0", known: "", do: "save" };

  it("is chosen where there are several databases, and shown on its pages", async () => {
    const { text } = await area("GET", "/forms?new", { html: true });
    expect(text).toContain('name="location"');
    const key = freshKey("residents");
    const created = await area("POST", "/forms", { body: { ...draft, key, location: "apac" } });
    expect([created.status, created.body.location]).toEqual([201, "apac"]);
    expect(await databasesOf(key)).toEqual(["DATA_02"]);
    const page = await area("GET", `/forms/${key}`, { html: true });
    expect(page.text).toContain("Data in Asia-Pacific");
  });

  it("is not asked where there is one database", async () => {
    const { text } = await area("GET", "/forms?new", {
      html: true,
      replaced: { DATA_01: undefined },
    });
    expect(text).not.toContain('name="location"');
  });

  it("is refused beside its input where no database is", async () => {
    const body = { ...draft, key: freshKey("nowhere"), location: "fedramp" };
    const refused = await area("POST", "/forms", { body });
    expect([refused.status, refused.body.errors[0].field]).toEqual([422, "location"]);
  });
});
