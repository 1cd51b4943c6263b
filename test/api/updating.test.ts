import { beforeAll, describe, expect, it } from "vitest";
import { codes, type Client } from "../support/client";
import { client, makeApp, makeForm } from "../support/service";

describe("Updating", () => {
  let integrator: Client;
  let app: string;
  beforeAll(async () => {
    integrator = await client();
    app = await makeApp(integrator, [
      { key: "a", type: "text" },
      { key: "b", type: "text", required: true },
      { key: "u", type: "text", unique: true },
    ]);
  });
  const record = async (data: object = { b: "1" }) => {
    const created = await integrator.post(`/apps/${app}/records`, { data });
    return { ...created, path: `/apps/${app}/records/${created.body.id}` };
  };

  it("accepts application/json and application/merge-patch+json, and returns 415 to other types", async () => {
    const { path } = await record();
    for (const [type, status] of [
      ["application/merge-patch+json", 200],
      ["application/json; charset=utf-8", 200],
      ["application/json-patch+json", 415],
      ["text/plain", 415],
      ["", 415],
    ] as const) {
      const answer = await integrator.patch(path, { data: {} }, { "Content-Type": type });
      expect([type, answer.status]).toEqual([type, status]);
    }
  });

  it("clears a field with null, and returns 422 where the field is required", async () => {
    const { path } = await record({ a: "x", b: "y" });
    expect((await integrator.patch(path, { data: { a: null } })).body.data.a).toBeNull();
    expect(codes(await integrator.patch(path, { data: { b: null } }))).toEqual({ b: "required" });
    expect(codes(await integrator.patch(path, { data: { b: "" } }))).toEqual({ b: "required" });
  });

  it("keeps version, ETag and updated_at when no value changes", async () => {
    const { path, body } = await record({ a: "x", b: "y" });
    const answer = await integrator.patch(path, { data: { a: "x" } });
    expect([answer.status, answer.body]).toEqual([200, body]);
    expect((await integrator.patch(path, { data: {} })).etag).toBe('"1"');
  });

  it("returns 422 to unknown top-level properties", async () => {
    const { path } = await record();
    const answer = await integrator.patch(path, { data: {}, id: "x", status: "submitted" });
    expect(codes(answer)).toEqual({ id: "unknown_field", status: "unknown_field" });
  });

  it.each([
    ['"1"', 200],
    ['W/"1"', 200],
    ['"7", "1"', 200],
    ['"7",W/"1" , "9"', 200],
    ["*", 200],
    ['"7"', 412],
    ['"7", "8"', 412],
    ["1", 400],
    ['"1', 400],
    [",", 400],
    ['"1" "2"', 400],
    ['*, "1"', 400],
  ])("with If-Match: %s, returns %i", async (header, status) => {
    const { path } = await record();
    const answer = await integrator.patch(path, { data: { a: "new" } }, { "If-Match": header });
    expect(answer.status).toBe(status);
    const { body } = await integrator.get(path);
    expect(body.version).toBe(status === 200 ? 2 : 1);
    if (status === 400) expect(answer.body.code).toBe("malformed_header");
  });

  it("checks for 404 first, then 412, then 422", async () => {
    const { path } = await record();
    const invalidBody = { data: { zzz: 1 } };
    expect((await integrator.patch(path, invalidBody, { "If-Match": '"9"' })).status).toBe(412);
    expect((await integrator.patch(path, invalidBody)).status).toBe(422);
    expect((await integrator.patch(`${path}x`, "{", { "If-Match": '"9"' })).status).toBe(404);
  });

  it("frees a unique value when its item changes, and returns 409 while it is in use", async () => {
    const first = await record({ b: "1", u: "one" });
    const second = await record({ b: "1", u: "two" });
    const rejection = await integrator.patch(second.path, { data: { u: "one", a: "lost" } });
    expect([rejection.status, rejection.body.field]).toEqual([409, "u"]);
    expect((await integrator.get(second.path)).body).toEqual(second.body);
    await integrator.patch(first.path, { data: { u: "three" } });
    expect((await integrator.patch(second.path, { data: { u: "one" } })).status).toBe(200);
    expect((await integrator.patch(second.path, { data: { u: "one" } })).status).toBe(200);
  });

  it("returns 304 without a body to a matching If-None-Match on single resources and schemas", async () => {
    const { path, etag } = await record();
    for (const [url, tag, expected] of [
      [path, etag, etag],
      [path, `"7", W/${etag}`, etag],
      [path, "*", etag],
      [`/apps/${app}/schema`, '"1-open"', '"1-open"'],
      [`/apps/${app}`, '"1"', '"1"'],
    ] as const) {
      const answer = await integrator.get(url, { "If-None-Match": tag });
      expect([answer.status, answer.text, answer.etag]).toEqual([304, "", expected]);
      expect(answer.headers.get("Cache-Control")).toBe("private, no-cache");
    }
    expect((await integrator.get(path, { "If-None-Match": '"2"' })).status).toBe(200);
  });
});

describe("Submission statuses", () => {
  let integrator: Client;
  let form: string;
  beforeAll(async () => {
    integrator = await client();
    form = await makeForm(integrator, [
      { key: "name", type: "text", required: true },
      { key: "code", type: "text", unique: true },
      { key: "n", type: "number" },
      {
        key: "lines",
        type: "line_items",
        min_rows: 1,
        fields: [{ key: "sku", type: "text", required: true }],
      },
    ]);
  });
  const create = (body: object) => integrator.post(`/forms/${form}/submissions`, body);
  const completeData = { name: "Bo", lines: [{ sku: "A" }] };

  it("skips required, min_rows and unique for drafts, and no other rule", async () => {
    const draft = await create({ status: "draft", data: { code: "same", lines: [{}] } });
    expect([draft.status, draft.body.status]).toEqual([201, "draft"]);
    expect((await create({ status: "draft", data: { code: "same" } })).status).toBe(201);
    const rejection = await create({ status: "draft", data: { n: "x", zzz: 1 } });
    expect(codes(rejection)).toEqual({ n: "invalid_type", zzz: "unknown_field" });
  });

  it("validates every field of a draft when it is submitted", async () => {
    const draft = await create({ status: "draft", data: { code: "mine", lines: [{}] } });
    const path = `/submissions/${draft.body.id}`;
    const rejection = await integrator.patch(path, { status: "submitted" });
    expect(codes(rejection)).toEqual({ name: "required", "lines[0].sku": "required" });
    const submitted = await integrator.patch(path, { status: "submitted", data: completeData });
    expect([submitted.status, submitted.body.status]).toEqual([200, "submitted"]);
    expect(submitted.body.data).toEqual({ ...completeData, code: "mine", n: null });
    const duplicateDraft = await create({
      status: "draft",
      data: { ...completeData, code: "mine" },
    });
    const duplicate = await integrator.patch(`/submissions/${duplicateDraft.body.id}`, {
      status: "submitted",
    });
    expect([duplicate.status, duplicate.body.field]).toEqual([409, "code"]);
  });

  it.each([
    ["draft", "closed"],
    ["submitted", "draft"],
    ["draft", "archived"],
  ])("returns 422 invalid_status to a change from %s to %s", async (before, after) => {
    const { body } = await create({ status: before, data: completeData });
    const rejection = await integrator.patch(`/submissions/${body.id}`, { status: after });
    expect(codes(rejection)).toEqual({ status: "invalid_status" });
    expect(rejection.body.errors[0].allowed).toContain(before);
  });

  it("returns 422 invalid_status to a create with status closed", async () => {
    expect(codes(await create({ status: "closed", data: completeData }))).toEqual({
      status: "invalid_status",
    });
  });
});
