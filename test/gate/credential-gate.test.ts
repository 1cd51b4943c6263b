import {
  abortAllDurableObjects,
  createExecutionContext,
  evictDurableObject,
} from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { app } from "../../src/app.ts";
import { Client, type Fetch } from "../support/client";
import { accessToken } from "../support/oauth";
import { admin, client, issue, makeForm } from "../support/service";

describe("The gate", () => {
  let form: string;
  beforeAll(async () => {
    form = await makeForm(await client());
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  const write = (by: Client) => by.post(`/forms/${form}/submissions`, { data: {} });

  it("counts a write in both limits and a read in one, and says so on every answer", async () => {
    const by = await client({ requests: 600, writes: 120 });
    const read = await by.get("/me");
    expect(read.headers.get("RateLimit-Policy")).toBe('"default";q=600;w=60');
    expect(read.headers.get("RateLimit")).toMatch(/^"default";r=599;t=(59|60)$/);
    const written = await write(by);
    expect(written.headers.get("RateLimit-Policy")).toBe(
      '"default";q=600;w=60, "write";q=120;w=60',
    );
    expect(written.headers.get("RateLimit")).toMatch(
      /^"default";r=598;t=\d+, "write";r=119;t=\d+$/,
    );
    const dryRun = await by.post(`/forms/${form}/submissions/validate`, { data: {} });
    expect(dryRun.headers.get("RateLimit")).toMatch(/^"default";r=597;t=\d+$/);
    const failed = await by.get("/nothing");
    expect(failed.headers.get("RateLimit")).toMatch(/^"default";r=596;/);
  });

  it("refused requests do not count", async () => {
    const by = await client({ requests: 10, writes: 1 });
    await write(by);
    for (let i = 0; i < 5; i += 1) expect((await write(by)).status).toBe(429);
    expect((await by.get("/me")).headers.get("RateLimit")).toContain('"default";r=8;');
  });

  it("the first request after Retry-After is served, and the one before it is not", async () => {
    const by = await client({ requests: 2, writes: 2 });
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const start = Date.now();
    await by.get("/me");
    vi.setSystemTime(start + 10_500);
    await by.get("/me");
    const refused = await by.get("/me");
    expect([refused.status, refused.headers.get("Retry-After")]).toEqual([429, "50"]);
    vi.setSystemTime(start + 59_999);
    expect((await by.get("/me")).headers.get("Retry-After")).toBe("1");
    vi.setSystemTime(start + 10_500 + 50_000);
    expect((await by.get("/me")).status).toBe(200);
    expect((await by.get("/me")).status).toBe(429);
  });

  it("limits survive the eviction of the object", async () => {
    const issued = await issue({ requests: 3, writes: 2 });
    const by = new Client(issued.token);
    await write(by);
    await write(by);
    await evictDurableObject(env.GATE.getByName(issued.id));
    expect((await write(by)).status).toBe(429);
    expect((await by.get("/me")).status).toBe(200);
    await evictDurableObject(env.GATE.getByName(issued.id));
    expect((await by.get("/me")).status).toBe(429);
  });

  it("a revoked token's next request is 401, wherever it is sent and after an eviction too", async () => {
    const issued = await issue();
    const by = new Client(issued.token);
    expect((await by.get("/me")).status).toBe(200);
    const revoked = await admin("POST", `/integrations/${issued.id}/revoke`, {});
    expect(revoked.status).toBe(204);
    expect((await by.get("/me")).status).toBe(401);
    await evictDurableObject(env.GATE.getByName(issued.id));
    expect((await by.get("/me")).status).toBe(401);
  });

  it("an edit holds for the next request", async () => {
    const issued = await issue({ requests: 5 });
    const by = new Client(issued.token);
    await by.get("/me");
    await admin("POST", `/integrations/${issued.id}`, {
      permissions: ["records:read"],
      requests: 1000,
    });
    const { body, headers } = await by.get("/me");
    expect(body).toMatchObject({ permissions: ["records:read"], limits: { requests: 1000 } });
    expect(headers.get("RateLimit-Policy")).toBe('"default";q=1000;w=60');
  });

  it("a revocation that did not reach the object is healed within 60 seconds", async () => {
    const issued = await issue();
    const by = new Client(issued.token);
    await by.get("/me");
    await env.DB.prepare("UPDATE credential SET revoked_at = 1 WHERE id = ?").bind(issued.id).run();
    expect((await by.get("/me")).status).toBe(200);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
    expect((await by.get("/me")).status).toBe(401);
  });

  it("a personal token never exceeds its member's role, and dies with the member", async () => {
    const issued = await issue();
    const by = new Client(issued.token);
    expect((await by.get("/me")).body.permissions).toHaveLength(10);
    const setMember = (sql: string) =>
      env.DB.prepare(`UPDATE member SET ${sql} WHERE id = ?`).bind(issued.created_by).run();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    await setMember("role = 'viewer'");
    vi.setSystemTime(Date.now() + 60_000);
    expect((await by.get("/me")).body.permissions).toEqual([
      "records:read",
      "submissions:read",
      "schema:read",
    ]);
    await setMember("disabled_at = 1");
    vi.setSystemTime(Date.now() + 60_000);
    expect((await by.get("/me")).status).toBe(401);
    await setMember("role = 'owner', disabled_at = null");
  });

  it("two secrets live at a time, the old one for as long as was chosen", async () => {
    const issued = await issue();
    const old = new Client(issued.token);
    const rotated = await admin("POST", `/integrations/${issued.id}/rotate`, { overlap: "1h" });
    const young = new Client(rotated.body.token);
    expect([(await old.get("/me")).status, (await young.get("/me")).status]).toEqual([200, 200]);
    const third = await admin("POST", `/integrations/${issued.id}/rotate`, { overlap: "none" });
    expect([(await old.get("/me")).status, (await young.get("/me")).status]).toEqual([401, 401]);
    expect((await new Client(third.body.token).get("/me")).status).toBe(200);
  });

  it("access tokens end with the secret that they were exchanged for", async () => {
    const issued = await issue({ kind: "client" });
    const by = new Client(await accessToken(issued));
    expect((await by.get("/me")).status).toBe(200);
    await admin("POST", `/integrations/${issued.id}/rotate`, { overlap: "none" });
    expect((await by.get("/me")).status).toBe(401);
  });

  it("when the object cannot be reached the request is served, by one D1 read and the platform's limiter", async () => {
    const issued = await issue();
    const unreachable = {
      getByName: () => ({ admit: () => Promise.reject(new Error("unreachable")) }),
    } as unknown as Bindings["GATE"];
    const fetch: Fetch = async (request) =>
      app.fetch(request, { ...env, GATE: unreachable }, createExecutionContext());
    const by = new Client(issued.token, fetch);
    expect((await by.get("/me")).status).toBe(200);
    expect((await write(by)).status).toBe(201);
    await admin("POST", `/integrations/${issued.id}/revoke`, {});
    expect((await by.get("/me")).status).toBe(401);
    const busy = new Client((await issue({ requests: 2000 })).token, fetch);
    const answers = await Promise.all(Array.from({ length: 620 }, () => busy.get("/me")));
    const limited = answers.filter((answer) => answer.status === 429);
    expect(limited.length).toBeGreaterThan(0);
    expect(limited[0]?.headers.get("Retry-After")).toBe("60");
    // Nobody gains by it: what an isolate lets through is within the credential's own limits.
    const small = new Client((await issue({ requests: 7, writes: 3 })).token, fetch);
    const writes = await Promise.all(Array.from({ length: 5 }, () => write(small)));
    expect(writes.filter(({ status }) => status === 201)).toHaveLength(3);
    const reads = await Promise.all(Array.from({ length: 9 }, () => small.get("/me")));
    expect(reads.filter(({ status }) => status === 200)).toHaveLength(4);
    expect(reads.at(-1)?.headers.get("RateLimit")).toMatch(/^"default";r=0;t=\d+$/);
  });

  it("an object that was aborted in the middle is asked anew", async () => {
    const by = await client();
    await by.get("/me");
    await abortAllDurableObjects();
    expect((await by.get("/me")).status).toBe(200);
  });
});
