import { beforeAll, describe, expect, it } from "vitest";
import { runBackfill } from "../../src/actions/backfill.ts";
import { putDefinition } from "../../src/actions/definitions.ts";
import { sweepStorage } from "../../src/schedule.ts";
import { actionContext } from "../support/action-context";
import { host, type Client, type Json } from "../support/client";
import { client, issue, makeForm } from "../support/service";
import { dataDb } from "../support/databases";
import { background } from "../support/serve";

const text = (key: string, rules: object = {}) => ({ key, type: "text", ...rules });
const large = text("large", { max_length: 100_000, searchable: false });
const unique = { unique: true };

describe("A definition change that scans more items than one step can", () => {
  let integrator: Client;
  beforeAll(async () => {
    integrator = await client();
  });
  /** Makes nine items of nearly 1 MB each, more than one step of the backfill can scan. */
  const makeLarge = async (fields: object[], values: (index: number) => object) => {
    const largeFields = Array.from({ length: 9 }, (_, i) => ({ ...large, key: `large${i}` }));
    const allFields = [...fields, ...largeFields];
    const form = await makeForm(integrator, allFields);
    const dataWith = (filler: string, index: number) => ({
      ...Object.fromEntries(largeFields.map(({ key }) => [key, filler])),
      ...values(index),
    });
    const first = { data: dataWith("x".repeat(99_000), 0) };
    const { id } = (await integrator.post(`/forms/${form}/submissions`, first)).body;
    // Only the first item is sent at full size, which takes long. The others grow in the database.
    const operations = Array.from({ length: 8 }, (_, index) => ({
      op: "create",
      data: dataWith("filler", index + 1),
    }));
    const { body } = await integrator.post(`/forms/${form}/submissions/batch`, { operations });
    await dataDb
      .prepare(
        `UPDATE item SET data = replace(data, '"filler"', '"' || hex(zeroblob(49500)) || '"')
          WHERE collection_id = (SELECT id FROM collection WHERE key = ?)`,
      )
      .bind(form)
      .run();
    const ids: string[] = [id, ...body.results.map((result: Json) => result.id)];
    return { form, ids, largeFields };
  };
  const put = (form: string, fields: object[]) =>
    putDefinition(actionContext, "form", form, { fields }, { ifMatch: null, ifNoneMatch: null });
  const schema = async (form: string): Promise<Json> =>
    (await integrator.get(`/forms/${form}/schema`)).body;
  const create = (form: string, data: object) =>
    integrator.post(`/forms/${form}/submissions`, { data });

  it("returns 202 with the current definition, and applies the new one after the last item is scanned", async () => {
    const { form, largeFields } = await makeLarge([text("code")], (index) => ({
      code: `c${index}`,
    }));
    const fields = [text("code", unique), ...largeFields];
    const answer = await integrator.put(`/forms/${form}/schema`, { fields });
    expect([answer.status, answer.body.schema_version]).toEqual([202, 1]);
    expect(answer.body.fields[0].unique).toBe(false);
    expect(answer.body.pending).toEqual({ schema_version: 2, done: expect.any(Number), total: 9 });
    await runBackfill(background());
    const after = await integrator.get(`/forms/${form}/schema`);
    expect([after.body.schema_version, after.body.fields[0].unique]).toEqual([2, true]);
    expect("pending" in after.body).toBe(false);
    expect(after.etag).not.toBe(answer.etag);
    expect((await create(form, { code: "c3" })).body).toMatchObject({
      code: "duplicate",
      field: "code",
    });
  });

  it("is dropped with a 409 when a credential gets a view that it removes", async () => {
    const { form, largeFields } = await makeLarge([text("code")], (index) => ({
      code: `c${index}`,
    }));
    const path = `/forms/${form}/schema`;
    const views = [{ key: "codes", name: "Codes", fields: ["code"] }];
    expect((await integrator.patch(path, { views })).status).toBe(200);
    const body = { fields: [text("code", unique), ...largeFields], views: [] };
    const always = { ifMatch: null, ifNoneMatch: null };
    expect((await putDefinition(actionContext, "form", form, body, always)).outcome).toBe(
      "pending",
    );
    await issue({ permissions: ["submissions:read"], resources: [`form:${form}/codes`] });
    await runBackfill(background());
    const after = await schema(form);
    const { problem } = after.pending;
    expect([problem.status, problem.code]).toEqual([409, "schema_in_use"]);
    expect(after.views.map(({ key }: Json) => key)).toEqual(["codes"]);
  });

  it("enforces the new unique rule on concurrent writes, whether or not an item has been scanned", async () => {
    const { form, ids, largeFields } = await makeLarge([text("code")], (index) => ({
      code: `c${index}`,
    }));
    expect((await put(form, [text("code", unique), ...largeFields])).outcome).toBe("pending");
    const created = await create(form, { code: "new" });
    expect(created.status).toBe(201);
    expect((await create(form, { code: "new" })).body).toMatchObject({
      code: "duplicate",
      id: created.body.id,
    });
    const update = await integrator.patch(`/submissions/${ids[0]}`, { data: { code: "moved" } });
    expect(update.status).toBe(200);
    const otherUpdate = await integrator.patch(`/submissions/${ids[1]}`, {
      data: { large1: "short" },
    });
    expect(otherUpdate.status).toBe(200);
    await integrator.delete(`/submissions/${ids[2]}`);
    expect((await create(form, { code: "moved" })).status).toBe(409);
    expect((await create(form, { code: "c0" })).status).toBe(201);
    expect((await create(form, { code: "c2" })).status).toBe(201);
    expect((await schema(form)).pending).toMatchObject({ done: 0, total: 9 });
    await runBackfill(background());
    expect((await schema(form)).schema_version).toBe(2);
    const takenCodes = ["new", "moved", "c0", "c1", "c2", "c3", "c8"];
    for (const code of takenCodes)
      expect([code, (await create(form, { code })).status]).toEqual([code, 409]);
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => create(form, { code: "race" })),
    );
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(1);
  });

  it("is dropped when an item violates it, and the schema shows the 409 problem until the next PUT", async () => {
    const { form, ids, largeFields } = await makeLarge([text("code")], (index) => ({
      code: `c${index % 8}`,
    }));
    const definition = [text("code", unique), ...largeFields];
    const before = await schema(form);
    await put(form, definition);
    await runBackfill(background());
    const { pending, ...current } = await schema(form);
    expect(current).toEqual(before);
    expect(pending.problem).toMatchObject({
      type: `${host}/problems/schema_in_use`,
      status: 409,
      code: "schema_in_use",
      field: "code",
    });
    expect(pending.problem.items.toSorted()).toEqual([ids[0], ids[8]].toSorted());
    expect((await create(form, { code: "c1" })).status).toBe(201);
    await integrator.put(`/forms/${form}/schema`, before);
    expect(await schema(form)).toEqual(before);
    // The same change succeeds after the items are fixed. The sweep removes what the dropped one left behind.
    for (const [index, id] of ids.entries()) {
      await integrator.patch(`/submissions/${id}`, { data: { code: `d${index}` } });
    }
    await put(form, definition);
    await runBackfill(background());
    expect((await schema(form)).schema_version).toBe(2);
    await sweepStorage(background(), Date.now());
    const remaining = await dataDb.prepare("SELECT count(*) n FROM former_unique").first<{
      n: number;
    }>();
    expect(remaining?.n).toBe(0);
    expect((await create(form, { code: "d5" })).status).toBe(409);
  });

  it("continues when the same document is sent again, and is replaced by a different one", async () => {
    const { form, largeFields } = await makeLarge([text("a"), text("b")], (index) => ({
      a: `${index}`,
    }));
    await put(form, [text("a", unique), text("b"), ...largeFields]);
    const startedSchema = await integrator.get(`/forms/${form}/schema`);
    expect((await put(form, [text("a", unique), text("b"), ...largeFields])).outcome).toBe(
      "pending",
    );
    expect((await integrator.get(`/forms/${form}/schema`)).etag).toBe(startedSchema.etag);
    expect((await put(form, [text("a"), text("b", unique), ...largeFields])).outcome).toBe(
      "pending",
    );
    expect((await create(form, { a: "0" })).status).toBe(201);
    await runBackfill(background());
    expect(
      (await schema(form)).fields.map((field: Json) => field.unique ?? false).slice(0, 2),
    ).toEqual([false, true]);
  });

  it("changes the types of 400 fields in steps, and rejects values of the old type with 409", async () => {
    const fieldsOfType = (type: string) =>
      Array.from({ length: 400 }, (_, i) => ({ key: `f${i}`, type }));
    const form = await makeForm(integrator, [...fieldsOfType("text"), text("t")]);
    for (let i = 0; i < 60; i += 1) await create(form, { t: `${i}` });
    expect((await put(form, [...fieldsOfType("number"), text("t")])).outcome).toBe("pending");
    const rejection = await create(form, { f7: "a value" });
    expect(rejection.body).toMatchObject({ status: 409, code: "schema_in_use", field: "f7" });
    expect((await create(form, { t: "more" })).status).toBe(201);
    await runBackfill(background());
    expect((await schema(form)).schema_version).toBe(2);
    expect((await create(form, { f7: 5 })).body.data.f7).toBe(5);
    await put(form, [...fieldsOfType("text"), text("t")]);
    await runBackfill(background());
    expect((await schema(form)).pending.problem).toMatchObject({
      code: "schema_in_use",
      field: "f7",
    });
  });
});
