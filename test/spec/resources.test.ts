import { beforeAll, describe, expect, it } from "vitest";
import { codes, type Client } from "../support/client";
import { client, makeApp, makeForm } from "../support/service";

/** Titles are the sentences of the specification, sections "Resources and their fields" and "States". */
describe("Resources and their fields", () => {
  let integrator: Client;
  beforeAll(async () => {
    integrator = await client();
  });

  it("App: identified by key (string, used in path as {app_key}). Holds records.", async () => {
    const app = await makeApp(integrator);
    const { body } = await integrator.post(`/apps/${app}/records`, { data: {} });
    expect(body.app).toBe(app);
    expect((await integrator.get(`/apps/${app}/records`)).body.items).toHaveLength(1);
  });

  it("Record: identified by id or receipt number (either is accepted as {id} in record paths).", async () => {
    const app = await makeApp(integrator, undefined, { receipt_prefix: "ORD-" });
    const { body, etag } = await integrator.post(`/apps/${app}/records`, { data: { title: "a" } });
    expect(body.id).toMatch(/^rec_[0-9A-HJKMNP-TV-Z]{26}$/);
    expect(body.receipt_number).toBe("ORD-000001");
    for (const id of [body.id, body.receipt_number]) {
      const record = await integrator.get(`/apps/${app}/records/${id}`);
      expect([record.status, record.body, record.etag]).toEqual([200, body, etag]);
      const path = `/apps/${app}/records/${id}`;
      expect((await integrator.patch(path, { data: { title: "a" } })).status).toBe(200);
    }
    expect((await integrator.get(`/apps/${app}/records/ORD-000002`)).status).toBe(404);
    expect((await integrator.get(`/apps/${app}/records/ord-000001`)).status).toBe(404);
  });

  it("Record: belongs to an app.", async () => {
    const [app, otherApp] = [await makeApp(integrator), await makeApp(integrator)];
    const { body } = await integrator.post(`/apps/${app}/records`, { data: {} });
    expect((await integrator.get(`/apps/${otherApp}/records/${body.id}`)).status).toBe(404);
  });

  it("Form: identified by key (string, used as {form_key}). Has a schema and submissions.", async () => {
    const form = await makeForm(integrator);
    expect((await integrator.get(`/forms/${form}/schema`)).body.key).toBe(form);
    expect((await integrator.get(`/forms/${form}/submissions`)).body.items).toEqual([]);
  });

  it("Submission: identified by id. Belongs to a form.", async () => {
    const form = await makeForm(integrator);
    const { body } = await integrator.post(`/forms/${form}/submissions`, { data: {} });
    expect(body.id).toMatch(/^sub_[0-9A-HJKMNP-TV-Z]{26}$/);
    expect((await integrator.get(`/submissions/${body.id}`)).body).toEqual(body);
    expect(body.form).toBe(form);
  });

  it("Field: key (string). Belongs to a form or app; used as the property name in data.", async () => {
    const fields = [{ key: "customer", type: "text" }];
    const app = await makeApp(integrator, fields);
    const { body } = await integrator.post(`/apps/${app}/records`, { data: { customer: "Bo" } });
    expect(body.data).toEqual({ customer: "Bo" });
  });

  it("Repeating detail (line items): a field holding an array, replaced as a whole array on update.", async () => {
    const fields = [{ key: "lines", type: "line_items", fields: [{ key: "sku", type: "text" }] }];
    const app = await makeApp(integrator, fields);
    const { body } = await integrator.post(`/apps/${app}/records`, {
      data: { lines: [{ sku: "A" }, { sku: "B" }] },
    });
    const path = `/apps/${app}/records/${body.id}`;
    const patched = await integrator.patch(path, { data: { lines: [{ sku: "C" }] } });
    expect(patched.body.data.lines).toEqual([{ sku: "C" }]);
  });

  it("data is required in a submission payload; status is not.", async () => {
    const form = await makeForm(integrator);
    const path = `/forms/${form}/submissions`;
    expect(codes(await integrator.post(path, { status: "submitted" }))).toEqual({
      data: "required",
    });
    expect((await integrator.post(path, { data: {} })).body.status).toBe("submitted");
  });

  it("The create example uses the value submitted.", async () => {
    const form = await makeForm(integrator);
    const body = { status: "submitted", data: { title: "x" } };
    const created = await integrator.post(`/forms/${form}/submissions`, body);
    expect([created.status, created.body.status]).toEqual([201, "submitted"]);
  });

  it("data: property names are field keys defined on the form; values are typed per the field.", async () => {
    const form = await makeForm(integrator, [{ key: "amount", type: "number" }]);
    const created = await integrator.post(`/forms/${form}/submissions`, { data: { amount: "12" } });
    expect(codes(created)).toEqual({ amount: "invalid_type" });
  });

  it("1. A key in data that the form does not define causes a 422 error. The purpose is to reveal renamed fields on the integrating side.", async () => {
    const form = await makeForm(integrator, [{ key: "cust_name", type: "text" }]);
    const fields = [{ key: "customer", type: "text", renamed_from: "cust_name" }];
    await integrator.put(`/forms/${form}/schema`, { fields });
    const rejection = await integrator.post(`/forms/${form}/submissions`, {
      data: { cust_name: "Bo" },
    });
    expect(rejection.status).toBe(422);
    expect(rejection.body.errors).toEqual([
      {
        field: "cust_name",
        pointer: "/data/cust_name",
        code: "unknown_field",
        reason: 'There is no field "cust_name"; it was renamed to "customer".',
        renamed_to: "customer",
      },
    ]);
  });

  it("3. A resource representation carries an ETag version, used for If-Match on update.", async () => {
    const form = await makeForm(integrator);
    const created = await integrator.post(`/forms/${form}/submissions`, { data: {} });
    expect([created.etag, created.body.etag, created.body.version]).toEqual(['"1"', '"1"', 1]);
    const path = `/submissions/${created.body.id}`;
    const headers = { "If-Match": created.etag };
    const updated = await integrator.patch(path, { data: { title: "x" } }, headers);
    expect([updated.status, updated.etag, updated.body.etag]).toEqual([200, '"2"', '"2"']);
  });

  it("4. A list response carries links.next, the continuation for the next page.", async () => {
    const form = await makeForm(integrator);
    for (const title of ["a", "b", "c"]) {
      await integrator.post(`/forms/${form}/submissions`, { data: { title } });
    }
    const first = await integrator.get(`/forms/${form}/submissions?limit=2`);
    expect(first.body.items.map((item: { data: object }) => item.data)).toEqual([
      { title: "a" },
      { title: "b" },
    ]);
    expect(first.headers.get("Link")).toBe(`<${first.body.links.next}>; rel="next"`);
    const second = await integrator.get(first.body.links.next);
    expect(second.body.items).toMatchObject([{ data: { title: "c" } }]);
    expect(second.body.links.next).toBeNull();
  });
});

describe("States and transitions", () => {
  it("A submission has a status field; submitted is a value used at creation.", async () => {
    const integrator = await client();
    const form = await makeForm(integrator);
    const path = `/forms/${form}/submissions`;
    const created = await integrator.post(path, { status: "submitted", data: {} });
    expect(created.body.status).toBe("submitted");
    const rejection = await integrator.post(path, { status: "archived", data: {} });
    expect(rejection.body.errors).toMatchObject([
      { field: "status", code: "invalid_status", allowed: ["draft", "submitted"] },
    ]);
  });

  it("A submission can be closed for acceptance, which yields a 409 on writes.", async () => {
    const integrator = await client();
    const form = await makeForm(integrator);
    const { body } = await integrator.post(`/forms/${form}/submissions`, { data: {} });
    const path = `/submissions/${body.id}`;
    expect((await integrator.patch(path, { status: "closed" })).body.status).toBe("closed");
    for (const answer of [
      await integrator.patch(path, { data: { title: "late" } }),
      await integrator.delete(path),
    ]) {
      expect([answer.status, answer.body.code]).toEqual([409, "submission_closed"]);
    }
    await integrator.put(`/forms/${form}/schema`, {
      fields: [{ key: "title", type: "text" }],
      acceptance: { state: "closed" },
    });
    const rejection = await integrator.post(`/forms/${form}/submissions`, { data: {} });
    expect([rejection.status, rejection.body.code, rejection.body.reason]).toEqual([
      409,
      "submissions_closed",
      "closed",
    ]);
  });
});
