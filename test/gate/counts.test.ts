import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { waiting } from "../../src/http/gate-reports.ts";
import { Client, type Json } from "../support/client";
import { admin, issue } from "../support/service";

// What is told in seconds need not be waited for.
Object.assign(waiting, { refused: 100, served: 200 });

const minute = 60_000;
const day = 24 * 60 * minute;

async function listed(id: string): Promise<Json> {
  const { items } = (await admin("GET", "/integrations?state=all")).body;
  return items.find((each: Json) => each.id === id);
}
const counted = async (id: string) => (await listed(id)).last_24_hours;

/** So many calls are in the log of the object. */
async function logged(id: string, count: number): Promise<void> {
  const calls = async () => (await admin("GET", `/integrations/${id}`)).body.calls.length;
  await expect.poll(calls, { timeout: 8000 }).toBe(count);
}

describe("How many calls there were", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it("is told to lists with the first call, then once in 15 minutes", async () => {
    const { id, token } = await issue();
    const caller = new Client(token);
    await caller.get("/me");
    await expect.poll(() => counted(id), { timeout: 8000 }).toEqual({ requests: 1, refusals: 0 });
    await caller.get("/me");
    await logged(id, 2);
    expect(await counted(id)).toEqual({ requests: 1, refusals: 0 });
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 15 * minute });
    await caller.get("/me");
    await expect.poll(() => counted(id), { timeout: 8000 }).toEqual({ requests: 2, refusals: 0 });
  }, 30_000);

  it("is told in full within an hour after the last call, though the object ended before", async () => {
    const { id, token } = await issue();
    const caller = new Client(token);
    await caller.get("/me");
    await expect.poll(() => counted(id), { timeout: 8000 }).toEqual({ requests: 1, refusals: 0 });
    await caller.get("/me");
    await caller.get("/me");
    await logged(id, 3);
    const gate = env.GATE.getByName(id);
    await evictDurableObject(gate);
    const alarm = await runInDurableObject(gate, (_, state) => state.storage.getAlarm());
    expect(Math.abs((alarm ?? 0) - Date.now() - 60 * minute)).toBeLessThan(minute);
    expect(await runDurableObjectAlarm(gate)).toBe(true);
    expect(await counted(id)).toEqual({ requests: 3, refusals: 0 });
  }, 30_000);

  it("and the calls themselves are forgotten 30 days after a revocation", async () => {
    const { id, token } = await issue();
    await new Client(token).get("/me");
    await logged(id, 1);
    await admin("POST", `/integrations/${id}/revoke`, {});
    const gate = env.GATE.getByName(id);
    await runDurableObjectAlarm(gate);
    expect((await admin("GET", `/integrations/${id}`)).body.calls).toHaveLength(1);
    const alarm = await runInDurableObject(gate, (_, state) => state.storage.getAlarm());
    expect(Math.abs((alarm ?? 0) - Date.now() - 30 * day)).toBeLessThan(day);
    await env.DB.prepare(
      "UPDATE credential SET revoked_at = revoked_at - ?1, version = version + 1 WHERE id = ?2",
    )
      .bind(31 * day, id)
      .run();
    await admin("POST", `/integrations/${id}/revoke`, {});
    await runDurableObjectAlarm(gate);
    expect((await admin("GET", `/integrations/${id}`)).body.calls).toEqual([]);
  }, 30_000);
});

describe("The object of a credential", () => {
  const stored = (id: string) =>
    runInDurableObject(env.GATE.getByName(id), (_, { storage }) => storage.kv.get("row"));

  it("is not touched by the administration area before the first call, which sees every change", async () => {
    const { id, token } = await issue();
    const touched: string[] = [];
    const by = vi.spyOn(env.GATE, "getByName").mockImplementation((name) => {
      touched.push(name);
      throw new Error("touched");
    });
    await admin("GET", `/integrations/${id}`);
    await admin("POST", `/integrations/${id}`, { permissions: ["schema:read"] });
    await admin("POST", `/integrations/${id}/rotate`, { overlap: "1h" });
    by.mockRestore();
    expect(touched).toEqual([]);
    const { status, body } = await new Client(token).get("/me");
    expect([status, body.permissions]).toEqual([200, ["schema:read"]]);
    await admin("POST", `/integrations/${id}/revoke`, {});
    expect((await new Client(token).get("/me")).status).toBe(401);
    const other = await issue();
    await admin("POST", `/integrations/${other.id}/revoke`, {});
    const late = new Client(other.token);
    expect((await late.get("/me")).status).toBe(401);
    expect(await stored(other.id)).toBeUndefined();
    // Calls that were refused are told all the same.
    await logged(other.id, 1);
  });

  it("learns of a revocation that runs beside the first call of all", async () => {
    for (let each = 0; each < 10; each += 1) {
      const { id, token } = await issue();
      await Promise.all([
        new Client(token).get("/me"),
        admin("POST", `/integrations/${id}/revoke`, {}),
      ]);
      expect((await new Client(token).get("/me")).status).toBe(401);
    }
  });

  it("keeps the reasons of refusals, in rows of less than 200 KB", async () => {
    const { id, token } = await issue({ permissions: ["schema:read"] });
    const by = new Client(token);
    const path = `/forms/${"é".repeat(90)}/submissions?${"ü".repeat(20)}=1&page=2`;
    for (let each = 0; each < 5; each += 1) expect((await by.get(path)).status).toBe(403);
    await logged(id, 5);
    await evictDurableObject(env.GATE.getByName(id));
    const { calls } = (await admin("GET", `/integrations/${id}`)).body;
    expect(calls).toHaveLength(5);
    expect(calls[0]).toMatchObject({ code: "permission_required", status: 403 });
    const row = (await stored(id)) as { log: Uint8Array };
    expect(row.log.byteLength).toBeLessThan(5 * 400 + 200);
  });
});

describe("What a credential's object stores", () => {
  /** Counts the rows that an object writes from now on. */
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

  it("is at most three rows a minute for one request a second, and two for one after a pause", async () => {
    const { id, token } = await issue({ requests: 600, writes: 120 });
    const by = new Client(token);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    await by.get("/me");
    const rows = await countRows(id);
    const start = Date.now();
    for (let second = 1; second <= 120; second += 1) {
      vi.setSystemTime(start + second * 1000);
      expect((await by.get("/me")).status).toBe(200);
    }
    expect(rows.written).toBeGreaterThan(2);
    expect(rows.written).toBeLessThanOrEqual(6);
    vi.useRealTimers();
  });
});
