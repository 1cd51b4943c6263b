import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { beforeAll, describe, expect, it } from "vitest";
import { runBackfill } from "../../src/actions/backfill.ts";
import type { Client, Fetch, Json } from "../support/client";
import { copyItem } from "../support/copies";
import { client, freshKey, makeForm } from "../support/service";
import { dataDb, withDataDb } from "../support/databases";
import { sized } from "../support/size";
import { background, reportsAtOnce, serve, serviceWith } from "../support/serve";

const letters = "abcdefghijklmnopqrstuvwxyz";
const keys = Array.from({ length: 195 }, (_, n) => `c${letters[n % 26]}${letters[(n / 26) | 0]}`);
const fields = (searchable: boolean) => [
  { key: "note", type: "text" },
  {
    key: "l",
    type: "line_items",
    fields: keys.map((key) => ({ key, type: "number", searchable })),
  },
];
/** With 500 rows, an item has 97,500 values. */
const rowCount = sized(200, 500);
const rows = (count: number) =>
  Array.from({ length: count }, (_, n) => Object.fromEntries(keys.map((key) => [key, n])));

/** The documented maximum size of a D1 parameter, which the local D1 does not enforce. */
const maxParameterBytes = 2_000_000;
const DB = new Proxy(dataDb, {
  get(target, name) {
    const value: unknown = Reflect.get(target, name);
    if (name !== "prepare") return typeof value === "function" ? value.bind(target) : value;
    return (query: string) => {
      const prepared = target.prepare(query);
      const bind = prepared.bind.bind(prepared);
      prepared.bind = (...values) => {
        const isTooLong = values.some(
          (bound) =>
            typeof bound === "string" && new TextEncoder().encode(bound).length > maxParameterBytes,
        );
        if (isTooLong) throw new Error("D1_ERROR: string or blob too big: SQLITE_TOOBIG");
        return bind(...values);
      };
      return prepared;
    };
  },
});

describe("An item of tens of thousands of values that are not searchable", () => {
  let integrator: Client;
  beforeAll(async () => {
    const fetch: Fetch = async (request) => {
      const ctx = createExecutionContext();
      const bindings = withDataDb({ TIMEOUTS: reportsAtOnce }, DB);
      const response = await serve(request, bindings, ctx);
      await waitOnExecutionContext(ctx);
      return response;
    };
    integrator = (await client()).through(fetch);
  });
  const make = async (form: string) => {
    const created = await integrator.post(`/forms/${form}/submissions`, {
      data: { note: "x", l: rows(rowCount) },
    });
    expect(created.status).toBe(201);
    return created.body.id as string;
  };
  const patch = async (id: string, body: Json) =>
    (await integrator.patch(`/submissions/${id}`, body)).status;
  const remove = async (id: string) => (await integrator.delete(`/submissions/${id}`)).status;
  const orphanedEntries = async () =>
    (
      await dataDb
        .prepare("select count(*) n from search_entry where item not in (select number from item)")
        .first<Json>()
    ).n;

  it("can be changed, closed and deleted", async () => {
    const form = await makeForm(integrator, fields(false));
    const id = await make(form);
    expect(await patch(id, { data: { note: "y" } })).toBe(200);
    expect(await patch(id, { status: "closed" })).toBe(200);
    expect(await remove(await make(form))).toBe(204);
    expect(await orphanedEntries()).toBe(0);
  });

  it("can be changed and deleted in a batch", async () => {
    const form = await makeForm(integrator, fields(false));
    const id = await make(form);
    const batch = async (operation: Json) =>
      integrator.post(
        `/forms/${form}/submissions/batch`,
        { operations: [operation] },
        { "Idempotency-Key": freshKey("batch") },
      );
    const changed = await batch({ op: "update", id, data: { note: "y" } });
    expect([changed.status, changed.text]).toEqual([200, changed.text]);
    expect((await batch({ op: "delete", id })).status).toBe(200);
    expect(await orphanedEntries()).toBe(0);
  });

  it("is indexed in steps once its fields are searchable, and then returns 413 when it grows", async () => {
    const form = await makeForm(integrator, fields(false));
    const id = await make(form);
    const otherForm = await makeForm(integrator, [{ key: "a", type: "text", searchable: false }]);
    await integrator.post(`/forms/${otherForm}/submissions`, { data: { a: "b" } });
    await integrator.put(`/forms/${form}/schema`, { fields: fields(true) });
    await integrator.put(`/forms/${otherForm}/schema`, { fields: [{ key: "a", type: "text" }] });
    await runBackfill(background(serviceWith(withDataDb({}, DB)).databases));
    for (const [key, condition] of [
      [
        form,
        { field: "l", op: "any", value: [{ field: keys[194], op: "eq", value: rowCount - 1 }] },
      ],
      [otherForm, { field: "a", op: "eq", value: "b" }],
    ] as const) {
      const result = await integrator.post(`/forms/${key}/submissions/search`, {
        conditions: [condition],
      });
      expect(result.body.items).toHaveLength(1);
    }
    expect(await patch(id, { data: { note: "y" } })).toBe(200);
    expect(await patch(id, { data: { l: rows(rowCount * 0.8) } })).toBe(200);
    expect(await patch(id, { data: { l: rows(rowCount * 0.9) } })).toBe(413);
    expect(await patch(id, { status: "closed" })).toBe(200);
    expect(await remove(id)).toBe(409);
  }, 60_000);
});

describe("A search that names large items by their creation times", () => {
  it("returns each item once, even if no item has some of the times", async () => {
    const integrator = await client();
    const long = (key: string) => ({ key, type: "multiline_text", max_length: 100_000 });
    const texts = ["a", "b", "c"].map((key) => ({ ...long(key), searchable: false }));
    const form = await makeForm(integrator, [{ key: "title", type: "text" }, ...texts]);
    const items = `/forms/${form}/submissions`;
    const data = Object.fromEntries(texts.map(({ key }) => [key, "語".repeat(99_000)]));
    const { body } = await integrator.post(items, { data });
    // The copies are one millisecond apart. Together, they are too large to sort.
    await copyItem(body.id, 40);
    const start = Date.parse(body.created_at);
    const times = Array.from({ length: 44 }, (_, ms) => new Date(start + ms - 4).toISOString());
    const conditions = [
      { field: "$created_at", op: "in", value: times },
      { field: "title", op: "is_empty", value: true },
    ];
    const found: string[] = [];
    let next = `${items}/search`;
    while (next) {
      const page: Json = (await integrator.post(next, { conditions, limit: 100 })).body;
      found.push(...page.items.map(({ id }: Json) => id));
      next = page.links.next?.replace(/^.*\/api\/v1/, "");
    }
    expect([found.length, new Set(found).size]).toEqual([40, 40]);
  });
});
