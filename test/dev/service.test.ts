import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { account, caller, everyItem, Server, type Answer, type Call } from "./server.ts";

const times = <T>(count: number, send: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => send(index)));
const withStatus = (responses: Answer[], status: number) =>
  responses.filter((response) => response.status === status);
const highLimits = ["--requests", "100000", "--writes", "100000"];
const title = { key: "title", type: "text" };

describe("The service under concurrent calls and kills", () => {
  const server = new Server("killable");
  let call: Call;
  beforeAll(async () => {
    await server.start();
    call = caller(server.url, (await server.credential(...highLimits)).token);
  });
  afterAll(() => server.remove());

  it("issues a credential with its access in words, and explains wrong options in one line each", async () => {
    const command = (...options: string[]) =>
      spawnSync("node", ["src/dev/credential.ts", "--url", server.url, ...options], {
        cwd: server.folder,
        encoding: "utf8",
      });
    const { status, stdout, stderr } = command(
      "--permissions",
      "records:read",
      "--resources",
      "app:orders,form:nope",
      "--expires",
      "never",
      "--origins",
      "https://a.example,https://b.example",
    );
    expect([status, stderr]).toEqual([
      0,
      "Warning: form:nope does not exist. The credential can use it once it exists.\n",
    ]);
    expect(stdout).toMatch(/^token: efp_/m);
    expect(stdout).toContain("name: Command line\npermissions: records:read\n");
    expect(stdout).toContain("expires: never\n");
    expect(stdout).toContain("The secret is shown only once.");
    const wrong = command("--permissions", "nope", "--expires", "soon");
    expect([wrong.status, wrong.stdout]).toEqual([1, ""]);
    expect(wrong.stderr).toMatch(/^--permissions.*\n--expires: Must be 30d, .*\n$/);
  });

  it("returns 401 to the next request of a revoked token", async () => {
    const { id, token } = await server.credential();
    const callRevoked = caller(server.url, token);
    expect((await callRevoked("GET", "/me")).status).toBe(200);
    const { email, password } = account(server);
    const signIn = await fetch(`${server.url}/admin/sign-in`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/json" },
      body: JSON.stringify({ email, password }),
    });
    const Cookie = signIn.headers.getSetCookie()[0]?.split(";")[0] ?? "";
    const headers = { Cookie, Accept: "application/json" };
    await fetch(`${server.url}/admin/integrations/${id}/revoke`, { method: "POST", headers });
    expect((await callRevoked("GET", "/me")).status).toBe(401);
  });

  // The window of a limit is a minute, which passes during the other tests.
  let callLimited: Call;
  let limitEndsAt = 0;
  const createLimited = () => callLimited("POST", "/forms/limited/submissions", { data: {} });

  it("returns 429 to the 601st request and 121st write in a minute, even after kill -9", async () => {
    await call("PUT", "/forms/limited/schema", { fields: [title] });
    callLimited = caller(server.url, (await server.credential()).token);
    const writes = await times(120, createLimited);
    expect(withStatus(writes, 201)).toHaveLength(120);
    expect((await createLimited()).status).toBe(429);
    const reads = await times(480, () => callLimited("GET", "/me"));
    expect(withStatus(reads, 200)).toHaveLength(480);
    expect((await callLimited("GET", "/me")).status).toBe(429);
    await server.kill();
    await server.start();
    const limitedResponse = await createLimited();
    expect(limitedResponse.status).toBe(429);
    const wait = Number(limitedResponse.headers.get("Retry-After"));
    expect(wait).toBeGreaterThan(0);
    limitEndsAt = Date.now() + wait * 1000;
  });

  it("stores every create with a 201 once despite kill -9, and exactly 500 after retries of all 500", async () => {
    const fields = [{ key: "code", type: "text", unique: true, required: true }];
    await call("PUT", "/apps/killed/schema", { fields, receipt_prefix: "K-" });
    const create = (index: number) =>
      call(
        "POST",
        "/apps/killed/records",
        { data: { code: `c${index}` } },
        { "Idempotency-Key": `key-${index}` },
      );
    const responses = new Map<number, Answer>();
    const workers = times(10, async (worker) => {
      for (let index = worker; index < 500; index += 10) {
        const response = await create(index).catch(() => undefined);
        if (response?.status === 201) responses.set(index, response);
        if (!response) return;
      }
    });
    while (responses.size < 150) await new Promise((resolve) => setTimeout(resolve, 5));
    await server.kill();
    await workers;
    await server.start();
    expect(responses.size).toBeLessThan(500);
    const stored = await everyItem(call, "/apps/killed/records?limit=200");
    const byId = new Map(stored.map((record) => [record.id, record]));
    expect(byId.size).toBe(stored.length);
    for (const { body } of responses.values()) expect(byId.get(body.id)).toEqual(body);
    for (const [index, firstResponse] of responses) {
      const replayed = await create(index);
      expect([replayed.text, replayed.headers.get("Idempotent-Replayed")]).toEqual([
        firstResponse.text,
        "true",
      ]);
    }
    const retried = await times(10, async (worker) => {
      const statuses = [];
      for (let index = worker; index < 500; index += 10)
        statuses.push((await create(index)).status);
      return statuses;
    });
    expect(new Set(retried.flat())).toEqual(new Set([201]));
    const records = await everyItem(call, "/apps/killed/records?limit=200");
    const expected = Array.from({ length: 500 }, (_, i) => `K-${String(i + 1).padStart(6, "0")}`);
    expect(records.map((record) => record.receipt_number)).toEqual(expected);
    expect(new Set(records.map((record) => record.data.code)).size).toBe(500);
    const duplicate = await call("POST", "/apps/killed/records", { data: { code: "c7" } });
    expect(duplicate.status).toBe(409);
  });

  it("stores each batch completely or not at all despite kill -9, and replays the same response", async () => {
    const code = { key: "code", type: "text", unique: true, required: true };
    const fields = [code, { key: "batch", type: "number" }];
    await call("PUT", "/apps/batches/schema", { fields, receipt_prefix: "B-" });
    const upserts = (batch: number, codes: number, batchNumber: number) =>
      Array.from({ length: codes }, (_, index) => {
        const data = { code: `${batchNumber}-${index}`, batch };
        return { op: "upsert", by: "code", data };
      });
    const send = (key: string, operations: object[]) => {
      const headers = { "Idempotency-Key": key };
      return call("POST", "/apps/batches/records/batch", { operations }, headers);
    };
    const numbers = Array.from({ length: 24 }, (_, index) => index + 1);
    // Each batch updates 50 existing records and creates 50 new ones.
    for (const batch of numbers) await send(`before-${batch}`, upserts(0, 50, batch));
    const sendBatch = (number: number) => send(`batch-${number}`, upserts(number, 100, number));
    const responses = new Map<number, string>();
    for (const milliseconds of [0, 15, 40]) {
      const queue = numbers.filter((number) => !responses.has(number));
      const minResponses = responses.size + 3;
      const workers = times(4, async () => {
        for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
          const response = await sendBatch(next).catch(() => undefined);
          if (!response) return;
          if (response.status === 200) responses.set(next, response.text);
        }
      });
      while (responses.size < minResponses) await new Promise((resolve) => setTimeout(resolve, 2));
      await new Promise((resolve) => setTimeout(resolve, milliseconds));
      await server.kill();
      await workers;
      await server.start();
      const stored = await everyItem(call, "/apps/batches/records?limit=200");
      for (const number of numbers) {
        const changedCount = stored.filter(({ data }) => data.batch === number).length;
        expect([number, changedCount]).toEqual([
          number,
          responses.has(number) ? 100 : changedCount && 100,
        ]);
      }
    }
    expect(responses.size).toBeLessThan(numbers.length);
    const retried = await Promise.all(numbers.map(sendBatch));
    for (const [index, { status, text, headers }] of retried.entries()) {
      const firstText = responses.get(index + 1);
      expect([status, text]).toEqual([200, firstText ?? text]);
      if (firstText !== undefined) expect(headers.get("Idempotent-Replayed")).toBe("true");
    }
    const replayed = await Promise.all(numbers.map(sendBatch));
    expect(replayed.map(({ text }) => text)).toEqual(retried.map(({ text }) => text));
    const records = await everyItem(call, "/apps/batches/records?limit=200");
    expect(records).toHaveLength(2400);
    // Each existing record has changed once, and the new records have not changed.
    const versions = records.map(({ data, version }) => [Number(data.code.split("-")[1]), version]);
    expect(versions.filter(([index, version]) => version !== (Number(index) < 50 ? 2 : 1))).toEqual(
      [],
    );
    expect(records.every(({ data }) => data.code.startsWith(`${data.batch}-`))).toBe(true);
  });

  it("accepts writes of a limited credential again after Retry-After", async () => {
    await new Promise((resolve) => setTimeout(resolve, limitEndsAt - Date.now()));
    expect((await createLimited()).status).toBe(201);
  });
});
