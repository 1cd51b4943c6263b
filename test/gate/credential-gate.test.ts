import {
  abortAllDurableObjects,
  createExecutionContext,
  evictDurableObject,
} from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { GateReport } from "../../src/gate/state.ts";
import { Client, type Fetch } from "../support/client";
import { accessToken } from "../support/oauth";
import { admin, client, issue, makeForm } from "../support/service";
import { homeDb } from "../support/databases";
import { serve } from "../support/serve";

describe("Credential gate", () => {
  let form: string;
  beforeAll(async () => {
    form = await makeForm(await client());
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  const write = (caller: Client) => caller.post(`/forms/${form}/submissions`, { data: {} });

  it("counts a write in both limits and a read in one, and reports both on every response", async () => {
    const caller = await client({ requests: 600, writes: 120 });
    const read = await caller.get("/me");
    expect(read.headers.get("RateLimit-Policy")).toBe('"default";q=600;w=60');
    expect(read.headers.get("RateLimit")).toMatch(/^"default";r=599;t=(59|60)$/);
    const written = await write(caller);
    expect(written.headers.get("RateLimit-Policy")).toBe(
      '"default";q=600;w=60, "write";q=120;w=60',
    );
    expect(written.headers.get("RateLimit")).toMatch(
      /^"default";r=598;t=\d+, "write";r=119;t=\d+$/,
    );
    const dryRun = await caller.post(`/forms/${form}/submissions/validate`, { data: {} });
    expect(dryRun.headers.get("RateLimit")).toMatch(/^"default";r=597;t=\d+$/);
    const failed = await caller.get("/nothing");
    expect(failed.headers.get("RateLimit")).toMatch(/^"default";r=596;/);
  });

  it("does not count requests rejected with 429", async () => {
    const caller = await client({ requests: 10, writes: 1 });
    await write(caller);
    for (let i = 0; i < 5; i += 1) expect((await write(caller)).status).toBe(429);
    expect((await caller.get("/me")).headers.get("RateLimit")).toContain('"default";r=8;');
  });

  it("serves the first request after Retry-After, and returns 429 to one before it", async () => {
    const caller = await client({ requests: 2, writes: 2 });
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const start = Date.now();
    await caller.get("/me");
    vi.setSystemTime(start + 10_500);
    await caller.get("/me");
    const limited = await caller.get("/me");
    expect([limited.status, limited.headers.get("Retry-After")]).toEqual([429, "50"]);
    vi.setSystemTime(start + 59_999);
    expect((await caller.get("/me")).headers.get("Retry-After")).toBe("1");
    vi.setSystemTime(start + 10_500 + 50_000);
    expect((await caller.get("/me")).status).toBe(200);
    expect((await caller.get("/me")).status).toBe(429);
  });

  it("keeps its counts when the object is evicted", async () => {
    const issued = await issue({ requests: 3, writes: 2 });
    const caller = new Client(issued.token);
    await write(caller);
    await write(caller);
    await evictDurableObject(env.GATE.getByName(issued.id));
    expect((await write(caller)).status).toBe(429);
    expect((await caller.get("/me")).status).toBe(200);
    await evictDurableObject(env.GATE.getByName(issued.id));
    expect((await caller.get("/me")).status).toBe(429);
  });

  it("returns 401 to the next request of a revoked token, also after an eviction", async () => {
    const issued = await issue();
    const caller = new Client(issued.token);
    expect((await caller.get("/me")).status).toBe(200);
    const revoked = await admin("POST", `/integrations/${issued.id}/revoke`, {});
    expect(revoked.status).toBe(204);
    expect((await caller.get("/me")).status).toBe(401);
    await evictDurableObject(env.GATE.getByName(issued.id));
    expect((await caller.get("/me")).status).toBe(401);
  });

  it("applies an edit to the next request", async () => {
    const issued = await issue({ requests: 5 });
    const caller = new Client(issued.token);
    await caller.get("/me");
    await admin("POST", `/integrations/${issued.id}`, {
      permissions: ["records:read"],
      requests: 1000,
    });
    const { body, headers } = await caller.get("/me");
    expect(body).toMatchObject({ permissions: ["records:read"], limits: { requests: 1000 } });
    expect(headers.get("RateLimit-Policy")).toBe('"default";q=1000;w=60');
  });

  it("applies within 60 seconds a revocation that did not reach the object", async () => {
    const issued = await issue();
    const caller = new Client(issued.token);
    await caller.get("/me");
    await homeDb.prepare("UPDATE credential SET revoked_at = 1 WHERE id = ?").bind(issued.id).run();
    expect((await caller.get("/me")).status).toBe(200);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
    expect((await caller.get("/me")).status).toBe(401);
  });

  it("limits a personal token to its member's role, and returns 401 once the member is disabled", async () => {
    const issued = await issue();
    const caller = new Client(issued.token);
    expect((await caller.get("/me")).body.permissions).toHaveLength(10);
    const setMember = (sql: string) =>
      homeDb.prepare(`UPDATE member SET ${sql} WHERE id = ?`).bind(issued.created_by).run();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    await setMember("role = 'viewer'");
    vi.setSystemTime(Date.now() + 60_000);
    expect((await caller.get("/me")).body.permissions).toEqual([
      "records:read",
      "submissions:read",
      "schema:read",
    ]);
    await setMember("disabled_at = 1");
    vi.setSystemTime(Date.now() + 60_000);
    expect((await caller.get("/me")).status).toBe(401);
    await setMember("role = 'owner', disabled_at = null");
  });

  it("accepts two secrets at a time, the old one until the chosen overlap ends", async () => {
    const issued = await issue();
    const oldCaller = new Client(issued.token);
    const rotated = await admin("POST", `/integrations/${issued.id}/rotate`, { overlap: "1h" });
    const newCaller = new Client(rotated.body.token);
    expect([(await oldCaller.get("/me")).status, (await newCaller.get("/me")).status]).toEqual([
      200, 200,
    ]);
    const third = await admin("POST", `/integrations/${issued.id}/rotate`, { overlap: "none" });
    expect([(await oldCaller.get("/me")).status, (await newCaller.get("/me")).status]).toEqual([
      401, 401,
    ]);
    expect((await new Client(third.body.token).get("/me")).status).toBe(200);
  });

  it("returns 401 for access tokens whose client secret was rotated away", async () => {
    const issued = await issue({ kind: "client" });
    const caller = new Client(await accessToken(issued));
    expect((await caller.get("/me")).status).toBe(200);
    await admin("POST", `/integrations/${issued.id}/rotate`, { overlap: "none" });
    expect((await caller.get("/me")).status).toBe(401);
  });

  it("serves requests from D1 and the platform's rate limiter while the object is unreachable", async () => {
    const issued = await issue();
    const unreachable = {
      getByName: () => ({ admit: () => Promise.reject(new Error("unreachable")) }),
    } as unknown as Bindings["GATE"];
    const fetch: Fetch = async (request) =>
      serve(request, { ...env, GATE: unreachable }, createExecutionContext());
    const caller = new Client(issued.token, fetch);
    expect((await caller.get("/me")).status).toBe(200);
    expect((await write(caller)).status).toBe(201);
    await admin("POST", `/integrations/${issued.id}/revoke`, {});
    expect((await caller.get("/me")).status).toBe(401);
    const busyCaller = new Client((await issue({ requests: 2000 })).token, fetch);
    const answers = await Promise.all(Array.from({ length: 620 }, () => busyCaller.get("/me")));
    const limited = answers.filter((answer) => answer.status === 429);
    expect(limited.length).toBeGreaterThan(0);
    expect(limited[0]?.headers.get("Retry-After")).toBe("60");
    // Each isolate also enforces the credential's own limits.
    const limitedCaller = new Client((await issue({ requests: 7, writes: 3 })).token, fetch);
    const writes = await Promise.all(Array.from({ length: 5 }, () => write(limitedCaller)));
    expect(writes.filter(({ status }) => status === 201)).toHaveLength(3);
    const reads = await Promise.all(Array.from({ length: 9 }, () => limitedCaller.get("/me")));
    expect(reads.filter(({ status }) => status === 200)).toHaveLength(4);
    expect(reads.at(-1)?.headers.get("RateLimit")).toMatch(/^"default";r=0;t=\d+$/);
  });

  it("learns of a write that it did not admit before the response", async () => {
    const notes: GateReport[] = [];
    const failing = {
      getByName: () => ({
        admit: () => Promise.reject(new Error("unreachable")),
        note: async (report: GateReport) => void notes.push(report),
      }),
    } as unknown as Bindings["GATE"];
    const caller = new Client((await issue()).token, async (request) =>
      serve(request, { ...env, GATE: failing }, createExecutionContext()),
    );
    expect((await write(caller)).status).toBe(201);
    const told = [{ ticket: -1, bookmark: expect.any(String) }];
    expect(notes).toEqual([{ calls: [], told }]);
  });

  it("retries on a new object when the old one was aborted", async () => {
    const caller = await client();
    await caller.get("/me");
    await abortAllDurableObjects();
    expect((await caller.get("/me")).status).toBe(200);
  });
});
