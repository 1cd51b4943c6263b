import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { account, caller, everyItem, Server, type Answer, type Call } from "./server.ts";

const times = <T>(count: number, run: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => run(index)));
const withStatus = (answers: Answer[], status: number) =>
  answers.filter((answer) => answer.status === status);
const wide = ["--requests", "100000", "--writes", "100000"];
const title = { key: "title", type: "text" };

describe("npm run dev", () => {
  const server = new Server(8781, "npm run dev");
  let call: Call;
  beforeAll(async () => {
    await server.start();
    call = caller(server.url, (await server.credential(...wide)).token);
  });
  afterAll(() => server.remove());

  it("prints the owner's sign-in and a curl line that works", async () => {
    expect(server.output).toContain(`${server.url}/admin`);
    expect(server.output).toContain("owner@example.com");
    const [, url = "", bearer = ""] =
      /curl -s (\S+) -H 'Authorization: Bearer (\S+)'/.exec(server.output) ?? [];
    const { status, body } = await caller(server.url, bearer)("GET", url);
    expect(status).toBe(200);
    expect(body.items.length).toBeGreaterThan(0);
    // Calculated by a formula, where eval is forbidden.
    expect(body.items[0].data.total).toBe(60.4);
  });

  it("started again it finds its data, and seeds nothing twice", async () => {
    const before = await everyItem(call, "/apps/orders/records");
    await server.kill();
    await server.start();
    expect(await everyItem(call, "/apps/orders/records")).toEqual(before);
  });
});

describe("The service, called by many at once and killed", () => {
  const server = new Server(8780);
  let call: Call;
  beforeAll(async () => {
    await server.start();
    call = caller(server.url, (await server.credential(...wide)).token);
  });
  afterAll(() => server.remove());

  it("100 simultaneous posts with one key make one submission and 100 equal answers", async () => {
    await call("PUT", "/forms/keyed/schema", { fields: [title] });
    const answers = await times(100, () =>
      call(
        "POST",
        "/forms/keyed/submissions",
        { data: { title: "x" } },
        { "Idempotency-Key": "k" },
      ),
    );
    expect(withStatus(answers, 201)).toHaveLength(100);
    expect(new Set(answers.map((answer) => answer.text)).size).toBe(1);
    expect(await everyItem(call, "/forms/keyed/submissions")).toHaveLength(1);
  });

  it("20 simultaneous creates with one unique value make one", async () => {
    await call("PUT", "/forms/unique/schema", { fields: [{ ...title, unique: true }] });
    const answers = await times(20, () =>
      call("POST", "/forms/unique/submissions", { data: { title: "x" } }),
    );
    expect([withStatus(answers, 201).length, withStatus(answers, 409).length]).toEqual([1, 19]);
  });

  it("50 PATCHes with one ETag: one 200, 49 times 412", async () => {
    const made = await call("POST", "/forms/keyed/submissions", { data: {} });
    const headers = { "If-Match": made.headers.get("ETag") ?? "" };
    const answers = await times(50, (index) =>
      call("PATCH", `/submissions/${made.body.id}`, { data: { title: `${index}` } }, headers),
    );
    expect([withStatus(answers, 200).length, withStatus(answers, 412).length]).toEqual([1, 49]);
  });

  it("60 parallel creates leave no gap in receipt numbers", async () => {
    await call("PUT", "/apps/receipts/schema", { fields: [title], receipt_prefix: "R-" });
    const answers = await times(60, () => call("POST", "/apps/receipts/records", { data: {} }));
    const receipts = answers.map((answer) => answer.body.receipt_number as string);
    const expected = Array.from({ length: 60 }, (_, i) => `R-${String(i + 1).padStart(6, "0")}`);
    expect(receipts.toSorted((a, b) => a.localeCompare(b))).toEqual(expected);
  });

  it("max_submissions: 10 under 50 parallel creates makes exactly 10", async () => {
    const acceptance = { max_submissions: 10 };
    await call("PUT", "/forms/ten/schema", { fields: [title], acceptance });
    const answers = await times(50, () => call("POST", "/forms/ten/submissions", { data: {} }));
    expect([withStatus(answers, 201).length, withStatus(answers, 409).length]).toEqual([10, 40]);
    expect(await everyItem(call, "/forms/ten/submissions")).toHaveLength(10);
  });

  it("a revoked token's next request is 401", async () => {
    const { id, token } = await server.credential();
    const revoked = caller(server.url, token);
    expect((await revoked("GET", "/me")).status).toBe(200);
    const { email, password } = account(server);
    const signIn = await fetch(`${server.url}/admin/sign-in`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/json" },
      body: JSON.stringify({ email, password }),
    });
    const Cookie = signIn.headers.getSetCookie()[0]?.split(";")[0] ?? "";
    const headers = { Cookie, Accept: "application/json" };
    await fetch(`${server.url}/admin/integrations/${id}/revoke`, { method: "POST", headers });
    expect((await revoked("GET", "/me")).status).toBe(401);
  });

  it("the 601st request and the 121st write in a minute are 429, also after a kill -9, and the first after Retry-After is not", async () => {
    await call("PUT", "/forms/limited/schema", { fields: [title] });
    const limited = caller(server.url, (await server.credential()).token);
    const writes = await times(120, () =>
      limited("POST", "/forms/limited/submissions", { data: {} }),
    );
    expect(withStatus(writes, 201)).toHaveLength(120);
    expect((await limited("POST", "/forms/limited/submissions", { data: {} })).status).toBe(429);
    const reads = await times(480, () => limited("GET", "/me"));
    expect(withStatus(reads, 200)).toHaveLength(480);
    expect((await limited("GET", "/me")).status).toBe(429);
    await server.kill();
    await server.start();
    const refused = await limited("POST", "/forms/limited/submissions", { data: {} });
    expect(refused.status).toBe(429);
    const wait = Number(refused.headers.get("Retry-After"));
    expect(wait).toBeGreaterThan(0);
    await new Promise((resolve) => setTimeout(resolve, wait * 1000));
    expect((await limited("POST", "/forms/limited/submissions", { data: {} })).status).toBe(201);
  });

  it("kill -9 in the middle of 500 creates: every 201 is there once, and retrying all 500 makes exactly 500", async () => {
    const fields = [{ key: "code", type: "text", unique: true, required: true }];
    await call("PUT", "/apps/killed/schema", { fields, receipt_prefix: "K-" });
    const create = (index: number) =>
      call(
        "POST",
        "/apps/killed/records",
        { data: { code: `c${index}` } },
        { "Idempotency-Key": `key-${index}` },
      );
    const answered = new Map<number, Answer>();
    const lanes = times(10, async (lane) => {
      for (let index = lane; index < 500; index += 10) {
        const answer = await create(index).catch(() => undefined);
        if (answer?.status === 201) answered.set(index, answer);
        if (!answer) return;
      }
    });
    while (answered.size < 150) await new Promise((resolve) => setTimeout(resolve, 5));
    await server.kill();
    await lanes;
    await server.start();
    expect(answered.size).toBeLessThan(500);
    const stored = await everyItem(call, "/apps/killed/records?limit=200");
    const byId = new Map(stored.map((record) => [record.id, record]));
    expect(byId.size).toBe(stored.length);
    for (const { body } of answered.values()) expect(byId.get(body.id)).toEqual(body);
    for (const [index, first] of answered) {
      const again = await create(index);
      expect([again.text, again.headers.get("Idempotent-Replayed")]).toEqual([first.text, "true"]);
    }
    const retried = await times(10, async (lane) => {
      const statuses = [];
      for (let index = lane; index < 500; index += 10) statuses.push((await create(index)).status);
      return statuses;
    });
    expect(new Set(retried.flat())).toEqual(new Set([201]));
    const records = await everyItem(call, "/apps/killed/records?limit=200");
    const expected = Array.from({ length: 500 }, (_, i) => `K-${String(i + 1).padStart(6, "0")}`);
    expect(records.map((record) => record.receipt_number)).toEqual(expected);
    expect(new Set(records.map((record) => record.data.code)).size).toBe(500);
    const taken = await call("POST", "/apps/killed/records", { data: { code: "c7" } });
    expect(taken.status).toBe(409);
  });

  it("kill -9 in the middle of batches: each is stored whole or not at all, and sent again it answers the same", async () => {
    const code = { key: "code", type: "text", unique: true, required: true };
    const fields = [code, { key: "batch", type: "number" }];
    await call("PUT", "/apps/batches/schema", { fields, receipt_prefix: "B-" });
    const upserts = (batch: number, codes: number, of: number) =>
      Array.from({ length: codes }, (_, at) => {
        const data = { code: `${of}-${at}`, batch };
        return { op: "upsert", by: "code", data };
      });
    const send = (key: string, operations: object[]) => {
      const headers = { "Idempotency-Key": key };
      return call("POST", "/apps/batches/records/batch", { operations }, headers);
    };
    const numbers = Array.from({ length: 24 }, (_, at) => at + 1);
    // Each batch changes 50 that are there and makes 50.
    for (const batch of numbers) await send(`before-${batch}`, upserts(0, 50, batch));
    const batch = (number: number) => send(`batch-${number}`, upserts(number, 100, number));
    const answered = new Map<number, string>();
    for (const milliseconds of [0, 15, 40]) {
      const waiting = numbers.filter((number) => !answered.has(number));
      const enough = answered.size + 3;
      const lanes = times(4, async () => {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
          const answer = await batch(next).catch(() => undefined);
          if (!answer) return;
          if (answer.status === 200) answered.set(next, answer.text);
        }
      });
      while (answered.size < enough) await new Promise((resolve) => setTimeout(resolve, 2));
      await new Promise((resolve) => setTimeout(resolve, milliseconds));
      await server.kill();
      await lanes;
      await server.start();
      const stored = await everyItem(call, "/apps/batches/records?limit=200");
      for (const number of numbers) {
        const changed = stored.filter(({ data }) => data.batch === number).length;
        expect([number, changed]).toEqual([number, answered.has(number) ? 100 : changed && 100]);
      }
    }
    expect(answered.size).toBeLessThan(numbers.length);
    const retried = await Promise.all(numbers.map(batch));
    for (const [index, { status, text, headers }] of retried.entries()) {
      const first = answered.get(index + 1);
      expect([status, text]).toEqual([200, first ?? text]);
      if (first !== undefined) expect(headers.get("Idempotent-Replayed")).toBe("true");
    }
    const again = await Promise.all(numbers.map(batch));
    expect(again.map(({ text }) => text)).toEqual(retried.map(({ text }) => text));
    const records = await everyItem(call, "/apps/batches/records?limit=200");
    expect(records).toHaveLength(2400);
    // Those that were there have changed once, and those that were made not at all.
    const versions = records.map(({ data, version }) => [Number(data.code.split("-")[1]), version]);
    expect(versions.filter(([at, version]) => version !== (Number(at) < 50 ? 2 : 1))).toEqual([]);
    expect(records.every(({ data }) => data.code.startsWith(`${data.batch}-`))).toBe(true);
  });
});
