import { beforeAll, describe, expect, it } from "vitest";
import type { Client } from "../support/client";
import { client, makeForm } from "../support/service";

const fields = [{ key: "title", type: "text", required: true }];
const past = "2020-01-01T00:00:00Z";
const future = "2090-01-01T00:00:00Z";

describe("Acceptance", () => {
  let integrator: Client;
  beforeAll(async () => {
    integrator = await client();
  });
  const formWith = (acceptance: object) => makeForm(integrator, fields, { acceptance });
  const create = (form: string, body: object = { data: { title: "x" } }) =>
    integrator.post(`/forms/${form}/submissions`, body);
  const accepting = async (form: string) =>
    (await integrator.get(`/forms/${form}/schema`)).body.acceptance.accepting;

  it.each([
    [{ state: "closed" }, "closed"],
    [{ closes_at: past }, "closed"],
    [{ opens_at: future }, "not_open_yet"],
    [{ opens_at: past, closes_at: future }, null],
  ])("with %j, accepts submissions or returns 409 with reason %s", async (acceptance, reason) => {
    const form = await formWith(acceptance);
    expect(await accepting(form)).toBe(reason === null);
    for (const status of ["draft", "submitted"]) {
      const answer = await create(form, { status, data: { title: "x" } });
      expect([answer.status, answer.body.reason ?? null]).toEqual([reason ? 409 : 201, reason]);
    }
  });

  it("returns 409 full at max_submissions, drafts included, until one is deleted", async () => {
    const form = await formWith({ max_submissions: 2 });
    const first = await create(form, { status: "draft", data: {} });
    await create(form);
    expect(await accepting(form)).toBe(false);
    const fullResponse = await create(form);
    expect([fullResponse.status, fullResponse.body.code, fullResponse.body.reason]).toEqual([
      409,
      "submissions_closed",
      "full",
    ]);
    await integrator.delete(`/submissions/${first.body.id}`);
    expect((await create(form)).status).toBe(201);
  });

  it("returns 409 before it validates the body", async () => {
    const form = await formWith({ state: "closed" });
    expect((await create(form, { data: { zzz: 1 }, more: 1 })).status).toBe(409);
    const badKey = { "Idempotency-Key": "two words" };
    const answer = await integrator.post(`/forms/${form}/submissions`, { data: {} }, badKey);
    expect(answer.status).toBe(409);
  });

  it("accepts changes to a closed form, but returns 409 when a draft is submitted", async () => {
    const form = await formWith({});
    const { body } = await create(form, { status: "draft", data: { title: "x" } });
    await integrator.put(`/forms/${form}/schema`, { fields, acceptance: { state: "closed" } });
    const path = `/submissions/${body.id}`;
    expect((await integrator.patch(path, { data: { title: "y" } })).status).toBe(200);
    const incomplete = { status: "submitted", data: { title: null } };
    expect((await integrator.patch(path, incomplete)).status).toBe(409);
    const lateSubmit = await integrator.patch(path, { status: "submitted" });
    expect([lateSubmit.status, lateSubmit.body.reason]).toEqual([409, "closed"]);
  });

  it("validate runs every check of a create, and stores nothing", async () => {
    const unique = [...fields, { key: "code", type: "text", unique: true }];
    const form = await makeForm(integrator, unique);
    await create(form, { data: { title: "x", code: "A" } });
    const validate = (body: unknown) =>
      integrator.post(`/forms/${form}/submissions/validate`, body);
    const valid = await validate({ data: { title: "y" } });
    expect([valid.status, valid.body]).toEqual([
      200,
      { valid: true, form, status: "submitted", data: { title: "y", code: null } },
    ]);
    expect((await validate({ data: {} })).status).toBe(422);
    expect((await validate({ data: { title: "y", code: "A" } })).body.field).toBe("code");
    expect((await validate({ status: "draft", data: { code: "A" } })).status).toBe(200);
    await integrator.put(`/forms/${form}/schema`, {
      fields: unique,
      acceptance: { state: "closed" },
    });
    expect((await validate({ data: { title: "y" } })).body.reason).toBe("closed");
    expect((await integrator.get(`/forms/${form}/submissions`)).body.items).toHaveLength(1);
  });
});
