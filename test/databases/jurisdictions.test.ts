import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { runMoves } from "../../src/actions/run-moves.ts";
import { checkHealth } from "../../src/http/health.ts";
import { sweepStorage } from "../../src/schedule.ts";
import type { Client } from "../support/client";
import { pdf, sha256, upload } from "../support/files";
import { background, serviceWith } from "../support/serve";
import { freshKey } from "../support/service";
import { bothDatabases, home, isolate, migrate, newCaller, useOnly } from "./installation";
import { finish, letTimePass, phaseOf, request, scheduleContext, type Names } from "./moves";

const { FILES: common, OTHER_FILES: eu } = env as typeof env & { OTHER_FILES: R2Bucket };
/** DATA_02 is in the European Union, and so are the files of its apps and forms. */
const places = { FILES_EU: eu, JURISDICTIONS: "DATA_02=eu" };
const apart = { ...bothDatabases, ...places };

let caller: Client;
let several: Client;
beforeAll(async () => {
  await migrate();
  caller = await newCaller();
  several = isolate(caller, apart);
});

async function makeForm(database: "DATA_01" | "DATA_02"): Promise<string> {
  await useOnly(database);
  const key = freshKey("placed");
  const fields = [{ key: "invoices", type: "files" }];
  expect((await several.put(`/forms/${key}/schema`, { fields })).status).toBe(201);
  await useOnly("DATA_01", "DATA_02");
  return key;
}

/** Uploads files and attaches them. Returns their IDs. */
async function attach(form: string, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let number = 0; number < count; number += 1) {
    const id = await upload(several, `form:${form}`, pdf(String(number)));
    const data = { invoices: [id] };
    expect((await several.post(`/forms/${form}/submissions`, { data })).status).toBe(201);
    ids.push(id);
  }
  return ids;
}

/** Where the object of a file is. */
const bucketsOf = async (id: string) => {
  const [inCommon, inEu] = await Promise.all([common.head(id), eu.head(id)]);
  return [...(inCommon ? ["common"] : []), ...(inEu ? ["eu"] : [])];
};

async function expectReadable(ids: readonly string[], reader = several): Promise<void> {
  for (const [number, id] of ids.entries()) {
    const { status, text } = await reader.get(`/files/${id}/content`);
    const content = sha256(new TextEncoder().encode(text));
    expect([status, content]).toEqual([200, sha256(pdf(String(number)))]);
  }
}

async function expectIn(bucket: "common" | "eu", ids: readonly string[]): Promise<void> {
  for (const id of ids) expect(await bucketsOf(id)).toEqual([bucket]);
  await expectReadable(ids);
}

const sweep = () => sweepStorage({ ...background(), ...scheduleContext(places) }, Date.now());

describe("The files of an app or form", () => {
  it("are in the bucket of its database's jurisdiction alone, and are deleted there", async () => {
    for (const [database, bucket] of [
      ["DATA_01", "common"],
      ["DATA_02", "eu"],
    ] as const) {
      const form = await makeForm(database);
      await expectIn(bucket, await attach(form, 1));
      const id = await upload(several, `form:${form}`);
      expect((await several.delete(`/files/${id}`)).status).toBe(204);
      await sweep();
      expect(await bucketsOf(id)).toEqual([]);
    }
  });

  it("are in the common bucket while the jurisdiction has none, and are carried once it has", async () => {
    const form = await makeForm("DATA_02");
    const before = isolate(caller, { ...bothDatabases, JURISDICTIONS: "DATA_02=eu" });
    const id = await upload(before, `form:${form}`, pdf("0"));
    const data = { invoices: [id] };
    expect((await before.post(`/forms/${form}/submissions`, { data })).status).toBe(201);
    expect(await bucketsOf(id)).toEqual(["common"]);
    await expectReadable([id]);
    await sweep();
    await expectIn("eu", [id]);
  });

  it("are all carried, in steps of 20, and a sweep that is killed between copy and removal is repeated", async () => {
    const form = await makeForm("DATA_02");
    const ids = await attach(form, 23);
    for (const [number, id] of ids.entries()) {
      await common.put(id, pdf(String(number)), { sha256: sha256(pdf(String(number))) });
      // As a kill between copy and removal leaves it.
      if (number % 2 === 0) await eu.delete(id);
    }
    await sweep();
    for (const id of ids) expect(await bucketsOf(id)).toEqual(["eu"]);
    await expectReadable(ids);
  });

  it("stay in both buckets if a move begins while a sweep copies them", async () => {
    const form = await makeForm("DATA_02");
    const [id = ""] = await attach(form, 1);
    await common.put(id, pdf("0"));
    const moving = replaceMethod(eu, "put", async (put) => {
      await put();
      await request("form:nothing", "DATA_02");
    });
    const ctx = scheduleContext({ ...places, FILES_EU: moving });
    await sweepStorage({ ...background(), ...ctx }, Date.now());
    expect(await bucketsOf(id)).toEqual(["common", "eu"]);
    await home.prepare("update collection_move set phase = 'stopped'").run();
    await sweep();
    await expectIn("eu", [id]);
  });
});

/** A bucket with another version of one method. */
function replaceMethod(
  bucket: R2Bucket,
  name: "put" | "get" | "delete",
  replacement: (call: () => Promise<unknown>) => Promise<unknown>,
): R2Bucket {
  return new Proxy(bucket, {
    get(target, property) {
      const member: unknown = Reflect.get(target, property);
      if (typeof member !== "function") return member;
      const call = member.bind(target) as (...args: unknown[]) => Promise<unknown>;
      return property === name ? (...args: unknown[]) => replacement(() => call(...args)) : call;
    },
  });
}

describe("A move to another jurisdiction", () => {
  const bucketOf = { DB: "common", DATA_01: "common", DATA_02: "eu" } as const;

  /** Moves the form until its files are next. */
  async function flip(form: string, target: Names): Promise<void> {
    const ctx = scheduleContext(places);
    await request(`form:${form}`, target);
    for (let runs = 0; runs < 6 && (await phaseOf(`form:${form}`)) !== "retiring"; runs += 1) {
      await letTimePass();
      await runMoves(ctx);
    }
    expect(await phaseOf(`form:${form}`)).toBe("retiring");
  }

  it("carries the files after the flip. Until then they are read from the former bucket", async () => {
    const form = await makeForm("DATA_01");
    const ids = await attach(form, 12);
    const withoutContent = await announceFile(form);
    await flip(form, "DATA_02");
    for (const id of ids) expect(await bucketsOf(id)).toEqual(["common"]);
    await expectReadable(ids);
    await expectReadable(ids, isolate(caller, apart));
    const early = await upload(several, `form:${form}`);
    expect(await bucketsOf(early)).toEqual(["eu"]);
    await letTimePass();
    await finish(`form:${form}`, scheduleContext(places));
    await expectIn("eu", ids);
    expect(await bucketsOf(withoutContent)).toEqual([]);
    await flip(form, "DATA_01");
    await letTimePass();
    await finish(`form:${form}`, scheduleContext(places));
    await expectIn("common", ids);
  });

  it("loses no file, and leaves none behind, if it is killed at any call of a bucket", async () => {
    const form = await makeForm("DATA_01");
    const ids = await attach(form, 3);
    let [source, target]: Names[] = ["DATA_01", "DATA_02"];
    let callCount = Infinity;
    for (let killedAt = 0; killedAt < callCount; killedAt += 1) {
      await flip(form, target as Names);
      await letTimePass();
      let calls = 0;
      const live = async (call: () => Promise<unknown>) => {
        calls += 1;
        const isLast = calls > killedAt;
        // Every second kill comes after the effect of the call.
        if (calls > killedAt + 1 || (isLast && killedAt % 2 === 0)) throw new Error("Killed.");
        const result = await call();
        if (isLast) throw new Error("Killed.");
        return result;
      };
      const mortal = (bucket: R2Bucket) =>
        (["get", "put", "delete"] as const).reduce(
          (replaced, name) => replaceMethod(replaced, name, live),
          bucket,
        );
      const dying = scheduleContext({ ...places, FILES: mortal(common), FILES_EU: mortal(eu) });
      await runMoves(dying).catch(() => undefined);
      if (calls <= killedAt) callCount = calls;
      await expectReadable(ids);
      await letTimePass();
      await finish(`form:${form}`, scheduleContext(places));
      await expectIn(bucketOf[target as Names], ids);
      [source, target] = [target, source];
    }
    expect(callCount).toBe(3 * ids.length);
  });

  it("carries a file while it is read", async () => {
    const form = await makeForm("DATA_02");
    const [id = ""] = await attach(form, 1);
    await common.put(id, pdf("0"));
    await eu.delete(id);
    // The reader has missed it in the bucket of the jurisdiction, and now looks into the other one.
    const late = replaceMethod(common, "get", async (get) => {
      await sweep();
      return get();
    });
    await expectReadable([id], isolate(caller, { ...apart, FILES: late }));
    expect(await bucketsOf(id)).toEqual(["eu"]);
  });

  it("takes along an upload that began before it and ended after it", async () => {
    const form = await makeForm("DATA_01");
    let release = () => {};
    const isReleased = new Promise<void>((resolve) => (release = resolve));
    let start = () => {};
    const hasStarted = new Promise<void>((resolve) => (start = resolve));
    const slow = replaceMethod(common, "put", async (put) => {
      start();
      await isReleased;
      return put();
    });
    const uploading = upload(isolate(caller, { ...apart, FILES: slow }), `form:${form}`, pdf("0"));
    await hasStarted;
    await flip(form, "DATA_02");
    await letTimePass();
    await finish(`form:${form}`, scheduleContext(places));
    release();
    const id = await uploading;
    const data = { invoices: [id] };
    expect((await several.post(`/forms/${form}/submissions`, { data })).status).toBe(201);
    await expect.poll(() => bucketsOf(id)).toEqual(["eu"]);
    await expectReadable([id]);
  });

  async function announceFile(form: string): Promise<string> {
    const bytes = pdf("never sent");
    const body = {
      collection: `form:${form}`,
      field: "invoices",
      name: "a.pdf",
      bytes: bytes.length,
      sha256: sha256(bytes),
    };
    return (await several.post("/files", body)).body.id as string;
  }
});

describe("A database in a jurisdiction", () => {
  it("keeps responses for an Idempotency-Key out of KV, whatever the definition says", async () => {
    const stored = async () => (await env.REPLAYS.list()).keys.length;
    for (const [database, copies] of [
      ["DATA_02", 0],
      ["DATA_01", 1],
    ] as const) {
      const form = await makeForm(database);
      const before = await stored();
      const create = () =>
        several.post(`/forms/${form}/submissions`, { data: {} }, { "Idempotency-Key": form });
      const [created, again] = [await create(), await create()];
      expect([created.status, again.status, again.body.id]).toEqual([201, 201, created.body.id]);
      await scheduler.wait(50);
      expect([database, (await stored()) - before]).toEqual([database, copies]);
    }
  });

  it("is named in the warnings of the health check while its files are elsewhere", async () => {
    const warningsOf = async (replaced: object) => {
      const ctx = createExecutionContext();
      return (await checkHealth(serviceWith({ ...bothDatabases, ...replaced }), ctx)).warnings;
    };
    const about = 'The database DATA_02 is in "eu", but its files are elsewhere.';
    expect(await warningsOf({ JURISDICTIONS: "DATA_02=eu" })).toContainEqual(
      expect.stringContaining(about),
    );
    expect(await warningsOf(places)).toEqual([]);
    expect(await warningsOf({ JURISDICTIONS: "DB=eu,DATA_02=eu" })).toEqual([]);
    expect(serviceWith().files.buckets).toHaveLength(1);
  });
});
