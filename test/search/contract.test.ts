import { describe, expect, it } from "vitest";
import { type Json } from "../support/client";
import { makeApp, makeForm } from "../support/service";

import { amounts, customers, fields, form, integrator, path, text } from "./contract-form";

describe("Search", () => {
  it("returns everything for {}, newest first, as pages with links", async () => {
    const { status, body } = await integrator.post(path, {});
    expect([status, Object.keys(body)]).toEqual([200, ["items", "links"]]);
    const { body: list } = await integrator.get(`/forms/${form}/submissions`);
    expect(body.items).toEqual(list.items.toReversed());
    expect(body.links.next).toBeNull();
    expect((await integrator.post(path, {})).headers.get("RateLimit")).not.toContain("write");
  });

  it("ignores case by Unicode in contains and starts_with, and compares exactly in other operators", async () => {
    const search = (op: string, value: unknown) => customers({ field: "customer", op, value });
    expect(await search("contains", "YAMADA")).toEqual(["Yamada", "yamada Taro"]);
    expect(await search("starts_with", "yam")).toEqual(["Yamada", "yamada Taro"]);
    expect(await search("starts_with", "strasse")).toEqual(["Straße 100%"]);
    expect(await search("eq", "yamada")).toEqual([]);
    expect(await search("in", ["Yamada", "nobody"])).toEqual(["Yamada"]);
  });

  it("treats no character as a wildcard", async () => {
    for (const [value, count] of [
      ["100%", 1],
      ["1%", 0],
      ["_amada", 0],
      ["*", 0],
      ["?", 0],
    ] as const) {
      expect(await customers({ field: "customer", op: "contains", value })).toHaveLength(count);
    }
  });

  it.each([
    ["customer", "eq", "", "invalid_condition"],
    ["customer", "in", ["Yamada", ""], "invalid_condition"],
    ["kind", "ne", "", "invalid_condition"],
    ["customer", "contains", "", "invalid_condition"],
  ])("returns 422 for the empty operand of %s %s", async (field, op, value, code) => {
    const answer = await integrator.post(path, { conditions: [{ field, op, value }] });
    expect([answer.status, answer.body.errors?.[0]?.code]).toEqual([422, code]);
  });

  it.each([
    ['"op":"eq","value":9007199254740993', "not_exact", ""],
    ['"op":"in","value":[1,9007199254740993]', "not_exact", "/1"],
    ['"op":"between","value":[0,1.00000000000000000001]', "not_exact", "/1"],
    ['"op":"gt","value":1e400', "not_exact", ""],
    ['"op":"is_empty","value":9007199254740993', "invalid_condition", ""],
  ])(
    "returns 422 that points at a number that no double holds: %s is %s",
    async (condition, code, at) => {
      const search = `{"conditions":[{"field":"amount",${condition}}]}`;
      const { status, body } = await integrator.post(path, search);
      const [error] = body.errors;
      expect([status, error.code, error.pointer]).toEqual([422, code, `/conditions/0/value${at}`]);
    },
  );

  it("names the new key when a search uses a renamed one", async () => {
    const renamed = await makeForm(integrator, [text("cust_name"), text("other")]);
    const next = [text("customer", { renamed_from: "cust_name" }), text("other")];
    await integrator.put(`/forms/${renamed}/schema`, { fields: next });
    const conditions = [{ field: "cust_name", op: "eq", value: "a" }];
    const shown = ["other", "other", "cust_name", "cust_name"];
    const search = { conditions, sort: [{ field: "cust_name" }], fields: shown };
    const answer = await integrator.post(`/forms/${renamed}/submissions/search`, search);
    expect(answer.status).toBe(422);
    const rename = { code: "invalid_condition", renamed_to: "customer" };
    expect(answer.body.errors).toMatchObject(
      ["/conditions/0/field", "/sort/0/field", "/fields/2", "/fields/3"].map((pointer) => ({
        pointer,
        ...rename,
      })),
    );
  });

  it("matches empty values with ne, not_in, has_none, none and not", async () => {
    expect(await customers({ field: "customer", op: "ne", value: "Yamada" })).toContain(null);
    expect(await customers({ field: "customer", op: "not_in", value: ["Yamada"] })).toContain(null);
    expect(await customers({ field: "tags", op: "has_none", value: ["x"] })).toEqual([
      "Yamada",
      null,
    ]);
    const line = { field: "sku", op: "eq", value: "A-1" };
    expect(await customers({ field: "lines", op: "none", value: [line] })).toHaveLength(2);
    expect(await customers({ not: { field: "amount", op: "gt", value: 5 } })).toEqual([
      "Straße 100%",
    ]);
  });

  it("matches a condition on line items only if one row meets all of it", async () => {
    const rows = (qty: number) => ({
      field: "lines",
      op: "any",
      value: [
        { field: "sku", op: "eq", value: "A-1" },
        { field: "qty", op: "gt", value: qty },
      ],
    });
    expect(await customers(rows(1))).toEqual(["Yamada", null]);
    expect(await customers(rows(5))).toEqual([null]);
  });

  it("compares dates as calendar days and date-times as instants", async () => {
    expect(await customers({ field: "due", op: "eq", value: "2026-11-21Z" })).toEqual([
      "yamada Taro",
    ]);
    expect(await customers({ field: "due", op: "gt", value: "2026-11-20" })).toHaveLength(1);
    expect(await customers({ field: "at", op: "eq", value: "2026-11-20T15:00:00Z" })).toEqual([
      null,
    ]);
    expect(await customers({ field: "at", op: "lt", value: "2026-11-20T15:00:00.0001Z" })).toEqual([
      null,
    ]);
    expect(await customers({ field: "at", op: "lt", value: "2026-11-20T15:00:00Z" })).toEqual([]);
  });

  it("sorts empty values last in both directions, and ties in stored order", async () => {
    const sort = (direction: string) => amounts({ sort: [{ field: "amount", direction }] });
    expect(await sort("asc")).toEqual([10, 30.2, 30.2, null]);
    expect(await sort("desc")).toEqual([30.2, 30.2, 10, null]);
    const { body } = await integrator.post(path, {
      sort: [{ field: "amount", direction: "desc" }],
    });
    expect(body.items[0].data.customer).toBe("yamada Taro");
  });

  it("searches and sorts system fields like any other", async () => {
    const { body } = await integrator.post(path, {
      sort: [{ field: "$id", direction: "desc" }],
      limit: 1,
    });
    const [last] = body.items;
    for (const condition of [
      { field: "$id", op: "eq", value: last.id },
      { field: "$id", op: "contains", value: last.id.slice(10).toLowerCase() },
      { field: "$created_at", op: "between", value: [last.created_at, last.created_at] },
      { field: "$updated_at", op: "gte", value: last.updated_at },
    ]) {
      expect(await customers(condition)).toEqual([last.data.customer]);
    }
    expect(await customers({ field: "$status", op: "in", value: ["draft"] })).toEqual([]);
    const app = await makeApp(integrator, [text("a")], { receipt_prefix: "R-" });
    for (const a of ["1", "2", "3"]) await integrator.post(`/apps/${app}/records`, { data: { a } });
    const records = await integrator.post(`/apps/${app}/records/search`, {
      conditions: [{ field: "$receipt_number", op: "in", value: ["R-000001", "R-000003"] }],
      sort: [{ field: "$receipt_number", direction: "desc" }],
    });
    expect(records.body.items.map((item: Json) => item.receipt_number)).toEqual([
      "R-000003",
      "R-000001",
    ]);
  });

  it("returns only the fields in `fields`, and ETags that a PATCH accepts", async () => {
    const { body } = await integrator.post(path, { fields: ["amount"], limit: 1 });
    expect(Object.keys(body.items[0].data)).toEqual(["amount"]);
    const { id, etag } = body.items[0];
    const patched = await integrator.patch(
      `/submissions/${id}`,
      { data: {} },
      { "If-Match": etag },
    );
    expect(patched.status).toBe(200);
  });

  it("returns the next page for the same body at links.next, or with the cursor in the body", async () => {
    const body = { sort: [{ field: "customer" }], limit: 2 };
    const first = await integrator.post(path, body);
    const second = await integrator.post(first.body.links.next, body);
    const cursor = new URL(first.body.links.next).searchParams.get("cursor");
    const withCursor = await integrator.post(path, { ...body, cursor });
    expect(second.body.items.map((item: Json) => item.data.customer)).toEqual([
      "yamada Taro",
      null,
    ]);
    expect(withCursor.body.items).toEqual(second.body.items);
    expect(second.body.links.next).toBeNull();
    expect(first.headers.get("Link")).toContain('rel="next"');
  });

  it("rejects with `invalid_cursor` a cursor of other conditions, another sort or another form", async () => {
    const body = { sort: [{ field: "amount" }], limit: 1 };
    const { body: first } = await integrator.post(path, body);
    const otherForm = await makeForm(integrator, fields);
    const elsewhere = first.links.next.replace(form, otherForm);
    for (const [url, request] of [
      [first.links.next, { ...body, sort: [{ field: "due" }] }],
      [first.links.next, { ...body, conditions: [{ field: "done", op: "eq", value: true }] }],
      [elsewhere, body],
      [first.links.next.replace("cursor=", "cursor=x"), body],
    ]) {
      const answer = await integrator.post(url, request);
      expect(answer.body.errors).toMatchObject([{ field: "cursor", code: "invalid_cursor" }]);
    }
    expect((await integrator.post(first.links.next, { ...body, limit: 50 })).status).toBe(200);
    // An error of the query has no pointer, and one of the body has.
    const { errors: inQuery } = (await integrator.post(`${path}?cursor=x`, {})).body;
    expect(inQuery).toMatchObject([{ field: "cursor", code: "invalid_cursor" }]);
    expect(inQuery[0].pointer).toBeUndefined();
    expect((await integrator.post(path, { cursor: "x" })).body.errors).toMatchObject([
      { field: "cursor", pointer: "/cursor", code: "invalid_cursor" },
    ]);
  });

  it("returns every item that existed before, once each, while others are created and deleted", async () => {
    const newForm = await makeForm(integrator, [{ key: "n", type: "number" }]);
    const add = async (n: number) =>
      (await integrator.post(`/forms/${newForm}/submissions`, { data: { n } })).body.id;
    const ids: string[] = [];
    for (let n = 0; n < 30; n += 1) ids.push(await add(n % 7));
    for (const sort of [[], [{ field: "n" }], [{ field: "n", direction: "desc" }]]) {
      const body = { sort, limit: 4 };
      const results: string[] = [];
      for (let next: string | null = `/forms/${newForm}/submissions/search`; next;) {
        const page = await integrator.post(next, body);
        results.push(...page.body.items.map((item: Json) => item.id));
        next = page.body.links.next;
        await integrator.delete(`/submissions/${await add(3)}`);
        await add(9);
      }
      expect(new Set(results).size).toBe(results.length);
      expect(results.filter((id) => ids.includes(id)).toSorted()).toEqual(ids.toSorted());
    }
  });

  it.each([
    [
      "an unknown field",
      { conditions: [{ field: "zzz", op: "eq", value: 1 }] },
      "/conditions/0/field",
      "invalid_condition",
    ],
    [
      "a field that is not searchable",
      { conditions: [{ field: "secret", op: "eq", value: "s" }] },
      "/conditions/0/field",
      "invalid_condition",
    ],
    [
      "an operator of another type",
      { conditions: [{ field: "customer", op: "gt", value: "a" }] },
      "/conditions/0/op",
      "invalid_condition",
    ],
    [
      "no operator",
      { conditions: [{ field: "customer", value: "a" }] },
      "/conditions/0/op",
      "invalid_condition",
    ],
    [
      "a value of the wrong type",
      { conditions: [{ field: "amount", op: "eq", value: "10" }] },
      "/conditions/0/value",
      "invalid_condition",
    ],
    [
      "a null",
      { conditions: [{ field: "amount", op: "eq", value: null }] },
      "/conditions/0/value",
      "invalid_condition",
    ],
    [
      "a date-time without an offset",
      { conditions: [{ field: "at", op: "gt", value: "2026-11-21T00:00:00" }] },
      "/conditions/0/value",
      "invalid_condition",
    ],
    [
      "an empty list",
      { conditions: [{ field: "kind", op: "in", value: [] }] },
      "/conditions/0/value",
      "invalid_condition",
    ],
    [
      "half a range",
      { conditions: [{ field: "amount", op: "between", value: [1] }] },
      "/conditions/0/value",
      "invalid_condition",
    ],
    [
      "an unknown property of a condition",
      { conditions: [{ field: "amount", op: "eq", value: 1, case: true }] },
      "/conditions/0/case",
      "invalid_condition",
    ],
    ["an unknown property of the search", { where: [] }, "/where", "invalid_condition"],
    ["offset", { offset: 10 }, "/offset", "invalid_condition"],
    ["an empty group", { conditions: [{ any: [] }] }, "/conditions/0/any", "invalid_condition"],
    [
      "conditions that are not a list",
      { conditions: { field: "amount" } },
      "/conditions",
      "invalid_condition",
    ],
    [
      "an unknown field in rows",
      {
        conditions: [{ field: "lines", op: "any", value: [{ field: "zzz", op: "eq", value: 1 }] }],
      },
      "/conditions/0/value/0/field",
      "invalid_condition",
    ],
    ["a sort by a list", { sort: [{ field: "tags" }] }, "/sort/0/field", "invalid_condition"],
    [
      "an unknown direction",
      { sort: [{ field: "amount", direction: "up" }] },
      "/sort/0/direction",
      "invalid_condition",
    ],
    ["a projection to an unknown field", { fields: ["zzz"] }, "/fields/0", "invalid_condition"],
    ["limit 0", { limit: 0 }, "/limit", "out_of_range"],
    ["limit 201", { limit: 201 }, "/limit", "out_of_range"],
    ["limit as text", { limit: "10" }, "/limit", "out_of_range"],
    ["a cursor that is a number", { cursor: 5 }, "/cursor", "invalid_cursor"],
    [
      "51 conditions",
      { conditions: Array.from({ length: 51 }, () => ({ field: "amount", op: "eq", value: 1 })) },
      "/conditions",
      "too_complex",
    ],
    [
      "101 values",
      { conditions: [{ field: "customer", op: "in", value: Array.from({ length: 101 }, String) }] },
      "/conditions/0/value",
      "too_complex",
    ],
    [
      "conditions of more than 500,000 characters",
      {
        conditions: Array.from({ length: 50 }, () => ({
          field: "customer",
          op: "in",
          value: Array.from({ length: 100 }, (_, at) => `${at}`.padEnd(101, "x")),
        })),
      },
      "/conditions",
      "too_complex",
    ],
    [
      "4 sort keys",
      { sort: ["amount", "due", "at", "kind"].map((field) => ({ field })) },
      "/sort",
      "too_complex",
    ],
    [
      "depth 6",
      {
        conditions: [
          {
            all: [
              { all: [{ all: [{ all: [{ all: [{ field: "amount", op: "eq", value: 1 }] }] }] }] },
            ],
          },
        ],
      },
      "/conditions/0/all/0/all/0/all/0/all/0/all",
      "too_complex",
    ],
  ])("returns 422 with pointer and code for %s", async (_, body, pointer, code) => {
    const answer = await integrator.post(path, body);
    expect([
      answer.status,
      answer.body.errors?.[0]?.pointer,
      answer.body.errors?.[0]?.code,
    ]).toEqual([422, pointer, code]);
  });

  it("finds a changed value at once, and the old value no longer", async () => {
    const newForm = await makeForm(integrator, fields);
    const search = async (value: string) => {
      const conditions = [{ field: "customer", op: "eq", value }];
      const { body } = await integrator.post(`/forms/${newForm}/submissions/search`, {
        conditions,
      });
      return body.items.length;
    };
    const { body } = await integrator.post(`/forms/${newForm}/submissions`, {
      data: { customer: "one" },
    });
    await integrator.patch(`/submissions/${body.id}`, { data: { customer: "two" } });
    expect([await search("one"), await search("two")]).toEqual([0, 1]);
    await integrator.put(`/forms/${newForm}/schema`, {
      fields: [text("client", { renamed_from: "customer" }), ...fields.slice(1)],
    });
    const renamed = { conditions: [{ field: "client", op: "eq", value: "two" }] };
    expect(
      (await integrator.post(`/forms/${newForm}/submissions/search`, renamed)).body.items,
    ).toHaveLength(1);
    expect(
      (
        await integrator.post(`/forms/${newForm}/submissions/search`, {
          conditions: [{ field: "customer", op: "eq", value: "two" }],
        })
      ).status,
    ).toBe(422);
    await integrator.delete(`/submissions/${body.id}`);
    expect(
      (await integrator.post(`/forms/${newForm}/submissions/search`, renamed)).body.items,
    ).toEqual([]);
  });

  it("compares text that looks like a number as text", async () => {
    const newForm = await makeForm(integrator, [text("code")]);
    for (const code of ["00123", "123"])
      await integrator.post(`/forms/${newForm}/submissions`, { data: { code } });
    const conditions = [{ field: "code", op: "eq", value: "123" }];
    const { body } = await integrator.post(`/forms/${newForm}/submissions/search`, { conditions });
    expect(body.items.map((item: Json) => item.data.code)).toEqual(["123"]);
  });
});
