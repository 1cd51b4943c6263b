import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Usage } from "../../src/domain/credential/credential";
import { Client, type Json } from "../support/client";
import { admin, issue } from "../support/service";
import { homeDb } from "../support/databases";

const minute = 60_000;
const day = 24 * 60 * minute;

async function credentialInList(id: string): Promise<Json> {
  const { items } = (await admin("GET", "/integrations?state=all")).body;
  return items.find((credential: Json) => credential.id === id);
}
const countsOf = async (id: string) => (await credentialInList(id)).last_24_hours;

/** The requests that the database has. */
async function storedRequests(id: string): Promise<number> {
  const query = "SELECT usage FROM credential WHERE id = ?1";
  const usage = await homeDb.prepare(query).bind(id).first<string>("usage");
  const { hours } = JSON.parse(usage ?? '{"hours":{}}') as Usage;
  return Object.values(hours).reduce((sum, { calls }) => sum + calls, 0);
}

/** Waits until the object's log has `count` calls. */
async function expectLogged(id: string, count: number): Promise<void> {
  const calls = async () => (await admin("GET", `/integrations/${id}`)).body.calls.length;
  await expect.poll(calls, { timeout: 8000 }).toBe(count);
}

describe("Call counts of a credential", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it("are current in the list, the overview and the pages, and written at most every 15 minutes", async () => {
    const { id, token } = await issue();
    const caller = new Client(token);
    await caller.get("/me");
    await expect.poll(() => storedRequests(id), { timeout: 8000 }).toBe(1);
    await caller.get("/me");
    await caller.get("/me");
    await expectLogged(id, 3);
    expect(await countsOf(id)).toEqual({ requests: 3, refusals: 0 });
    const { request_days: days } = (await admin("GET", "")).body;
    expect(days.at(-1).requests).toBeGreaterThanOrEqual(3);
    expect(await storedRequests(id)).toBe(1);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 15 * minute });
    await caller.get("/me");
    await expect.poll(() => storedRequests(id), { timeout: 8000 }).toBeGreaterThan(1);
  }, 30_000);

  it("name the same last use on each page of the credential and in the list", async () => {
    const { id, token } = await issue();
    const caller = new Client(token);
    await caller.get("/me");
    await expect.poll(() => storedRequests(id), { timeout: 8000 }).toBe(1);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 5 * minute });
    await caller.get("/me");
    const { last_used_at: lastUsedAt } = await credentialInList(id);
    expect(Date.now() - Date.parse(lastUsedAt)).toBeLessThan(minute);
    for (const path of [`/integrations/${id}`, `/integrations/${id}/access`]) {
      expect([path, (await admin("GET", path)).body.last_used_at]).toEqual([path, lastUsedAt]);
    }
    vi.useRealTimers();
  }, 30_000);

  it("come from the database when the object does not answer", async () => {
    const { id, token } = await issue();
    await new Client(token).get("/me");
    await expect.poll(() => storedRequests(id), { timeout: 8000 }).toBe(1);
    const getByName = vi.spyOn(env.GATE, "getByName").mockImplementation(() => {
      throw new Error("unreachable");
    });
    const counts = await countsOf(id);
    getByName.mockRestore();
    expect(counts).toEqual({ requests: 1, refusals: 0 });
  });

  it("reach the database within an hour of the last call, even after the object was evicted", async () => {
    const { id, token } = await issue();
    const caller = new Client(token);
    await caller.get("/me");
    await expect.poll(() => storedRequests(id), { timeout: 8000 }).toBe(1);
    await caller.get("/me");
    await caller.get("/me");
    await expectLogged(id, 3);
    const gate = env.GATE.getByName(id);
    await evictDurableObject(gate);
    const alarm = await runInDurableObject(gate, (_, state) => state.storage.getAlarm());
    expect(Math.abs((alarm ?? 0) - Date.now() - 60 * minute)).toBeLessThan(minute);
    expect(await runDurableObjectAlarm(gate)).toBe(true);
    expect(await storedRequests(id)).toBe(3);
  }, 30_000);

  it("deletes the logged calls 30 days after the revocation", async () => {
    const { id, token } = await issue();
    await new Client(token).get("/me");
    await expectLogged(id, 1);
    await admin("POST", `/integrations/${id}/revoke`, {});
    const gate = env.GATE.getByName(id);
    await runDurableObjectAlarm(gate);
    expect((await admin("GET", `/integrations/${id}`)).body.calls).toHaveLength(1);
    const alarm = await runInDurableObject(gate, (_, state) => state.storage.getAlarm());
    expect(Math.abs((alarm ?? 0) - Date.now() - 30 * day)).toBeLessThan(day);
    await homeDb
      .prepare(
        "UPDATE credential SET revoked_at = revoked_at - ?1, version = version + 1 WHERE id = ?2",
      )
      .bind(31 * day, id)
      .run();
    await admin("POST", `/integrations/${id}/revoke`, {});
    await runDurableObjectAlarm(gate);
    expect((await admin("GET", `/integrations/${id}`)).body.calls).toEqual([]);
  }, 30_000);
});

describe("Credential object", () => {
  const storedRow = (id: string) =>
    runInDurableObject(env.GATE.getByName(id), (_, { storage }) => storage.kv.get("row"));

  it("is not called by the administration before the first API call, which sees every change", async () => {
    const { id, token } = await issue();
    const calledObjects: string[] = [];
    const getByName = vi.spyOn(env.GATE, "getByName").mockImplementation((name) => {
      calledObjects.push(name);
      throw new Error("called");
    });
    await admin("GET", `/integrations/${id}`);
    await admin("POST", `/integrations/${id}`, { permissions: ["schema:read"] });
    await admin("POST", `/integrations/${id}/rotate`, { overlap: "1h" });
    getByName.mockRestore();
    expect(calledObjects).toEqual([]);
    const { status, body } = await new Client(token).get("/me");
    expect([status, body.permissions]).toEqual([200, ["schema:read"]]);
    await admin("POST", `/integrations/${id}/revoke`, {});
    expect((await new Client(token).get("/me")).status).toBe(401);
    const unused = await issue();
    await admin("POST", `/integrations/${unused.id}/revoke`, {});
    const lateCaller = new Client(unused.token);
    expect((await lateCaller.get("/me")).status).toBe(401);
    expect(await storedRow(unused.id)).toBeUndefined();
    // The log includes rejected calls.
    await expectLogged(unused.id, 1);
  });

  it("sees a revocation that runs in parallel with the first call", async () => {
    for (let round = 0; round < 10; round += 1) {
      const { id, token } = await issue();
      await Promise.all([
        new Client(token).get("/me"),
        admin("POST", `/integrations/${id}/revoke`, {}),
      ]);
      expect((await new Client(token).get("/me")).status).toBe(401);
    }
  });

  it("stores why calls were rejected, in at most 400 bytes a call", async () => {
    const { id, token } = await issue({ permissions: ["schema:read"] });
    const caller = new Client(token);
    const path = `/forms/${"é".repeat(90)}/submissions?${"ü".repeat(20)}=1&page=2`;
    for (let index = 0; index < 5; index += 1) expect((await caller.get(path)).status).toBe(403);
    await expectLogged(id, 5);
    await evictDurableObject(env.GATE.getByName(id));
    const { calls } = (await admin("GET", `/integrations/${id}`)).body;
    expect(calls).toHaveLength(5);
    expect(calls[0]).toMatchObject({ code: "permission_required", status: 403 });
    const row = (await storedRow(id)) as { log: Uint8Array };
    expect(row.log.byteLength).toBeLessThan(5 * 400 + 200);
  });
});

describe("Rows that a credential object writes", () => {
  /** Counts the rows that the object writes from now on. */
  const countRows = (id: string) =>
    runInDurableObject(env.GATE.getByName(id), (_, { storage }) => {
      const { kv } = storage;
      const put = kv.put.bind(kv);
      const rows = { written: 0 };
      const count =
        <Args extends unknown[], Result>(write: (...args: Args) => Result) =>
        (...args: Args) => {
          rows.written += 1;
          return write(...args);
        };
      Object.defineProperty(storage, "kv", { value: { ...kv, put: count(put) } });
      Object.assign(storage, { put: count(storage.put.bind(storage)) });
      return rows;
    });

  it("are at most three a minute at one request a second", async () => {
    const { id, token } = await issue({ requests: 600, writes: 120 });
    const caller = new Client(token);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    await caller.get("/me");
    const rows = await countRows(id);
    const start = Date.now();
    for (let second = 1; second <= 120; second += 1) {
      vi.setSystemTime(start + second * 1000);
      expect((await caller.get("/me")).status).toBe(200);
    }
    expect(rows.written).toBeGreaterThan(2);
    expect(rows.written).toBeLessThanOrEqual(6);
    vi.useRealTimers();
  });
});
