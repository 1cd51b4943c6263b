import { ulid } from "ulid";
import { beforeAll, describe, expect, it } from "vitest";
import { findCollection } from "../../src/store/data/collections.ts";
import { everyItem, type Client, type Json } from "../support/client";
import { client, makeApp, makeForm } from "../support/service";
import { dataHandle, dataDb } from "../support/databases";

const fields = [{ key: "a", type: "text" }];
const digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const numberIn = (id: string) =>
  Array.from(id.slice(4 + 10, 4 + 16), (digit) => digits.indexOf(digit)).reduce(
    (sum, digit) => sum * 32 + digit,
  );

describe("Item IDs", () => {
  let integrator: Client;
  let app: string;
  let form: string;
  let collectionIds: Record<string, number>;
  beforeAll(async () => {
    integrator = await client();
    [app, form] = [await makeApp(integrator, fields), await makeForm(integrator, fields)];
    const collections = [
      await findCollection(dataHandle, "app", app),
      await findCollection(dataHandle, "form", form),
    ];
    collectionIds = {
      [app]: collections[0]?.collection.id ?? 0,
      [form]: collections[1]?.collection.id ?? 0,
    };
  });
  const create = async (): Promise<Json> => {
    const { body } = await integrator.post(`/forms/${form}/submissions`, { data: { a: "x" } });
    return body;
  };

  it("contain the creation time and the collection of an item, created singly or by a batch", async () => {
    const before = Date.now();
    await integrator.post(`/apps/${app}/records`, { data: { a: "x" } });
    const operations = Array.from({ length: 100 }, () => ({ op: "create", data: { a: "y" } }));
    await integrator.post(`/apps/${app}/records/batch`, { operations });
    await create();
    const records = await everyItem(integrator, `/apps/${app}/records`);
    const submissions = await everyItem(integrator, `/forms/${form}/submissions`);
    for (const { id } of records) expect(id).toMatch(/^rec_[0-9A-HJKMNP-TV-Z]{26}$/);
    for (const { id } of submissions) expect(id).toMatch(/^sub_[0-9A-HJKMNP-TV-Z]{26}$/);
    expect(new Set(records.map(({ id }) => numberIn(id)))).toEqual(new Set([collectionIds[app]]));
    expect(new Set(submissions.map(({ id }) => numberIn(id)))).toEqual(
      new Set([collectionIds[form]]),
    );
    expect(new Set(records.map(({ id }) => id)).size).toBe(101);
    for (const { id } of records) {
      expect(id.slice(4, 14) >= ulid(before).slice(0, 10)).toBe(true);
      expect(id.slice(4, 14) <= ulid(Date.now()).slice(0, 10)).toBe(true);
    }
  });

  it("without a collection, from older versions, still work in every operation", async () => {
    const { id } = await create();
    const oldId = `sub_${ulid(Date.parse("2026-03-01T00:00:00Z"))}`;
    await dataDb.batch(
      [
        "update item set id = ?1 where id = ?2",
        "update change set item_id = ?1 where item_id = ?2",
      ].map((text) => dataDb.prepare(text).bind(oldId, id)),
    );
    const path = `/submissions/${oldId}`;
    expect((await integrator.get(path)).body.id).toBe(oldId);
    const results = await integrator.post(`/forms/${form}/submissions/search`, {
      conditions: [{ field: "$id", op: "in", value: [oldId, id] }],
    });
    expect(results.body.items.map((item: Json) => item.id)).toEqual([oldId]);
    expect((await integrator.patch(path, { data: { a: "z" } })).body.version).toBe(2);
    const update = { op: "update", id: oldId, data: { a: "zz" } };
    const batch = await integrator.post(`/forms/${form}/submissions/batch`, {
      operations: [update],
    });
    expect(batch.body.results[0]).toMatchObject({ id: oldId, outcome: "updated" });
    expect((await integrator.delete(path)).status).toBe(204);
    expect((await integrator.get(path)).status).toBe(404);
  });

  it("return 404 for items of another collection and for forged IDs", async () => {
    const record = await integrator.post(`/apps/${app}/records`, { data: { a: "x" } });
    const otherApp = await makeApp(integrator, fields);
    await integrator.post(`/apps/${otherApp}/records`, { data: { a: "x" } });
    const { id } = record.body;
    const forged = `${id.slice(0, -1)}${id.endsWith("0") ? "1" : "0"}`;
    for (const path of [`/apps/${otherApp}/records/${id}`, `/apps/${app}/records/${forged}`]) {
      expect((await integrator.get(path)).status).toBe(404);
      expect((await integrator.patch(path, { data: { a: "y" } })).status).toBe(404);
    }
    const search = { conditions: [{ field: "$id", op: "eq", value: id }] };
    const otherResults = await integrator.post(`/apps/${otherApp}/records/search`, search);
    expect(otherResults.body.items).toEqual([]);
    expect((await integrator.get(`/submissions/${id}`)).status).toBe(404);
  });
});
