import { beforeAll, describe, expect, it } from "vitest";
import type { Client } from "../support/client";
import { counted } from "../support/counting";
import { client, makeApp, makeForm } from "../support/service";

/** Costs are exact and part of the promise: they stand in docs/data.md. */
describe("What a request costs, once the isolate knows the definition", () => {
  const { fetch, counts, reset } = counted();
  let integrator: Client;
  let app: string;
  let form: string;
  const plain = [
    { key: "a", type: "text", searchable: false },
    { key: "b", type: "number", searchable: false },
  ];
  beforeAll(async () => {
    const maker = await client();
    integrator = maker.through(fetch);
    app = await makeApp(maker, plain);
    form = await makeForm(maker, plain);
    await integrator.post(`/apps/${app}/records`, { data: { a: "x" } });
    await integrator.post(`/forms/${form}/submissions`, { data: { a: "x" } });
  });
  const cost = async (call: () => Promise<{ status: number }>) => {
    reset();
    const { status } = await call();
    return { status, ...counts };
  };

  it("a create: one object call, one D1 round trip, and few rows written where nothing is unique, indexed or idempotent", async () => {
    const submission = await cost(() =>
      integrator.post(`/forms/${form}/submissions`, { data: { a: "x", b: 1 } }),
    );
    // The item and its id, the tally, the change, and the entries of the status and of the time of its update.
    expect(submission).toMatchObject({
      status: 201,
      object: 1,
      d1: 1,
      kvReads: 0,
      kvWrites: 0,
      rowsWritten: 6,
    });
    const record = await cost(() => integrator.post(`/apps/${app}/records`, { data: { a: "x" } }));
    expect(record).toMatchObject({
      status: 201,
      object: 1,
      d1: 1,
      kvReads: 0,
      kvWrites: 0,
      rowsWritten: 5,
    });
  });

  it("a create with a key: the same, with two rows more, and KV beside it", async () => {
    const headers = { "Idempotency-Key": "counted" };
    const post = () => integrator.post(`/forms/${form}/submissions`, { data: { a: "x" } }, headers);
    expect(await cost(post)).toMatchObject({
      object: 1,
      d1: 1,
      kvReads: 1,
      kvWrites: 1,
      rowsWritten: 8,
    });
    expect(await cost(post)).toMatchObject({ status: 201, object: 1, rowsWritten: 0 });
  });

  it("a create with 8 indexed fields and one unique: a row for each", async () => {
    const keys = ["a", "b", "c", "d", "e", "f", "g", "h"];
    const fields = keys.map((key) => ({ key, type: "text", unique: key === "a" }));
    const indexed = await makeForm(integrator, fields);
    const post = (a: string) => {
      const data = Object.fromEntries(keys.map((key) => [key, key === "a" ? a : "x"]));
      return integrator.post(`/forms/${indexed}/submissions`, { data });
    };
    await post("first");
    expect(await cost(() => post("second"))).toMatchObject({ d1: 1, rowsWritten: 6 + 8 + 1 });
  });

  it("a GET: one object call and one D1 round trip, and the rows of the item and its collection", async () => {
    const { body } = await integrator.post(`/apps/${app}/records`, { data: { a: "x" } });
    for (const id of [body.id, body.receipt_number]) {
      const read = await cost(() => integrator.get(`/apps/${app}/records/${id}`));
      expect(read).toMatchObject({
        status: 200,
        object: 1,
        d1: 1,
        kvReads: 0,
        kvWrites: 0,
        rowsWritten: 0,
      });
      expect(read.rowsRead).toBeLessThanOrEqual(4);
    }
  });

  it("a list page: one object call, one D1 round trip, its own rows and one more", async () => {
    const many = await makeForm(integrator, plain);
    for (let i = 0; i < 30; i += 1) {
      await integrator.post(`/forms/${many}/submissions`, { data: { b: i } });
    }
    const page = await integrator.get(`/forms/${many}/submissions?limit=10`);
    for (const path of [`/forms/${many}/submissions?limit=10`, page.body.links.next]) {
      const list = await cost(() => integrator.get(path));
      // 10 items, the one that tells that there are more, the definition's version, and how large items are, twice.
      expect(list).toMatchObject({ status: 200, object: 1, d1: 1, rowsRead: 14, rowsWritten: 0 });
    }
  });

  it("a PATCH: one object call, a read to merge onto, and one batch", async () => {
    const { body } = await integrator.post(`/apps/${app}/records`, { data: { a: "x" } });
    const patch = await cost(() =>
      integrator.patch(`/apps/${app}/records/${body.id}`, { data: { a: "y" } }),
    );
    // The item, the audit, and the entry of $updated_at, removed and added.
    expect(patch).toMatchObject({ status: 200, object: 1, d1: 2, rowsWritten: 4 });
  });

  it("a refused bearer: no object call, no round trip", async () => {
    const { bearer } = integrator;
    const mistyped = bearer.slice(0, -1) + (bearer.endsWith("A") ? "B" : "A");
    reset();
    const { status } = await integrator.get("/me", { Authorization: `Bearer ${mistyped}` });
    expect({ status, ...counts }).toMatchObject({
      status: 401,
      object: 0,
      d1: 0,
      kvReads: 0,
      kvWrites: 0,
    });
  });
});
