import { beforeAll, describe, expect, it } from "vitest";
import { codes, type Client, type Json } from "../support/client";
import { runBackfill } from "../../src/actions/backfill.ts";
import { dataDb } from "../support/databases";
import { background } from "../support/serve";
import { client, freshKey, makeApp, makeForm } from "../support/service";

const text = (key: string, rules: object = {}) => ({ key, type: "text", ...rules });
const pointers = ({ body }: { body: Json }) => body.errors.map((error: Json) => error.pointer);

let integrator: Client;
beforeAll(async () => {
  integrator = await client();
});
const schemaOf = (form: string) => integrator.get(`/forms/${form}/schema`);

describe("PATCH of a definition", () => {
  const patch = (form: string, body: unknown, headers?: Record<string, string>) =>
    integrator.patch(`/forms/${form}/schema`, body, headers);

  it("closes and opens a form, keeps every other member, and counts versions", async () => {
    const form = await makeForm(integrator, [text("a")], {
      name: "Kept",
      acceptance: { max_submissions: 5, opens_at: "2026-01-01T00:00:00Z" },
    });
    const before = (await schemaOf(form)).body;
    const closed = await patch(form, { acceptance: { state: "closed" } });
    expect([closed.status, closed.etag]).toEqual([200, '"2-closed"']);
    expect(closed.body).toEqual({
      ...before,
      schema_version: 2,
      acceptance: { ...before.acceptance, state: "closed", accepting: false },
    });
    const refused = await integrator.post(`/forms/${form}/submissions`, { data: {} });
    expect([refused.status, refused.body.reason]).toEqual([409, "closed"]);
    expect((await patch(form, { acceptance: { state: "open" } })).body.acceptance).toEqual(
      before.acceptance,
    );
  });

  it("restores the default of a member that is null, in acceptance too", async () => {
    const app = await makeApp(integrator, [text("a")], {
      name: "Named",
      description: "d",
      time_zone: "Asia/Tokyo",
      receipt_prefix: "ORD-",
      history_days: 40,
    });
    const nothing = { name: null, description: null, time_zone: null };
    const reset = await integrator.patch(`/apps/${app}/schema`, {
      ...nothing,
      receipt_prefix: null,
      history_days: null,
    });
    expect([reset.status, reset.body]).toMatchObject([
      200,
      { name: app, description: "", time_zone: "UTC", receipt_prefix: "", history_days: 365 },
    ]);
    const acceptance = { state: "closed", max_submissions: 5 };
    const form = await makeForm(integrator, [text("a")], { acceptance });
    const some = await patch(form, { acceptance: { state: null } });
    expect(some.body.acceptance).toMatchObject({ state: "open", max_submissions: 5 });
    const all = await patch(form, { acceptance: null });
    expect(all.body.acceptance).toMatchObject({ state: "open", max_submissions: null });
  });

  it("returns 422 for fields and for members that the server sets, each with its pointer", async () => {
    const form = await makeForm(integrator, [text("a")]);
    const { body } = await schemaOf(form);
    const answer = await patch(form, { ...body, nonsense: 1, name: 7 });
    expect(answer.status).toBe(422);
    expect(pointers(answer).toSorted()).toEqual([
      "/acceptance/accepting",
      "/fields",
      "/links",
      "/name",
      "/nonsense",
      "/schema_version",
    ]);
    expect(new Set(Object.values(codes(answer)))).toEqual(new Set(["invalid_definition"]));
    expect((await schemaOf(form)).body).toEqual(body);
  });

  it("returns 422 for values that contradict the stored ones", async () => {
    const form = await makeForm(integrator, [text("a")], {
      acceptance: { opens_at: "2027-01-01T00:00:00Z" },
    });
    const answer = await patch(form, { acceptance: { closes_at: "2026-12-01T00:00:00Z" } });
    expect([answer.status, pointers(answer)]).toEqual([422, ["/acceptance/closes_at"]]);
    for (const body of [7, [], null, "x"])
      expect((await patch(form, JSON.stringify(body))).status).toBe(422);
    expect((await patch(form, { key: "another" })).status).toBe(422);
    expect((await patch(form, { receipt_prefix: "A-" })).status).toBe(422);
  });

  it("keeps the version when nothing changes", async () => {
    const form = await makeForm(integrator, [text("a")], { name: "Same" });
    for (const body of [{}, { name: "Same" }, { key: form, acceptance: {} }]) {
      const { status, etag } = await patch(form, body);
      expect([status, etag]).toEqual([200, '"1-open"']);
    }
  });

  it("returns 412 and stores nothing when the version has moved on", async () => {
    const form = await makeForm(integrator, [text("a")]);
    const late = { "If-Match": '"1-open"' };
    expect((await patch(form, { name: "First" }, late)).status).toBe(200);
    const answer = await patch(form, { name: "Second" }, late);
    expect([answer.status, answer.body.current_etag]).toEqual([412, '"2-open"']);
    expect((await schemaOf(form)).body.name).toBe("First");
  });

  it("returns 404 for a form that does not exist, before it reads the body", async () => {
    expect((await patch(freshKey("form"), "{")).status).toBe(404);
  });

  it("accepts application/merge-patch+json", async () => {
    const form = await makeForm(integrator, [text("a")]);
    const type = { "Content-Type": "application/merge-patch+json" };
    expect((await patch(form, { name: "Merged" }, type)).body.name).toBe("Merged");
  });

  it("takes effect at once while a change is pending, and the pending change keeps it", async () => {
    const form = await makeForm(integrator, [text("code")]);
    for (const code of ["a", "b"])
      await integrator.post(`/forms/${form}/submissions`, { data: { code } });
    // One step cannot check items of this size, so the change of the fields is pending.
    await dataDb
      .prepare(
        "UPDATE tally SET largest = 8000000 WHERE collection_id = (SELECT id FROM collection WHERE key = ?)",
      )
      .bind(form)
      .run();
    const fields = [text("code", { unique: true })];
    const path = `/forms/${form}/schema`;
    const dryRun = await integrator.put(`${path}?dry_run=true`, { fields, name: "Two" });
    expect(dryRun.body.consequences).toMatchObject({ outcome: "pending", checked_items: 2 });
    const [pending, patched] = await Promise.all([
      integrator.put(path, { fields, name: "Two", description: "D" }),
      integrator.patch(path, { acceptance: { max_submissions: 9 } }),
    ]);
    expect([pending.status, patched.status]).toEqual([202, 200]);
    const closed = await patch(form, { name: "Three", acceptance: { state: "closed" } });
    expect([closed.status, closed.body.name, closed.body.acceptance.state]).toEqual([
      200,
      "Three",
      "closed",
    ]);
    await runBackfill(background());
    const { body } = await schemaOf(form);
    expect(body.pending).toBe(undefined);
    expect(body).toMatchObject({ name: "Three", description: "D" });
    expect(body.acceptance).toMatchObject({ state: "closed", max_submissions: 9 });
    expect(body.fields[0].unique).toBe(true);
  });

  it("keeps both of two simultaneous patches of different members", async () => {
    const form = await makeForm(integrator, [text("a")]);
    await Promise.all([patch(form, { name: "N" }), patch(form, { description: "D" })]);
    expect((await schemaOf(form)).body).toMatchObject({
      name: "N",
      description: "D",
      schema_version: 3,
    });
  });
});

describe("A dry run", () => {
  const put = (form: string, body: unknown, headers?: Record<string, string>) =>
    integrator.put(`/forms/${form}/schema?dry_run=true`, body, headers);
  const noEffects = {
    hidden_fields: [],
    recalculated_items: 0,
    reindexed_items: 0,
    checked_items: 0,
    views: [],
    credentials: [],
    webhooks: [],
  };

  it("of a new form returns 200 with the definition, and creates nothing", async () => {
    const form = freshKey("form");
    const answer = await put(form, { name: "New", fields: [text("a")] });
    expect([answer.status, answer.etag]).toEqual([200, ""]);
    expect(answer.body).toMatchObject({
      key: form,
      name: "New",
      schema_version: 1,
      consequences: { outcome: "created", ...noEffects },
    });
    expect((await schemaOf(form)).status).toBe(404);
  });

  it("names hidden fields and columns, and counts the items that the change would touch", async () => {
    const lines = (...keys: string[]) => ({
      key: "lines",
      type: "line_items",
      fields: keys.map((key) => text(key)),
    });
    const formula = { key: "c", type: "computed", formula: "n", result: "number" };
    const number = { key: "n", type: "number", searchable: false };
    const form = await makeForm(integrator, [text("a"), lines("x", "y"), number, formula]);
    for (const n of [1, 2])
      await integrator.post(`/forms/${form}/submissions`, { data: { n, a: "x" } });
    const before = await schemaOf(form);
    const answer = await put(form, {
      fields: [
        lines("x"),
        { ...number, searchable: true, unique: true },
        { ...formula, formula: "n * 2" },
      ],
    });
    expect(answer.body.consequences).toEqual({
      ...noEffects,
      outcome: "changed",
      hidden_fields: ["a", "lines.y"],
      recalculated_items: 2,
      reindexed_items: 2,
      checked_items: 2,
    });
    expect([answer.etag, answer.body.schema_version]).toEqual([before.etag, 2]);
    expect((await schemaOf(form)).body).toEqual(before.body);
  });

  it("returns the errors of the change: 422, 412, and 409 for stored values", async () => {
    const form = await makeForm(integrator, [text("a"), text("b"), { key: "d", type: "date" }]);
    for (const [index, zone] of ["Z", "+09:00"].entries()) {
      const data = { a: "same", b: String(index), d: `2026-11-22${zone}` };
      await integrator.post(`/forms/${form}/submissions`, { data });
    }
    expect((await put(form, { fields: [{ key: "A", type: "text" }] })).status).toBe(422);
    expect((await put(form, { fields: [] }, { "If-Match": '"9"' })).status).toBe(412);
    const [a, b] = [text("a"), text("b")];
    const retyped = await put(form, { fields: [{ key: "a", type: "number" }, b] });
    expect([retyped.status, retyped.body.code, retyped.body.field]).toEqual([
      409,
      "schema_in_use",
      "a",
    ]);
    const date = { key: "d", type: "date", unique: true };
    for (const fields of [
      [text("a", { unique: true }), text("b", { unique: true })],
      [date, a],
    ]) {
      const shared = await put(form, { fields });
      const stored = await integrator.put(`/forms/${form}/schema`, { fields });
      expect([shared.status, shared.body.detail]).toEqual([409, stored.body.detail]);
    }
    const fine = await put(form, { fields: [a, text("b", { unique: true })] });
    expect([fine.status, fine.body.consequences.outcome]).toEqual([200, "changed"]);
  });

  it("of a PATCH returns the patched definition, and stores nothing", async () => {
    const form = await makeForm(integrator, [text("a")]);
    const path = `/forms/${form}/schema?dry_run=true`;
    const answer = await integrator.patch(path, { name: "Patched" });
    expect(answer.body).toMatchObject({
      name: "Patched",
      schema_version: 2,
      consequences: { outcome: "changed", ...noEffects },
    });
    expect((await integrator.patch(path, { fields: [] })).status).toBe(422);
    expect((await integrator.patch(path, {})).body.consequences.outcome).toBe("unchanged");
    expect((await schemaOf(form)).body.name).not.toBe("Patched");
  });

  it("is accepted by PUT as it was returned", async () => {
    const form = freshKey("form");
    const { body } = await put(form, { fields: [text("a")] });
    expect((await integrator.put(`/forms/${form}/schema`, body)).status).toBe(201);
  });

  it("counts as a read, and a write counts as a write with any other value", async () => {
    const form = await makeForm(integrator, [text("a")]);
    const schema = `/forms/${form}/schema`;
    for (const send of [integrator.put, integrator.patch]) {
      const policyOf = async (query: string) => {
        const answer = await send(schema + query, send === integrator.put ? { fields: [] } : {});
        return answer.headers.get("RateLimit-Policy")?.includes('"write"');
      };
      expect(await policyOf("?dry_run=true")).toBe(false);
      expect(await policyOf("?dry_run=false")).toBe(true);
      expect(await policyOf("?dry_run=true&dry_run=true")).toBe(true);
    }
    const refused = await integrator.put(`${schema}?dry_run=yes`, { fields: [] });
    expect([refused.status, codes(refused)]).toEqual([422, { dry_run: "not_an_option" }]);
  });

  it("returns 403 without schema:write", async () => {
    const reader = await client({ permissions: ["schema:read"] });
    const form = await makeForm(integrator, [text("a")]);
    const path = `/forms/${form}/schema?dry_run=true`;
    expect((await reader.put(path, { fields: [] })).body.required_permission).toBe("schema:write");
    expect((await reader.patch(path, {})).status).toBe(403);
  });
});
