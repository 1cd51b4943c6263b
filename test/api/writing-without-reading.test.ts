import { describe, expect, it } from "vitest";
import { client, makeApp, makeForm } from "../support/service";

describe("Who may write and not read", () => {
  const secret = { key: "secret", type: "text" };
  const note = { key: "note", type: "text" };
  const guess = (letter: string) => ({
    key: `begins_with_${letter}`,
    type: "computed",
    result: "number",
    formula: `secret.startsWith("${letter}") ? 1 / 0 : 1`,
    searchable: false,
  });
  const fields = [secret, note, guess("g"), guess("h"), guess("i")];
  const ignored = { field: "begins_with_h", code: "computed_value_ignored" };
  const failed = { field: "begins_with_h", code: "formula_failed" };

  it("is told of no formula that fails, since what it fails on is what it may not read", async () => {
    const all = await client();
    const form = await makeForm(all, [secret, note]);
    const { body } = await all.post(`/forms/${form}/submissions`, { data: { secret: "hunter2" } });
    const writer = await client({ permissions: ["submissions:write", "schema:write"] });
    expect((await writer.put(`/forms/${form}/schema`, { fields })).status).toBe(200);
    const path = `/submissions/${body.id}`;
    for (const data of [{}, { note: "x" }]) {
      expect((await writer.patch(path, { data })).body).not.toHaveProperty("warnings");
    }
    const sent = await writer.patch(path, { data: { begins_with_h: 2 } });
    expect(sent.body.warnings).toEqual([ignored]);
    expect((await all.patch(path, { data: {} })).body.warnings).toEqual([failed]);
  });

  it("so for records", async () => {
    const all = await client();
    const app = await makeApp(all, fields);
    const { body } = await all.post(`/apps/${app}/records`, { data: { secret: "hunter2" } });
    const writer = await client({ permissions: ["records:write"] });
    const patched = await writer.patch(`/apps/${app}/records/${body.id}`, { data: { note: "x" } });
    expect([patched.status, patched.body.warnings]).toEqual([200, undefined]);
  });
});
