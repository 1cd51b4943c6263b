import { beforeAll, describe, expect, it } from "vitest";
import { runBackfill } from "../../src/actions/backfill.ts";
import { putDefinition } from "../../src/actions/definitions.ts";
import { actionContext } from "../support/action-context";
import type { Client, Json } from "../support/client";
import { dataDb } from "../support/databases";
import { background } from "../support/serve";
import { admin, client, makeApp, makeForm } from "../support/service";

let integrator: Client;
beforeAll(async () => {
  integrator = await client();
});

const items = (form: string) => `/forms/${form}/items`;
const create = async (form: string, data: object, rest: object = {}): Promise<Json> => {
  const { status, text, body } = await integrator.post(`/forms/${form}/submissions`, {
    data,
    ...rest,
  });
  if (status !== 201) throw new Error(text);
  return body;
};
const remove = (form: string, id: string) => admin("POST", `${items(form)}/${id}/delete`, {});
const restore = (form: string, id: string) =>
  admin("POST", `${items(form)}/deleted/${id}/restore`, {});
const read = async (id: string) => (await integrator.get(`/submissions/${id}`)).body;
const put = async (form: string, fields: object[]) =>
  expect((await integrator.put(`/forms/${form}/schema`, { fields })).status).toBe(200);

const title = { key: "title", type: "text" };

describe("A restore", () => {
  it.each([
    { state: "closed" },
    { closes_at: "2026-01-01T00:00:00Z" },
    { opens_at: "2100-01-01T00:00:00Z" },
  ])("succeeds while a form does not accept submissions: %j", async (acceptance) => {
    const form = await makeForm(integrator, [title]);
    const { id } = await create(form, { title: "a" });
    await remove(form, id);
    await integrator.patch(`/forms/${form}/schema`, { acceptance });
    expect((await integrator.post(`/forms/${form}/submissions`, { data: {} })).status).toBe(409);
    expect((await restore(form, id)).status).toBe(200);
    expect((await read(id)).data).toEqual({ title: "a" });
  });

  it("returns a draft as a draft, whose unique value it does not claim before it is submitted", async () => {
    const form = await makeForm(integrator, [{ ...title, unique: true, required: true }]);
    const draft = await create(form, {}, { status: "draft" });
    await remove(form, draft.id);
    expect((await restore(form, draft.id)).status).toBe(200);
    expect((await read(draft.id)).status).toBe("draft");
    const submitted = await integrator.patch(`/submissions/${draft.id}`, {
      data: { title: "a" },
      status: "submitted",
    });
    expect(submitted.status).toBe(200);
  });

  it("keeps values that only a stricter rule rejects: an empty required field and a removed option", async () => {
    const options = (...values: string[]) => ({
      key: "kind",
      type: "select",
      searchable: true,
      options: values.map((value) => ({ value, label: value })),
    });
    const form = await makeForm(integrator, [title, options("a", "b")]);
    const { id } = await create(form, { kind: "a" });
    await remove(form, id);
    await put(form, [{ ...title, required: true }, options("b")]);
    expect((await restore(form, id)).status).toBe(200);
    expect((await read(id)).data).toEqual({ title: null, kind: "a" });
    expect((await admin("GET", `${items(form)}/${id}`)).status).toBe(200);
    const fixed = await integrator.patch(`/submissions/${id}`, {
      data: { title: "t", kind: "b" },
    });
    expect(fixed.status).toBe(200);
    const search = { conditions: [{ field: "kind", op: "eq", value: "a" }] };
    const found = await integrator.post(`/forms/${form}/submissions/search`, search);
    expect(found.body.items).toEqual([]);
  });

  it("keeps the value of a field that was removed and returned, as live items do, and the value is unique", async () => {
    const form = await makeForm(integrator, [title, { key: "code", type: "text" }]);
    const { id } = await create(form, { title: "t", code: "secret" });
    await remove(form, id);
    await put(form, [title]);
    await put(form, [title, { key: "code", type: "text", unique: true, searchable: true }]);
    expect((await restore(form, id)).status).toBe(200);
    const { data } = await read(id);
    const other = await integrator.post(`/forms/${form}/submissions`, { data: { code: "secret" } });
    expect([data.code, other.status]).toEqual(["secret", 409]);
  });

  it("returns an item whose reference leads to a deleted record", async () => {
    const app = await makeApp(integrator, [title]);
    const record = (await integrator.post(`/apps/${app}/records`, { data: { title: "r" } })).body;
    const form = await makeForm(integrator, [{ key: "customer", type: "reference", app }]);
    const { id } = await create(form, { customer: record.id });
    await remove(form, id);
    await admin("POST", `/apps/${app}/items/${record.id}/delete`, {});
    expect((await restore(form, id)).status).toBe(200);
    expect((await read(id)).data.customer).toBe(record.id);
  });
});

describe("A restore while a change of the definition is pending", () => {
  const largeFields = Array.from({ length: 9 }, (_, index) => ({
    key: `large${index}`,
    type: "text",
    max_length: 100_000,
    searchable: false,
  }));
  const filler = Object.fromEntries(largeFields.map(({ key }) => [key, "x".repeat(99_000)]));
  async function makeLarge(): Promise<{ form: string; ids: string[] }> {
    const form = await makeForm(integrator, [{ key: "code", type: "text" }, ...largeFields]);
    const ids: string[] = [];
    for (let index = 0; index < 9; index += 1)
      ids.push((await create(form, { ...filler, code: `c${index}` })).id);
    return { form, ids };
  }

  it("succeeds with a value that another item has, and a pending change that makes the field unique fails", async () => {
    const { form } = await makeLarge();
    const { id } = await create(form, { code: "c3" });
    await remove(form, id);
    const fields = [{ key: "code", type: "text", unique: true }, ...largeFields];
    const write = await putDefinition(
      actionContext,
      "form",
      form,
      { fields },
      { ifMatch: null, ifNoneMatch: null },
    );
    expect(write).toBeDefined();
    expect((await integrator.get(`/forms/${form}/schema`)).body.pending).toBeDefined();
    const { status } = await restore(form, id);
    await runBackfill(background());
    const { body: schema } = await integrator.get(`/forms/${form}/schema`);
    const values = await dataDb
      .prepare(
        `SELECT count(*) n FROM item WHERE data ->> '1' = 'c3'
          AND collection_id = (SELECT id FROM collection WHERE key = ?)`,
      )
      .bind(form)
      .first("n");
    expect([status, schema.fields[0].unique, values]).toEqual([200, false, 2]);
  }, 30_000);
});
