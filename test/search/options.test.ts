import { beforeAll, describe, expect, it } from "vitest";
import { findCollection } from "../../src/store/data/collections.ts";
import type { Client, Json } from "../support/client";
import { counted } from "../support/counting";
import { client, makeForm } from "../support/service";
import { dataDb, dataHandle } from "../support/databases";

const select = (key: string, ...values: string[]) => ({
  key,
  type: "select",
  options: values.map((value) => ({ value })),
});
const fields = (...values: string[]) => [
  select("kind", ...values),
  { ...select("tags", ...values), type: "multi_select" },
  { key: "lines", type: "line_items", fields: [select("mark", ...values)] },
];

describe("Operands that are options", () => {
  const { fetch, counts, reset } = counted();
  let integrator: Client;
  beforeAll(async () => {
    integrator = (await client()).through(fetch);
  });
  const search = (form: string, ...conditions: Json[]) =>
    integrator.post(`/forms/${form}/submissions/search`, { conditions });
  const create = async (form: string, data: Json) =>
    expect((await integrator.post(`/forms/${form}/submissions`, { data })).status).toBe(201);
  const define = async (form: string, ...values: string[]) =>
    expect(
      (await integrator.put(`/forms/${form}/schema`, { fields: fields(...values) })).status,
    ).toBe(200);
  const byKind = (value: string) => ({ field: "kind", op: "eq", value });

  it("return 422 `invalid_condition` that names the options for values that never were options", async () => {
    const form = await makeForm(integrator, fields("a", "b"));
    await create(form, { kind: "a" });
    const { status, body } = await search(
      form,
      { field: "kind", op: "ne", value: "x" },
      { field: "tags", op: "has_any", value: ["a", "y"] },
      { field: "lines", op: "any", value: [{ field: "mark", op: "in", value: ["z"] }] },
    );
    expect(status).toBe(422);
    expect(body.errors.map(({ pointer, code }: Json) => [pointer, code])).toEqual([
      ["/conditions/0/value", "invalid_condition"],
      ["/conditions/1/value/1", "invalid_condition"],
      ["/conditions/2/value/0/value/0", "invalid_condition"],
    ]);
    expect(body.errors[0].allowed).toEqual(["a", "b"]);
    expect(body.errors[0].reason).toBe('"x" is not an option of "kind". The options are "a", "b".');
  });

  it("return 422 with all errors at once", async () => {
    const form = await makeForm(integrator, fields("a"));
    const { body } = await search(form, byKind("x"), { field: "no", op: "eq", value: "a" });
    expect(body.errors.map(({ pointer }: Json) => pointer).toSorted()).toEqual([
      "/conditions/0/value",
      "/conditions/1/field",
    ]);
  });

  it("return 422 for a `$status` that does not exist", async () => {
    const form = await makeForm(integrator, fields("a"));
    const { status, body } = await search(form, {
      field: "$status",
      op: "in",
      value: ["draft", "open"],
    });
    expect([status, body.errors[0].pointer]).toEqual([422, "/conditions/0/value/1"]);
    expect(body.errors[0].allowed).toEqual(["draft", "submitted", "closed"]);
    expect((await search(form, { field: "$status", op: "eq", value: "closed" })).status).toBe(200);
  });

  it("return 200 for former options, whether or not an item has them", async () => {
    const form = await makeForm(integrator, fields("a", "b", "c"));
    await create(form, { kind: "b", tags: ["b"], lines: [{ mark: "b" }] });
    await define(form, "a");
    await define(form, "a", "d");
    for (const [value, found] of [
      ["b", 1],
      ["c", 0],
    ] as const) {
      const conditions: Json[] = [
        byKind(value),
        { field: "tags", op: "has_all", value: [value] },
        { field: "lines", op: "any", value: [{ field: "mark", op: "eq", value }] },
      ];
      for (const condition of conditions) {
        const { status, body } = await search(form, condition);
        expect([status, body.items.length]).toEqual([200, found]);
      }
    }
    const schema = await integrator.get(`/forms/${form}/schema`);
    expect(schema.text).not.toContain("ormer");
  });

  it("return 200 for options that were removed before definitions recorded them, while an item has them", async () => {
    const form = await makeForm(integrator, fields("a", "b"));
    await create(form, { kind: "b" });
    await define(form, "a");
    const id = (await findCollection(dataHandle, "form", form))?.collection.id ?? 0;
    const forget = dataDb.prepare(
      "update collection set fields = json_remove(fields, '$.fields[0].formerOptions'), updated_at = updated_at + 1 where id = ?",
    );
    await forget.bind(id).run();
    // The first search refreshes the cached definition.
    await search(form);
    reset();
    const { status, body } = await search(form, byKind("b"));
    expect([status, body.items.length]).toEqual([200, 1]);
    // The look-up shares the round trip of the page.
    expect(counts.d1).toBe(1);
    expect((await search(form, byKind("x"))).status).toBe(422);
  });

  it("return 200 for an option that another isolate has just added", async () => {
    const form = await makeForm(integrator, fields("a"));
    await search(form, byKind("a"));
    const id = (await findCollection(dataHandle, "form", form))?.collection.id ?? 0;
    const change = dataDb.prepare(
      `update collection set updated_at = updated_at + 1,
        fields = json_set(fields, '$.fields[0].options', json('[{"value":"n","label":"n"}]')) where id = ?`,
    );
    await change.bind(id).run();
    expect((await search(form, byKind("n"))).status).toBe(200);
  });

  it("keep a definition small whose options change again and again", async () => {
    const form = await makeForm(integrator, [select("kind", "a")]);
    for (let turn = 0; turn < 4; turn += 1) {
      const values = Array.from(
        { length: 500 },
        (_, index) => `${turn}-${index}-${"v".repeat(90)}`,
      );
      const put = await integrator.put(`/forms/${form}/schema`, {
        fields: [select("kind", ...values)],
      });
      expect(put.status).toBe(200);
    }
    const current = await findCollection(dataHandle, "form", form);
    expect(current?.bytes).toBeLessThan(260_000);
    const newest = `2-499-${"v".repeat(90)}`;
    expect((await search(form, byKind(newest))).status).toBe(200);
    // Items may have options that the definition no longer knows, so the document cannot list what a search accepts.
    const { components } = (await integrator.get(`/forms/${form}/openapi.json`)).body;
    const [, condition] =
      Object.entries<Json>(components.schemas).find(([name]) =>
        name.endsWith("KindOptionCondition"),
      ) ?? [];
    expect(condition.properties.value).not.toHaveProperty("enum");
    expect(condition.properties.value).toHaveProperty("type", "string");
  });
});
