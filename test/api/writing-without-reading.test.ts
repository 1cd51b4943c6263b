import { describe, expect, it } from "vitest";
import type { Json } from "../support/client";
import { client, makeApp, makeForm } from "../support/service";

describe("Credentials that may write but not read", () => {
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
  const ignoredWarning = { field: "begins_with_h", code: "computed_value_ignored" };
  const failedWarning = { field: "begins_with_h", code: "formula_failed" };

  it("get no formula_failed warning, because it would reveal values that they cannot read", async () => {
    const reader = await client();
    const form = await makeForm(reader, [secret, note]);
    const { body } = await reader.post(`/forms/${form}/submissions`, {
      data: { secret: "hunter2" },
    });
    const writer = await client({ permissions: ["submissions:write", "schema:write"] });
    expect((await writer.put(`/forms/${form}/schema`, { fields })).status).toBe(200);
    const path = `/submissions/${body.id}`;
    for (const data of [{}, { note: "x" }]) {
      expect((await writer.patch(path, { data })).body).not.toHaveProperty("warnings");
    }
    const patched = await writer.patch(path, { data: { begins_with_h: 2 } });
    expect(patched.body.warnings).toEqual([ignoredWarning]);
    expect((await reader.patch(path, { data: {} })).body.warnings).toEqual([failedWarning]);
  });

  it("get no formula_failed warning for records either", async () => {
    const reader = await client();
    const app = await makeApp(reader, fields);
    const { body } = await reader.post(`/apps/${app}/records`, { data: { secret: "hunter2" } });
    const writer = await client({ permissions: ["records:write"] });
    const patched = await writer.patch(`/apps/${app}/records/${body.id}`, { data: { note: "x" } });
    expect([patched.status, patched.body.warnings]).toEqual([200, undefined]);
  });

  it("returns no formula warning for a batch update or upsert of a stored item, nor for their replay", async () => {
    const all = await client();
    const code = { key: "code", type: "text", unique: true };
    const app = await makeApp(all, [...fields, code]);
    const path = `/apps/${app}/records`;
    const { body } = await all.post(path, { data: { secret: "hunter2", code: "a" } });
    const writer = await client({ permissions: ["records:write"] });
    const operations = [
      { op: "update", id: body.id, data: { note: "x" } },
      { op: "upsert", by: "code", data: { code: "a", note: "y", begins_with_h: 1 } },
    ];
    const send = () => writer.post(`${path}/batch`, { operations }, { "Idempotency-Key": "quiet" });
    for (const answer of [await send(), await send()]) {
      expect(answer.status).toBe(200);
      expect(answer.body.results.map(({ warnings }: Json) => warnings)).toEqual([
        undefined,
        [ignoredWarning],
      ]);
    }
    const read = await all.post(`${path}/batch`, { operations: operations.slice(0, 1) });
    expect(read.body.results[0].warnings).toEqual([failedWarning]);
    const own = { op: "upsert", by: "code", data: { code: "b", secret: "hello" } };
    const created = await writer.post(`${path}/batch`, { operations: [own] });
    expect(created.body.results[0].warnings).toEqual([failedWarning]);
  });
});
