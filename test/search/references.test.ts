import { beforeAll, describe, expect, it } from "vitest";
import type { Client, Json } from "../support/client";
import { counted } from "../support/counting";
import { client, makeApp, makeForm } from "../support/service";

let owner: Client;
let customers: string;
let products: string;
let orders: string;
const people: Json[] = [];
const goods: Json[] = [];
const placed: Json[] = [];

const create = async (app: string, data: object): Promise<Json> =>
  (await owner.post(`/apps/${app}/records`, { data })).body;

/** Order 0 to 5: customer 0, 1, 2, 0, 1 and none; products 0 and 1, 1 and 2, … */
beforeAll(async () => {
  owner = await client();
  customers = await makeApp(owner, [
    { key: "name", type: "text" },
    { key: "city", type: "text" },
    { key: "secret", type: "text", searchable: false },
    { key: "boss", type: "reference", app: await makeApp(owner) },
  ]);
  products = await makeApp(owner, [
    { key: "name", type: "text" },
    { key: "tags", type: "multi_select", options: [{ value: "a" }, { value: "b" }] },
  ]);
  orders = await makeApp(owner, [
    { key: "customer", type: "reference", app: customers },
    { key: "seller", type: "reference", app: customers, searchable: false },
    { key: "note", type: "text" },
    {
      key: "lines",
      type: "line_items",
      fields: [{ key: "product", type: "reference", app: products }],
    },
  ]);
  for (const [name, city] of [
    ["Yamada", "Kyōto"],
    ["Sato", "Osaka"],
    ["Weiß", "KÖLN"],
  ])
    people.push(await create(customers, { name, city }));
  for (const tags of [["a"], ["b"], ["a", "b"]])
    goods.push(await create(products, { name: `P${goods.length}`, tags }));
  for (let index = 0; index < 6; index += 1) {
    const lines = [index % 3, (index + 1) % 3].map((place) => ({ product: goods[place].id }));
    const customer = index === 5 ? null : people[index % 3].id;
    placed.push(await create(orders, { customer, seller: people[0].id, note: `n${index}`, lines }));
  }
});

const search = (body: object, caller = owner, query = "") =>
  caller.post(`/apps/${orders}/records/search${query}`, body);
const notes = async (...conditions: object[]): Promise<string> => {
  const answer = await search({ conditions, sort: [{ field: "note", direction: "asc" }] });
  expect([answer.status, answer.text]).toMatchObject([200, expect.any(String)]);
  return answer.body.items.map(({ data }: Json) => data.note.slice(1)).join("");
};
const leaf = (field: string, op: string, value: unknown) => ({ field, op, value });
const reader = (...apps: string[]) =>
  client({ permissions: ["records:read"], resources: apps.map((app) => `app:${app}`) });

describe("Conditions on a reference", () => {
  it("compare IDs", async () => {
    expect(await notes(leaf("customer", "eq", people[0].id))).toBe("03");
    expect(await notes(leaf("customer", "ne", people[0].id))).toBe("1245");
    expect(await notes(leaf("customer", "in", [people[1].id, people[2].id]))).toBe("124");
    expect(await notes(leaf("customer", "not_in", [people[1].id]))).toBe("0235");
    expect(await notes(leaf("customer", "is_empty", true))).toBe("5");
    const rows = [leaf("product", "eq", goods[0].id)];
    expect(await notes(leaf("lines", "any", rows))).toBe("0235");
    expect(await notes(leaf("lines", "none", rows))).toBe("14");
  });

  it("refuse operands that are no IDs, and other operators", async () => {
    const wrong = [
      leaf("customer", "eq", "CUS-000001"),
      leaf("customer", "eq", { name: "Yamada" }),
      leaf("customer", "in", ["x"]),
      leaf("customer", "contains", "rec"),
      leaf("customer", "matches", {}),
      leaf("customer", "matches", []),
      leaf("note", "matches", [leaf("name", "eq", "x")]),
      leaf("seller", "eq", people[0].id),
    ];
    for (const condition of wrong) {
      const { status, body } = await search({ conditions: [condition] });
      expect([condition, status, body.errors?.[0].code]).toEqual([
        condition,
        422,
        "invalid_condition",
      ]);
    }
  });

  it("sort by ID, empty ones last", async () => {
    const sort = [{ field: "customer", direction: "desc" }];
    const { body } = await search({ sort });
    const ids = body.items.map(({ data }: Json) => data.customer);
    const sorted = ids
      .filter((id: string | null) => id !== null)
      .toSorted()
      .toReversed();
    expect(ids).toEqual([...sorted, null]);
  });
});

describe("matches", () => {
  const matches = (...conditions: object[]) => leaf("customer", "matches", conditions);

  it("selects items by the fields of the record, with all groups and operators", async () => {
    expect(await notes(matches(leaf("name", "eq", "Yamada")))).toBe("03");
    expect(await notes(matches(leaf("city", "contains", "öln")))).toBe("2");
    expect(await notes(matches(leaf("name", "starts_with", "WEISS")))).toBe("2");
    expect(await notes({ not: matches(leaf("name", "eq", "Yamada")) })).toBe("1245");
    const either = { any: [leaf("name", "eq", "Sato"), leaf("$id", "eq", people[2].id)] };
    expect(await notes(matches(either))).toBe("124");
    expect(await notes(matches(leaf("name", "ne", "Sato"), leaf("city", "ne", "KÖLN")))).toBe("03");
    expect(await notes(matches(leaf("boss", "is_empty", true)), leaf("note", "eq", "n1"))).toBe(
      "1",
    );
    const tagged = leaf("product", "matches", [leaf("tags", "has_all", ["a", "b"])]);
    expect(await notes(leaf("lines", "any", [tagged]))).toBe("1245");
    expect(await notes(leaf("lines", "any", [tagged]), matches(leaf("name", "eq", "Sato")))).toBe(
      "14",
    );
  });

  it("selects the items of an aggregate, in one round trip", async () => {
    const { fetch, counts, reset } = counted();
    const counting = owner.through(fetch);
    const ask = (...conditions: object[]) =>
      counting.post(`/apps/${orders}/records/aggregate`, {
        conditions,
        group_by: [{ field: "customer" }],
        metrics: { orders: { op: "count" } },
      });
    await ask(matches(leaf("name", "eq", "Yamada")));
    reset();
    const { status, body } = await ask(matches(leaf("name", "eq", "Yamada")));
    const group = { key: { customer: people[0].id }, metrics: { orders: 2 } };
    expect([status, body.groups]).toEqual([200, [group]]);
    expect([counts.object, counts.d1]).toEqual([1, 1]);
    const tagged = leaf("product", "matches", [leaf("tags", "has_all", ["a", "b"])]);
    const rows = await ask(leaf("lines", "any", [tagged]), {
      not: matches(leaf("name", "eq", "Sato")),
    });
    expect(rows.body.groups.map(({ key }: Json) => key.customer)).toEqual([people[2].id, null]);
    const unknown = await ask(matches(leaf("nothing", "eq", 1)));
    expect([unknown.status, unknown.body.errors[0].pointer]).toEqual([
      422,
      "/conditions/0/value/0/field",
    ]);
    const narrow = await reader(orders);
    const refused = await narrow.post(`/apps/${orders}/records/aggregate`, {
      conditions: [matches(leaf("name", "eq", "Yamada"))],
      metrics: { orders: { op: "count" } },
    });
    expect([refused.status, refused.body.errors[0].code]).toEqual([422, "invalid_condition"]);
  });

  it("reaches one level, searchable fields and the limits of a search", async () => {
    const nested = matches(leaf("boss", "matches", [leaf("title", "eq", "x")]));
    const many = matches({ any: Array.from({ length: 50 }, () => leaf("name", "eq", "x")) });
    for (const [condition, code] of [
      [nested, "invalid_condition"],
      [matches(leaf("secret", "eq", "x")), "invalid_condition"],
      [matches(leaf("nothing", "eq", "x")), "invalid_condition"],
      [many, "too_complex"],
    ] as const) {
      const { status, body } = await search({ conditions: [condition] });
      expect([status, body.errors?.[0].code]).toEqual([422, code]);
    }
  });

  it("is refused to callers that may not read the app, the same whatever it contains", async () => {
    const narrow = await reader(orders);
    const answers = await Promise.all(
      [matches(leaf("name", "eq", "Yamada")), matches(leaf("nothing", "eq", 1))].map(
        async (condition) => {
          const { status, body } = await search({ conditions: [condition] }, narrow);
          return [status, body.errors.map(({ code, reason }: Json) => [code, reason])];
        },
      ),
    );
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]?.[0]).toBe(422);
    const writer = await client({
      permissions: ["submissions:read", "records:create"],
      resources: "all",
    });
    const form = await makeForm(owner, [{ key: "customer", type: "reference", app: customers }]);
    const { status } = await writer.post(`/forms/${form}/submissions/search`, {
      conditions: [matches(leaf("name", "eq", "Yamada"))],
    });
    expect(status).toBe(422);
  });

  it("sees a changed definition of the app at once", async () => {
    const path = `/apps/${customers}/schema`;
    const { body: schema } = await owner.get(path);
    const rename = (from: string, to: string) =>
      owner.put(path, {
        fields: schema.fields.map((field: Json) =>
          field.key === "city" ? { ...field, key: to, renamed_from: from } : field,
        ),
      });
    await rename("city", "town");
    const total = await owner.post(`/apps/${orders}/records/aggregate`, {
      conditions: [matches(leaf("town", "eq", "Osaka"))],
      metrics: { orders: { op: "count" } },
    });
    expect([total.status, total.body.groups?.[0].metrics]).toEqual([200, { orders: 2 }]);
    expect(await notes(matches(leaf("town", "eq", "Osaka")))).toBe("14");
    await rename("town", "city");
    expect(await notes(matches(leaf("city", "eq", "Osaka")))).toBe("14");
  });
});

describe("expand", () => {
  const idsIn = (body: Json) => Object.keys(body.included).toSorted();
  const sortedIds = (...records: Json[]) => records.map(({ id }) => id).toSorted();

  it("includes each record once, on one item, lists and searches", async () => {
    const one = await owner.get(
      `/apps/${orders}/records/${placed[0].id}?expand=customer,lines.product`,
    );
    expect(idsIn(one.body)).toEqual(sortedIds(people[0], goods[0], goods[1]));
    expect(one.body.included[people[0].id]).toEqual(people[0]);
    expect(one.body.data).toEqual(placed[0].data);
    const list = await owner.get(`/apps/${orders}/records?expand=customer&limit=2`);
    expect(idsIn(list.body)).toEqual(sortedIds(people[0], people[1]));
    expect(list.body.items.map(({ id }: Json) => id)).toEqual([placed[0].id, placed[1].id]);
    const next = await owner.get(list.body.links.next);
    expect(idsIn(next.body)).toEqual(sortedIds(people[2], people[0]));
    const found = await search({ expand: ["seller"], fields: ["note"] });
    expect(idsIn(found.body)).toEqual(sortedIds(people[0]));
    const byQuery = await search({}, owner, "?expand=lines.product");
    expect(idsIn(byQuery.body)).toEqual(sortedIds(...goods));
    const nobody = await search(
      { conditions: [leaf("note", "eq", "n5")] },
      owner,
      "?expand=customer",
    );
    expect(nobody.body.included).toEqual({});
  });

  it("works by receipt number, for submissions and with HEAD, and keeps the item's ETag", async () => {
    const path = `/apps/${orders}/records/${placed[1].receipt_number}?expand=customer`;
    const answer = await owner.get(path);
    expect([idsIn(answer.body), answer.etag]).toEqual([[people[1].id], '"1"']);
    const conditional = await owner.get(path, { "If-None-Match": answer.etag });
    expect([conditional.status, conditional.etag]).toEqual([200, '"1"']);
    expect((await owner.send("HEAD", path)).status).toBe(200);
    const form = await makeForm(owner, [{ key: "customer", type: "reference", app: customers }]);
    const { body } = await owner.post(`/forms/${form}/submissions`, {
      data: { customer: people[2].id },
    });
    const submission = await owner.get(`/submissions/${body.id}?expand=customer`);
    expect(idsIn(submission.body)).toEqual([people[2].id]);
    const submissions = await owner.get(`/forms/${form}/submissions?expand=customer`);
    expect(idsIn(submissions.body)).toEqual([people[2].id]);
  });

  it("returns 422 for what is no reference, for more than five and for downloads", async () => {
    for (const [names, code] of [
      ["note", "invalid_condition"],
      ["lines", "invalid_condition"],
      ["", "invalid_condition"],
      ["customer,nothing", "invalid_condition"],
      ["a,b,c,d,e,f", "too_complex"],
    ] as const) {
      for (const path of ["", `/${placed[0].id}`]) {
        const { status, body } = await owner.get(`/apps/${orders}/records${path}?expand=${names}`);
        expect([names, status, body.errors?.[0].code]).toEqual([names, 422, code]);
        // The query has no pointers.
        expect([body.errors[0].field, body.errors[0].pointer]).toEqual(["expand", undefined]);
      }
      expect((await search({ expand: names.split(",") })).body.errors[0].code).toBe(code);
    }
    const both = await search({ expand: ["customer"] }, owner, "?expand=seller");
    expect(both.body.errors[0].field).toBe("expand");
    const download = { Accept: "text/csv" };
    const csv = await owner.get(`/apps/${orders}/records?expand=customer`, download);
    expect([csv.status, csv.body.errors[0].code]).toEqual([422, "invalid_condition"]);
    const missing = await owner.get(`/apps/${orders}/records/ORD-999999?expand=nothing`);
    expect(missing.status).toBe(404);
    const unknown = await owner.get(`/apps/${orders}/records/${placed[0].id}?expand=customer&x=1`);
    expect(unknown.body.errors[0].code).toBe("unknown_parameter");
  });

  it("leaves out records that the caller may not read", async () => {
    const narrow = await reader(orders, products);
    const { body } = await narrow.get(`/apps/${orders}/records?expand=customer,lines.product`);
    expect(idsIn(body)).toEqual(sortedIds(...goods));
    const one = await narrow.get(`/apps/${orders}/records/${placed[0].id}?expand=customer`);
    expect(one.body.included).toEqual({});
    const found = await search({ expand: ["customer"] }, narrow);
    expect(found.body.included).toEqual({});
    const stranger = await reader(products);
    const plain = await stranger.get(`/apps/${orders}/records/${placed[0].id}`);
    const expanded = await stranger.get(`/apps/${orders}/records/${placed[0].id}?expand=customer`);
    expect([plain.status, expanded.status]).toEqual([404, 404]);
  });

  it("takes one round trip, and at most 4 rows more for each record", async () => {
    const wide = await makeApp(
      owner,
      ["a", "b", "c"].map((key) => ({ key, type: "reference", app: customers })),
    );
    const others: Json[] = [];
    for (let index = 0; index < 150; index += 50) {
      const operations = Array.from({ length: 50 }, () => ({ op: "create", data: { name: "x" } }));
      const { body } = await owner.post(`/apps/${customers}/records/batch`, { operations });
      others.push(...body.results);
    }
    const operations = Array.from({ length: 50 }, (_, index) => ({
      op: "create",
      data: { a: others[index].id, b: others[50 + index].id, c: others[100 + index].id },
    }));
    await owner.post(`/apps/${wide}/records/batch`, { operations });
    const { fetch, counts, reset } = counted();
    const caller = owner.through(fetch);
    const rows = async (path: string): Promise<[rows: number, trips: number, body: Json]> => {
      await caller.get(path);
      reset();
      const { body } = await caller.get(path);
      return [counts.rowsRead, counts.d1, body];
    };
    const list = `/apps/${wide}/records`;
    const [plainRows, plainTrips] = await rows(list);
    const [expandedRows, expandedTrips, body] = await rows(`${list}?expand=a,b,c`);
    expect(Object.keys(body.included)).toHaveLength(150);
    expect(expandedTrips).toBe(plainTrips);
    expect(expandedRows - plainRows).toBeLessThanOrEqual(150 * 4);
    const item = `${list}/${body.items[0].id}`;
    const [itemRows, itemTrips] = await rows(item);
    const [oneRows, oneTrips] = await rows(`${item}?expand=a,b,c`);
    expect(oneTrips).toBe(itemTrips);
    // And the search of the item itself.
    expect(oneRows - itemRows).toBeLessThanOrEqual(3 * 4 + 8);
  });

  it("ends a page before the item that would bring more than 500 records", async () => {
    const list = {
      key: "lines",
      type: "line_items",
      fields: [{ key: "p", type: "reference", app: products }],
    };
    const wide = await makeApp(owner, [list]);
    const ids: string[] = [];
    for (let index = 0; index < 8; index += 1) {
      const operations = Array.from({ length: 100 }, () => ({ op: "create", data: { name: "x" } }));
      const { body } = await owner.post(`/apps/${products}/records/batch`, { operations });
      ids.push(...body.results.map(({ id }: Json) => id));
    }
    const lines = (from: number, to: number) => ids.slice(from, to).map((p) => ({ p }));
    await create(wide, { lines: lines(0, 300) });
    await create(wide, { lines: lines(100, 500) });
    await create(wide, { lines: lines(450, 501) });
    const path = `/apps/${wide}/records?expand=lines.p`;
    const first = await owner.get(path);
    expect([first.body.items.length, Object.keys(first.body.included).length]).toEqual([2, 500]);
    const second = await owner.get(first.body.links.next);
    expect([second.body.items.length, Object.keys(second.body.included).length]).toEqual([1, 51]);
    expect(second.body.links.next).toBeNull();
    const two = {
      key: "lines",
      type: "line_items",
      fields: ["p", "q"].map((key) => ({ key, type: "reference", app: products })),
    };
    const wider = await makeApp(owner, [two]);
    const rows = ids.slice(0, 400).map((p, index) => ({ p, q: ids[400 + index] }));
    await create(wider, { lines: rows });
    const alone = await owner.get(`/apps/${wider}/records?expand=lines.p,lines.q`);
    expect([alone.body.items.length, Object.keys(alone.body.included).length]).toEqual([1, 500]);
  });
});
