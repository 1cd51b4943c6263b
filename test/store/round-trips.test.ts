import { beforeAll, describe, expect, it } from "vitest";
import type { Client } from "../support/client";
import { ownerRows } from "../support/databases";
import { counted } from "../support/counting";
import { client, makeApp, makeForm } from "../support/service";

/** These costs are exact. docs/data.md promises them. */
describe("Costs of a request whose definition the isolate has cached", () => {
  const { fetch, counts, reset } = counted();
  let integrator: Client;
  let app: string;
  let form: string;
  const fields = [
    { key: "a", type: "text", searchable: false },
    { key: "b", type: "number", searchable: false },
  ];
  beforeAll(async () => {
    const creator = await client();
    integrator = creator.through(fetch);
    app = await makeApp(creator, fields);
    form = await makeForm(creator, fields);
    await integrator.post(`/apps/${app}/records`, { data: { a: "x" } });
    await integrator.post(`/forms/${form}/submissions`, { data: { a: "x" } });
  });
  const cost = async (call: () => Promise<{ status: number }>) => {
    reset();
    const { status } = await call();
    return { status, ...counts };
  };

  it("are one object call, one D1 round trip and six or seven rows for a create without index entries or a key", async () => {
    const submission = await cost(() =>
      integrator.post(`/forms/${form}/submissions`, { data: { a: "x", b: 1 } }),
    );
    // The item with its id and creator, the tally, the change, and the index entries of $status and $updated_at.
    expect(submission).toMatchObject({
      status: 201,
      object: 1,
      d1: 1,
      kvReads: 0,
      kvWrites: 0,
      rowsWritten: 7,
    });
    const record = await cost(() => integrator.post(`/apps/${app}/records`, { data: { a: "x" } }));
    expect(record).toMatchObject({
      status: 201,
      object: 1,
      d1: 1,
      kvReads: 0,
      kvWrites: 0,
      rowsWritten: 6,
    });
  });

  it("are two more rows, one KV read and one KV write for a create with an idempotency key", async () => {
    const headers = { "Idempotency-Key": "counted" };
    const post = () => integrator.post(`/forms/${form}/submissions`, { data: { a: "x" } }, headers);
    expect(await cost(post)).toMatchObject({
      object: 1,
      d1: 1,
      kvReads: 1,
      kvWrites: 1,
      rowsWritten: 9,
    });
    expect(await cost(post)).toMatchObject({ status: 201, object: 1, rowsWritten: 0 });
  });

  it("are one more row for each indexed field and each unique value", async () => {
    const keys = ["a", "b", "c", "d", "e", "f", "g", "h"];
    const indexedFields = keys.map((key) => ({ key, type: "text", unique: key === "a" }));
    const indexed = await makeForm(integrator, indexedFields);
    const post = (a: string) => {
      const data = Object.fromEntries(keys.map((key) => [key, key === "a" ? a : "x"]));
      return integrator.post(`/forms/${indexed}/submissions`, { data });
    };
    await post("first");
    expect(await cost(() => post("second"))).toMatchObject({ d1: 1, rowsWritten: 7 + 8 + 1 });
  });

  it("are one object call, one D1 round trip and at most four rows read for a GET", async () => {
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
      expect(read.rowsRead).toBeLessThanOrEqual(4 + ownerRows);
    }
  });

  it("are one object call, one D1 round trip and its items plus four rows for a list page", async () => {
    const largeForm = await makeForm(integrator, fields);
    for (let i = 0; i < 30; i += 1) {
      await integrator.post(`/forms/${largeForm}/submissions`, { data: { b: i } });
    }
    const page = await integrator.get(`/forms/${largeForm}/submissions?limit=10`);
    for (const path of [`/forms/${largeForm}/submissions?limit=10`, page.body.links.next]) {
      const list = await cost(() => integrator.get(path));
      // 10 items, one more to detect the next page, the version of the definition, and two rows of item sizes.
      expect(list).toMatchObject({
        status: 200,
        object: 1,
        d1: 1,
        rowsRead: 14 + ownerRows,
        rowsWritten: 0,
      });
    }
  });

  it("are one object call, one read and one batch for a PATCH", async () => {
    const { body } = await integrator.post(`/apps/${app}/records`, { data: { a: "x" } });
    const patch = await cost(() =>
      integrator.patch(`/apps/${app}/records/${body.id}`, { data: { a: "y" } }),
    );
    // The item, the change, and the removed and the added index entry of $updated_at.
    expect(patch).toMatchObject({ status: 200, object: 1, d1: 2, rowsWritten: 4 });
  });

  it("are no object call and no round trip for a mistyped token", async () => {
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
