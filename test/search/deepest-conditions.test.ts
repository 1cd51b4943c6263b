import { beforeAll, describe, expect, it } from "vitest";
import type { Client, Json } from "../support/client";
import { client, makeApp } from "../support/service";

type Wrapper = "any" | "not" | "matches" | "rows";

const leaf = (field: string, op: string, value: unknown) => ({ field, op, value });
/** Its SQL has the deepest expression: it folds letters in two ways. */
const innermost = (field: string) => leaf(field, "contains", "ıσ");

/** Conditions nested as deep as the API accepts, 50 in all. SQLite limits the depth of expressions to 100. */
function nested(wrappers: readonly Wrapper[], isInRow = false): Json[] {
  const text = isInRow ? "sku" : "name";
  const [wrapper, ...inner] = wrappers;
  const beside = Array.from({ length: 9 }, () => innermost(text));
  if (!wrapper) return [...beside, innermost(text)];
  const conditions = nested(inner, wrapper === "rows" || (isInRow && wrapper !== "matches"));
  const [reference, rows] = [isInRow ? "payer" : "customer", "lines"];
  switch (wrapper) {
    case "any":
      return [...beside, { any: conditions }];
    case "not":
      return [...beside, { not: conditions.at(-1) }];
    case "matches":
      return [...beside, leaf(reference, "matches", conditions)];
    case "rows":
      return [...beside, leaf(rows, "none", conditions)];
  }
}

const shapes: Wrapper[][] = [
  ["any", "any", "any", "any"],
  ["not", "any", "any", "any"],
  ["any", "any", "any", "rows"],
  ["any", "any", "rows", "any"],
  ["rows", "any", "any", "any"],
  ["any", "any", "matches", "rows"],
  ["matches", "rows", "any", "any"],
  ["rows", "matches", "any", "any"],
  ["any", "matches", "any", "rows"],
  ["rows", "matches", "rows", "any"],
  ["any", "rows", "matches", "rows"],
];

describe("Conditions nested as deep as the API accepts", () => {
  let owner: Client;
  let narrow: Client;
  let path: string;
  let customer: Json;
  beforeAll(async () => {
    owner = await client();
    const texts = [
      { key: "name", type: "text" },
      { key: "day", type: "date" },
    ];
    const rows = [{ key: "sku", type: "text" }];
    const views = [
      { key: "deep", name: "Deep", conditions: nested(["any", "any", "any", "rows"]) },
    ];
    const fields = [...texts, { key: "lines", type: "line_items", fields: rows }];
    const customers = await makeApp(owner, fields, { views });
    const more = [await makeApp(owner, fields, { views }), await makeApp(owner, fields, { views })];
    const reference = (key: string, app = customers) => ({ key, type: "reference", app });
    const orders = await makeApp(
      owner,
      [
        ...texts,
        reference("customer"),
        ...more.map((app, index) => reference(`other${index}`, app)),
        { key: "lines", type: "line_items", fields: [...rows, reference("payer")] },
      ],
      { views },
    );
    narrow = await client({
      permissions: ["records:read", "records:write"],
      resources: [orders, customers, ...more].map((app) => `app:${app}/deep`),
    });
    path = `/apps/${orders}/records`;
    const named = { data: { name: "ıσ" } };
    customer = (await owner.post(`/apps/${customers}/records`, named)).body;
    await owner.post(path, { data: { name: "a", lines: [{ sku: "b" }] } });
  });

  it("hold for reads, writes and references through a view", async () => {
    const data = { name: "a", lines: [{ sku: "b" }] };
    const shown = { ...data, name: "ıσ" };
    const created = await narrow.post(path, { data: shown });
    expect([created.status, created.text]).toEqual([201, created.text]);
    expect(await narrow.post(path, { data })).toMatchObject({ status: 422 });
    const { id } = created.body;
    const changed = await narrow.patch(`${path}/${id}`, { data: { name: "aıσ" } });
    expect([changed.status, changed.text]).toEqual([200, changed.text]);
    expect(await narrow.patch(`${path}/${id}`, { data })).toMatchObject({ status: 422 });
    const operations = [{ op: "create", data: { ...shown, customer: customer.id } }];
    const batch = await narrow.post(`${path}/batch`, { operations });
    expect([batch.status, batch.text]).toEqual([200, batch.text]);
    const list = await narrow.get(`${path}?expand=customer,lines.payer`);
    expect([list.status, list.body.items?.length]).toEqual([200, 2]);
    expect(Object.keys(list.body.included)).toEqual([customer.id]);
    const search = {
      conditions: nested(["any", "any", "any", "rows"]),
      sort: [{ field: "name" }, { field: "day" }],
    };
    const expand = ["customer", "other0"];
    const page = await narrow.post(`${path}/search`, { ...search, expand });
    expect([page.status, page.body.items?.length]).toEqual([200, 2]);
    const tooMany = await narrow.post(`${path}/search`, {
      ...search,
      expand: [...expand, "other1"],
    });
    expect([tooMany.status, tooMany.body.errors]).toMatchObject([
      422,
      [{ pointer: "/expand", code: "too_complex" }],
    ]);
  });

  it.each(shapes)("are searched and aggregated: %s, %s, %s, %s", async (...shape) => {
    const conditions = nested(shape);
    // `matches` needs the whole app.
    for (const caller of shape.includes("matches") ? [owner] : [owner, narrow]) {
      for (const sort of [[], [{ field: "name" }], [{ field: "name" }, { field: "day" }]]) {
        const answer = await caller.post(`${path}/search`, { conditions, sort });
        expect([sort, answer.status, answer.text]).toEqual([sort, 200, answer.text]);
      }
      for (const group_by of [[], [{ field: "name" }]]) {
        const metrics = { n: { op: "count" } };
        const answer = await caller.post(`${path}/aggregate`, { conditions, group_by, metrics });
        expect([group_by, answer.status, answer.text]).toEqual([group_by, 200, answer.text]);
      }
    }
  });
});
