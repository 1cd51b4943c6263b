import Papa from "papaparse";
import { beforeAll, describe, expect, it } from "vitest";
import { exports } from "cloudflare:workers";
import { fromBase64url } from "../../src/domain/credential/keys.ts";
import { root, type Client, type Json } from "../support/client";
import { client, makeApp, makeForm } from "../support/service";

const text = (key: string, settings: object = {}) => ({ key, type: "text", ...settings });
const fields = [
  text("customer"),
  { key: "amount", type: "number" },
  { key: "due", type: "date" },
  { key: "at", type: "datetime" },
  { key: "done", type: "boolean" },
  { key: "kind", type: "select", options: [{ value: "a" }, { value: "b" }] },
  { key: "tags", type: "multi_select", options: [{ value: "x" }, { value: "y" }] },
  { key: "lines", type: "line_items", fields: [text("sku"), { key: "qty", type: "number" }] },
  text("secret", { searchable: false }),
];

describe("Search", () => {
  let integrator: Client;
  let form: string;
  let path: string;
  beforeAll(async () => {
    integrator = await client();
    form = await makeForm(integrator, fields);
    path = `/forms/${form}/submissions/search`;
    const documents = [
      {
        customer: "Yamada",
        amount: 10,
        lines: [
          { sku: "A-1", qty: 2 },
          { sku: "B-1", qty: 9 },
        ],
      },
      { customer: "yamada Taro", amount: 30.2, due: "2026-11-21+09:00", tags: ["x"], kind: "a" },
      { customer: "Straße 100%", amount: null, done: true, tags: ["x", "y"], secret: "s" },
      {
        customer: null,
        amount: 30.2,
        at: "2026-11-21T00:00:00+09:00",
        lines: [{ sku: "A-1", qty: 9 }],
      },
    ];
    for (const data of documents) await integrator.post(`/forms/${form}/submissions`, { data });
  });

  const amounts = async (body: Json) =>
    (await integrator.post(path, body)).body.items.map((item: Json) => item.data.amount);
  const customers = async (...conditions: Json[]) => {
    const answer = await integrator.post(path, { conditions, sort: [{ field: "$created_at" }] });
    expect([answer.status, answer.text]).toEqual([200, answer.text]);
    return answer.body.items.map((item: Json) => item.data.customer);
  };

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

  it("returns 200 at every limit: 50 conditions, depth 5, 100 values, long texts", async () => {
    const leaf = { field: "customer", op: "contains", value: "x".repeat(500) };
    const valueList = {
      field: "customer",
      op: "in",
      value: Array.from({ length: 100 }, (_, i) => `v${i}`),
    };
    const nest = (inner: Json) => ({ all: [{ any: [{ not: { all: [inner] } }] }] });
    const row = {
      field: "lines",
      op: "any",
      value: [{ any: [{ field: "sku", op: "contains", value: "a" }] }],
    };
    for (const condition of [
      leaf,
      valueList,
      row,
      { not: leaf },
      { field: "amount", op: "between", value: [1, 2] },
    ]) {
      for (const wrap of [
        (all: Json[]) => all,
        (any: Json[]) => [{ any }],
        (all: Json[]) => [{ not: { all } }],
      ]) {
        const conditions = wrap(
          Array.from({ length: condition === row ? 25 : 50 }, () => condition),
        );
        for (const sort of [[], [{ field: "amount", direction: "desc" }]]) {
          const answer = await integrator.post(path, { conditions, sort });
          expect([answer.status, answer.text.slice(0, 200)]).toEqual([
            200,
            answer.text.slice(0, 200),
          ]);
        }
      }
    }
    expect((await integrator.post(path, { conditions: [nest(leaf)] })).status).toBe(200);
  });

  it("accepts a second sort key in a collection of at most 10,000 items", async () => {
    const sort = [{ field: "amount", direction: "desc" }, { field: "customer" }];
    const page = await integrator.post(path, { sort });
    expect(page.status).toBe(200);
    expect(page.body.items.map((item: Json) => item.data.amount)).toEqual(
      await amounts({ sort: [{ field: "amount", direction: "desc" }] }),
    );
    const conditions = [{ field: "amount", op: "gt", value: 0 }];
    expect(await amounts({ conditions, sort })).toEqual([30.2, 30.2, 10]);
  });

  it.each([
    ["ascending", [{ field: "t" }]],
    ["descending", [{ field: "t", direction: "desc" }]],
    ["by two keys", [{ field: "k", direction: "desc" }, { field: "t" }]],
    ["by two keys, descending", [{ field: "t", direction: "desc" }, { field: "k" }]],
  ])("keeps cursors short and free of values when values are long: %s", async (_, sort) => {
    const newForm = await makeForm(integrator, [
      { key: "t", type: "multiline_text", max_length: 100_000 },
      text("k"),
    ]);
    const start = "日本語の長い文".repeat(800);
    const texts = [
      ...Array.from({ length: 6 }, (__, i) => start + String(i)),
      "short",
      "x".repeat(90_000),
      "😀".repeat(200),
    ];
    for (const [index, t] of texts.entries()) {
      await integrator.post(`/forms/${newForm}/submissions`, { data: { t, k: `k${index % 2}` } });
    }
    await integrator.post(`/forms/${newForm}/submissions`, { data: { k: "k0" } });
    const searchPath = `/forms/${newForm}/submissions/search`;
    const expectedItems = (await integrator.post(searchPath, { sort, limit: 200 })).body.items;
    const readPages = async (betweenPages: (item: Json) => Promise<unknown>) => {
      const items: Json[] = [];
      for (let next: string | null = `${searchPath}?limit=1`; next;) {
        const page = await integrator.post(next, { sort });
        expect([page.status, page.text]).toEqual([200, page.text]);
        items.push(...page.body.items);
        next = page.body.links.next;
        if (!next) break;
        const cursor = new URL(next).searchParams.get("cursor") ?? "";
        expect(cursor.length).toBeLessThanOrEqual(500);
        const bytes = fromBase64url(cursor) ?? new Uint8Array();
        expect(new TextDecoder().decode(bytes)).not.toMatch(/日本|xxx|short/);
        await betweenPages(page.body.items.at(-1));
      }
      return items.map((item) => item.id);
    };
    expect(await readPages(async () => undefined)).toEqual(
      expectedItems.map((item: Json) => item.id),
    );
    // A caller that continues after a deleted or changed item may see items twice, but misses none.
    const changedIds = new Set<string>();
    const ids = await readPages(async (item) => {
      const { id, data } = item;
      if (changedIds.has(id)) return;
      changedIds.add(id);
      if (changedIds.size % 2 === 0) await integrator.delete(`/submissions/${id}`);
      else await integrator.patch(`/submissions/${id}`, { data: { t: `${data.t ?? ""}!` } });
    });
    expect(new Set(ids)).toEqual(new Set(expectedItems.map((item: Json) => item.id)));
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

describe("Downloads", () => {
  it("returns every match over all pages as NDJSON, one item a line, up to the limit", async () => {
    const integrator = await client();
    const form = await makeForm(integrator, [{ key: "n", type: "number" }]);
    for (let n = 0; n < 12; n += 1) {
      await integrator.post(`/forms/${form}/submissions`, { data: { n } });
    }
    const search = { conditions: [{ field: "n", op: "gt", value: 1 }], sort: [{ field: "n" }] };
    const path = `/forms/${form}/submissions/search`;
    const Accept = "application/x-ndjson";
    const download = await integrator.post(path, search, { Accept });
    expect(download.headers.get("Content-Type")).toBe("application/x-ndjson");
    expect(download.headers.get("Content-Disposition")).toBe(
      `attachment; filename="${form}.ndjson"`,
    );
    const { body } = await integrator.post(path, search);
    const lines = (ndjson: string) =>
      ndjson
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line));
    expect(lines(download.text)).toEqual(body.items);
    for (const response of [
      await integrator.post(path, { ...search, limit: 3 }, { Accept }),
      await integrator.post(`${path}?limit=3`, search, { Accept }),
    ]) {
      expect(lines(response.text)).toEqual(body.items.slice(0, 3));
    }
    const list = await integrator.get(`/forms/${form}/submissions`, { Accept });
    const page = await integrator.get(`/forms/${form}/submissions?limit=200`);
    expect(lines(list.text)).toEqual(page.body.items);
    const firstFive = await integrator.get(`/forms/${form}/submissions?limit=5`, { Accept });
    expect(lines(firstFive.text)).toEqual(page.body.items.slice(0, 5));
  });

  describe("CSV", () => {
    const columns = [
      text("t", { label: "Text" }),
      { key: "p", type: "phone", label: "Phone" },
      { key: "n", type: "number", label: "Number" },
      { key: "b", type: "boolean", label: "Yes" },
      { key: "d", type: "date", label: "Day" },
      { key: "at", type: "datetime", label: "At" },
      {
        key: "k",
        type: "select",
        label: "Kind",
        options: [{ value: "a", label: "=Alpha" }, { value: "b" }],
      },
      {
        key: "m",
        type: "multi_select",
        label: "Many",
        options: [{ value: "x", label: "X, or so" }, { value: "y" }],
      },
      {
        key: "l",
        type: "line_items",
        label: "Lines",
        fields: [text("sku", { label: "SKU" }), { key: "qty", type: "number", label: "Qty" }],
      },
    ];
    const documents = [
      { t: 'say "hi", and\nmore', n: -5, l: [{ sku: "=1", qty: 1 }, { sku: "b,c" }], b: true },
      { t: "=1+1", p: "+81 3-1234-5678", k: "a", m: ["x", "y"], b: false },
      { t: "'quoted already", d: "2026-11-21", at: "2026-11-21T09:30:00+09:00" },
      { t: " spaces ", n: 0.1, k: "b" },
      { t: "\r\n\ttabs\u00a0and\r", n: 1e-7, l: [{ qty: 0 }] },
      { t: "-", n: 9_007_199_254_740_991, m: ["y"] },
      { t: "日本語 😀 ä", p: "0301234567" },
      {},
    ];
    let integrator: Client;
    let form: string;
    let items: Json[];
    beforeAll(async () => {
      integrator = await client();
      form = await makeForm(integrator, columns, { time_zone: "Asia/Tokyo" });
      for (const data of documents) await integrator.post(`/forms/${form}/submissions`, { data });
      items = (await integrator.get(`/forms/${form}/submissions`)).body.items;
    });
    const csv = async (Accept: string) => {
      const answer = await integrator.get(`/forms/${form}/submissions`, { Accept });
      // An independent reader of RFC 4180.
      const { data, errors } = Papa.parse<string[]>(answer.text.trimEnd());
      expect(errors).toEqual([]);
      return { type: answer.headers.get("Content-Type"), raw: answer.text, rows: data };
    };
    const system = [
      "id",
      "status",
      "version",
      "created_at",
      "created_by",
      "updated_at",
      "updated_by",
    ];

    it("is lossless: every cell has the stored value", async () => {
      const { type, rows, raw } = await csv("text/csv");
      expect(type).toBe("text/csv; charset=utf-8; header=present");
      const [head = [], ...lines] = rows;
      expect(head).toEqual([...system.map((name) => `$${name}`), ...columns.map(({ key }) => key)]);
      expect(lines).toHaveLength(items.length);
      for (const [index, item] of items.entries()) {
        const cells = lines[index] ?? [];
        const expected = [
          ...system.map((name) => item[name]),
          ...columns.map(({ key }) => item.data[key]),
        ];
        for (const [column, value] of expected.entries()) {
          const cell = cells[column];
          if (value === null) expect(cell).toBe("");
          else if (typeof value === "string") expect(cell).toBe(value);
          else expect(JSON.parse(cell ?? "")).toEqual(value);
        }
      }
      const searched = await integrator.post(
        `/forms/${form}/submissions/search`,
        { sort: [{ field: "$created_at" }] },
        { Accept: "text/csv" },
      );
      expect(searched.text).toBe(raw);
    });

    it("for spreadsheets has labels, readable dates and times, and no formulas", async () => {
      const { type, rows, raw } = await csv("text/csv; profile=spreadsheet");
      expect(type).toBe("text/csv; charset=utf-8; header=present; profile=spreadsheet");
      expect(raw.startsWith("Id,Status,Version,Created at,")).toBe(true);
      const request = new Request(`${root}/forms/${form}/submissions`, {
        headers: {
          Authorization: `Bearer ${integrator.bearer}`,
          Accept: "text/csv; profile=spreadsheet",
        },
      });
      const bytes = await (await exports.default.fetch(request)).bytes();
      expect(Array.from(bytes.slice(0, 3))).toEqual([0xef, 0xbb, 0xbf]);
      const [head = [], ...lines] = rows;
      expect(head.slice(7)).toEqual(columns.map((field) => (field as Json).label));
      const cell = (row: number, label: string) => lines[row]?.[head.indexOf(label)];
      expect([cell(1, "Text"), cell(1, "Phone"), cell(1, "Kind"), cell(1, "Many")]).toEqual([
        "'=1+1",
        "'+81 3-1234-5678",
        "'=Alpha",
        "X, or so, y",
      ]);
      expect([cell(0, "Yes"), cell(1, "Yes"), cell(2, "Yes")]).toEqual(["TRUE", "FALSE", ""]);
      expect([cell(2, "Day"), cell(2, "At")]).toEqual(["2026-11-21", "2026-11-21 09:30:00"]);
      expect([cell(0, "Number"), cell(2, "Text"), cell(6, "Text")]).toEqual([
        "-5",
        "'quoted already",
        "日本語 😀 ä",
      ]);
      expect(cell(0, "Lines")).toBe("SKU: =1; Qty: 1\nSKU: b,c");
      for (const line of lines) {
        for (const [column, cellText] of line.entries()) {
          if (head[column] !== "Number") expect(cellText).not.toMatch(/^\s*[=+\-@\t\r]/);
        }
      }
    });

    it("with rows=lines has a line for each row of line items", async () => {
      const { rows } = await csv("text/csv;profile=spreadsheet;rows=lines");
      const [head = [], ...lines] = rows;
      expect(head.slice(-4)).toEqual(["List", "Row", "Lines: SKU", "Lines: Qty"]);
      expect(lines).toHaveLength(items.length + 1);
      expect(lines.slice(0, 2).map((line) => line.slice(-4))).toEqual([
        ["Lines", "1", "'=1", "1"],
        ["Lines", "2", "b,c", ""],
      ]);
      expect(lines[0]?.[0]).toBe(lines[1]?.[0]);
      expect(lines[2]?.slice(-4)).toEqual(["", "", "", ""]);
    });
  });

  it("return 422 `invalid_input` for an invalid search before the download starts", async () => {
    const integrator = await client();
    const form = await makeForm(integrator);
    const body = { conditions: [{ field: "zzz", op: "eq", value: 1 }] };
    const answer = await integrator.post(`/forms/${form}/submissions/search`, body, {
      Accept: "text/csv",
    });
    expect([answer.status, answer.body.code]).toEqual([422, "invalid_input"]);
  });
});
