import { beforeAll, describe, expect, it } from "vitest";
import { everyItem, type Answer, type Client } from "../support/client";
import { client, makeApp, makeForm } from "../support/service";

const times = <T>(count: number, run: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => run(index)));
const withStatus = (answers: Answer[], status: number) =>
  answers.filter((answer) => answer.status === status);

describe("Simultaneous writes", () => {
  let integrator: Client;
  beforeAll(async () => {
    integrator = await client();
  });

  it("create one submission and return 100 equal responses for 100 posts with one idempotency key", async () => {
    const form = await makeForm(integrator);
    const path = `/forms/${form}/submissions`;
    const answers = await times(100, () =>
      integrator.post(path, { data: { title: "x" } }, { "Idempotency-Key": "one" }),
    );
    expect(withStatus(answers, 201)).toHaveLength(100);
    expect(new Set(answers.map((answer) => answer.text)).size).toBe(1);
    expect(answers.filter((answer) => !answer.headers.has("Idempotent-Replayed"))).toHaveLength(1);
    expect(await everyItem(integrator, path)).toHaveLength(1);
  });

  it("create one item for 20 creates with one unique value, and return 409 to the others", async () => {
    const form = await makeForm(integrator, [{ key: "code", type: "text", unique: true }]);
    const path = `/forms/${form}/submissions`;
    const answers = await times(20, () => integrator.post(path, { data: { code: "A-1" } }));
    expect(withStatus(answers, 201)).toHaveLength(1);
    expect(withStatus(answers, 409)).toHaveLength(19);
    expect(await everyItem(integrator, path)).toHaveLength(1);
  });

  it("return 200 to one of 50 PATCHes with one ETag, and 412 to the others", async () => {
    const app = await makeApp(integrator);
    const created = await integrator.post(`/apps/${app}/records`, { data: { title: "a" } });
    const path = `/apps/${app}/records/${created.body.id}`;
    const answers = await times(50, (index) =>
      integrator.patch(path, { data: { title: `b${index}` } }, { "If-Match": created.etag }),
    );
    expect(withStatus(answers, 200)).toHaveLength(1);
    expect(withStatus(answers, 412)).toHaveLength(49);
    const read = await integrator.get(path);
    expect([read.body.version, read.body.data]).toEqual([
      2,
      withStatus(answers, 200)[0]?.body.data,
    ]);
  });

  it("store all fields of 10 PATCHes of different fields without If-Match", async () => {
    const fields = Array.from({ length: 10 }, (_, index) => ({ key: `f${index}`, type: "number" }));
    const app = await makeApp(integrator, fields);
    const created = await integrator.post(`/apps/${app}/records`, { data: {} });
    const path = `/apps/${app}/records/${created.body.id}`;
    const answers = await times(10, (index) =>
      integrator.patch(path, { data: { [`f${index}`]: index } }),
    );
    expect(withStatus(answers, 200)).toHaveLength(10);
    const { body } = await integrator.get(path);
    expect(Object.values(body.data)).toEqual(fields.map((_, index) => index));
    expect(body.version).toBe(11);
  });

  it("give 60 creates consecutive receipt numbers, each once", async () => {
    const app = await makeApp(integrator, undefined, { receipt_prefix: "R-" });
    const path = `/apps/${app}/records`;
    const invalid = times(10, () => integrator.post(path, { data: { zzz: 1 } }));
    const answers = await times(60, () => integrator.post(path, { data: {} }));
    await invalid;
    const receipts = answers.map((answer) => answer.body.receipt_number).toSorted();
    const expected = Array.from({ length: 60 }, (_, i) => `R-${String(i + 1).padStart(6, "0")}`);
    expect(receipts).toEqual(expected);
    const items = await everyItem(integrator, path);
    expect(items.map((record) => record.receipt_number)).toEqual(expected);
    const stamps = items.map((record) => record.created_at);
    expect(stamps).toEqual([...new Set(stamps)].toSorted());
  });

  it("create exactly 10 of 50 submissions with max_submissions: 10, and return 409 `full` to the others", async () => {
    const form = await makeForm(integrator, undefined, { acceptance: { max_submissions: 10 } });
    const path = `/forms/${form}/submissions`;
    const answers = await times(50, () => integrator.post(path, { data: {} }));
    expect(withStatus(answers, 201)).toHaveLength(10);
    expect(withStatus(answers, 409).map((answer) => answer.body.reason)).toEqual(
      Array(40).fill("full"),
    );
    expect(await everyItem(integrator, path)).toHaveLength(10);
  });

  it("give a unique value to one of 10 PATCHes, and return 409 to the others", async () => {
    const app = await makeApp(integrator, [{ key: "seat", type: "text", unique: true }]);
    const path = `/apps/${app}/records`;
    const created = await times(10, () => integrator.post(path, { data: {} }));
    const answers = await times(10, (index) =>
      integrator.patch(`${path}/${created[index]?.body.id}`, { data: { seat: "1A" } }),
    );
    expect(withStatus(answers, 200)).toHaveLength(1);
    expect(withStatus(answers, 409)).toHaveLength(9);
  });

  it("return 204 to one of 10 deletes and 404 to the others, and free one place in the form", async () => {
    const form = await makeForm(integrator, undefined, { acceptance: { max_submissions: 2 } });
    const path = `/forms/${form}/submissions`;
    const { body } = await integrator.post(path, { data: {} });
    await integrator.post(path, { data: {} });
    const answers = await times(10, () => integrator.delete(`/submissions/${body.id}`));
    expect(withStatus(answers, 204)).toHaveLength(1);
    expect(withStatus(answers, 404)).toHaveLength(9);
    const created = await times(5, () => integrator.post(path, { data: {} }));
    expect(withStatus(created, 201)).toHaveLength(1);
  });

  it("leave no unique value of an item that a DELETE removes during a PATCH", async () => {
    const form = await makeForm(integrator, [{ key: "code", type: "text", unique: true }]);
    const path = `/forms/${form}/submissions`;
    for (let round = 0; round < 5; round += 1) {
      const { body } = await integrator.post(path, { data: { code: "same" } });
      const item = `/submissions/${body.id}`;
      const [patched, deleted] = await Promise.all([
        integrator.patch(item, { data: { code: "other" } }),
        integrator.delete(item),
      ]);
      expect([200, 404]).toContain(patched?.status);
      expect(deleted?.status).toBe(204);
    }
    expect((await integrator.post(path, { data: { code: "other" } })).status).toBe(201);
  });

  it("create one form for 10 PUTs, with one 201 and nine 200", async () => {
    const key = `raced_${Date.now()}`;
    const answers = await times(10, (index) =>
      integrator.put(`/forms/${key}/schema`, { fields: [{ key: `f${index}`, type: "text" }] }),
    );
    expect(withStatus(answers, 201)).toHaveLength(1);
    expect(withStatus(answers, 200)).toHaveLength(9);
    expect((await integrator.get(`/forms/${key}/schema`)).body.schema_version).toBe(10);
  });
});
