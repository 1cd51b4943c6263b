import { beforeAll, describe, expect, it } from "vitest";
import type { Client, Json } from "../support/client";
import { admin, client, makeApp } from "../support/service";

let owner: Client;

const create = async (app: string, data: object): Promise<Json> => {
  const { status, body } = await owner.post(`/apps/${app}/records`, { data });
  expect(status).toBe(201);
  return body;
};
const reference = (key: string, app: string) => ({ key, type: "reference", app });
const leaf = (field: string, op: string, value: unknown) => ({ field, op, value });

beforeAll(async () => {
  owner = await client();
});

describe("A reference to a record that was erased", () => {
  let customers: string;
  let orders: string;
  let gone: string;
  const kept: string[] = [];

  /** Orders 0 and 1 refer to an erased customer, 0 directly and 1 in a line. Order 2 refers to another one. */
  beforeAll(async () => {
    customers = await makeApp(owner, [{ key: "name", type: "text" }]);
    const lines = { key: "lines", type: "line_items", fields: [reference("payer", customers)] };
    orders = await makeApp(owner, [reference("customer", customers), lines]);
    const [erased, stays] = [
      await create(customers, { name: "Yamada" }),
      await create(customers, { name: "Yamada" }),
    ];
    for (const data of [
      { customer: erased.id },
      { lines: [{ payer: erased.id }] },
      { customer: stays.id },
    ])
      kept.push((await create(orders, data)).id);
    gone = erased.id;
    await admin("POST", `/apps/${customers}/items/${gone}/erase`, {});
  });

  const found = async (...conditions: object[]) => {
    const { status, body } = await owner.post(`/apps/${orders}/records/search`, { conditions });
    expect(status).toBe(200);
    return body.items.map(({ id }: Json) => kept.indexOf(id)).toSorted();
  };
  const matches = (...conditions: object[]) => leaf("customer", "matches", conditions);

  it("is met by no condition of `matches`, not even by negative ones", async () => {
    for (const condition of [
      leaf("name", "eq", "Yamada"),
      leaf("name", "ne", "Sato"),
      leaf("name", "is_empty", false),
      { not: leaf("name", "eq", "Sato") },
    ])
      expect([condition, await found(matches(condition))]).toEqual([condition, [2]]);
    expect(await found(matches(leaf("$id", "eq", gone)))).toEqual([]);
    expect(await found({ not: matches(leaf("name", "eq", "Yamada")) })).toEqual([0, 1]);
    const inRow = leaf("payer", "matches", [leaf("name", "ne", "Sato")]);
    expect(await found(leaf("lines", "any", [inRow]))).toEqual([]);
  });

  it("keeps its ID, by which searches and groups find it", async () => {
    expect(await found(leaf("customer", "eq", gone))).toEqual([0]);
    expect(await found(leaf("customer", "is_empty", false))).toEqual([0, 2]);
    expect(await found(leaf("lines", "any", [leaf("payer", "eq", gone)]))).toEqual([1]);
    const { body } = await owner.post(`/apps/${orders}/records/aggregate`, {
      conditions: [leaf("customer", "eq", gone)],
      group_by: [{ field: "customer" }],
      metrics: { orders: { op: "count" } },
    });
    expect(body.groups).toEqual([{ key: { customer: gone }, metrics: { orders: 1 } }]);
  });

  it("expands to nothing", async () => {
    const { body } = await owner.get(`/apps/${orders}/records?expand=customer,lines.payer`);
    const names = body.items.map(({ data }: Json) => data.customer);
    expect(names).toContain(gone);
    expect(Object.keys(body.included)).toEqual(names.filter((id: unknown) => id && id !== gone));
  });
});

describe("expand reaches its limits:", () => {
  it("five references are expanded, each record once", async () => {
    const customers = await makeApp(owner, [{ key: "name", type: "text" }]);
    const keys = ["a", "b", "c", "d", "e"];
    const orders = await makeApp(
      owner,
      [...keys, "f"].map((key) => reference(key, customers)),
    );
    const people: Json[] = [];
    for (const name of [...keys, "f"]) people.push(await create(customers, { name }));
    const data = Object.fromEntries([...keys, "f"].map((key, index) => [key, people[index].id]));
    const { id } = await create(orders, data);
    await create(orders, { a: people[1].id, b: people[0].id });
    for (const path of [`/${id}`, "", "?limit=1"]) {
      const separator = path.includes("?") ? "&" : "?";
      const list = `/apps/${orders}/records${path}${separator}expand=${keys.join()}`;
      const { status, body } = await owner.get(list);
      const names = Object.values<Json>(body.included).map((record) => record.data.name);
      expect([path, status, names.toSorted()]).toEqual([path, 200, keys]);
    }
    const six = await owner.get(`/apps/${orders}/records?expand=${[...keys, "f"].join()}`);
    expect([six.status, six.body.errors[0].code]).toEqual([422, "too_complex"]);
    const twice = await owner.get(`/apps/${orders}/records/${id}?expand=a,a`);
    expect(Object.keys(twice.body.included)).toEqual([people[0].id]);
  });

  it("a page ends before the item that would bring more than 4 MB of records", async () => {
    const texts = Array.from({ length: 9 }, (_, index) => `t${index}`);
    const wide = texts.map((key) => ({ key, type: "multiline_text", max_length: 100_000 }));
    const documents = await makeApp(owner, wide);
    const cases = await makeApp(owner, [reference("document", documents)]);
    const large = Object.fromEntries(texts.map((key) => [key, "x".repeat(100_000)]));
    for (let index = 0; index < 5; index += 1) {
      const { id } = await create(documents, large);
      await create(cases, { document: id });
    }
    const first = await owner.get(`/apps/${cases}/records?expand=document`);
    expect([first.body.items.length, Object.keys(first.body.included).length]).toEqual([4, 4]);
    const second = await owner.get(first.body.links.next);
    expect([second.body.items.length, Object.keys(second.body.included).length]).toEqual([1, 1]);
    expect(second.body.links.next).toBeNull();
    const plain = await owner.get(`/apps/${cases}/records`);
    expect(plain.body.items).toHaveLength(5);
  });
});
