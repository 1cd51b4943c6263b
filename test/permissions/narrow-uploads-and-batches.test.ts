import { createExecutionContext } from "cloudflare:test";
import { beforeAll, describe, expect, it } from "vitest";
import { app as worker } from "../../src/app.ts";
import type { Answer, Client, Json } from "../support/client";
import { announcement, pdf } from "../support/files";
import { copyItem } from "../support/copies";
import { counted } from "../support/counting";
import { client, makeApp, makeForm } from "../support/service";
import { serviceWith } from "../support/serve";

/** Further attempts with a narrow credential and the code. */

let owner: Client;
beforeAll(async () => {
  owner = await client();
});

const rights = ["records:read", "records:write", "submissions:read", "submissions:write"];
const viewOf = (fields: string[], conditions: object[] = []) => ({
  views: [{ key: "v", name: "V", conditions, fields }],
});
const titleField = { key: "title", type: "text" };
const docsField = { key: "docs", type: "files" };

/** The caller in an isolate that has read the definition. */
async function inAnotherIsolate(caller: Client, form: string): Promise<Client> {
  const service = serviceWith();
  const isolate = caller.through(async (request) =>
    worker.fetch(request, service, createExecutionContext()),
  );
  expect((await isolate.get(`/forms/${form}/submissions`)).status).toBe(200);
  return isolate;
}

const announceIn = (caller: Client, form: string) =>
  caller.post("/files", { ...announcement(`form:${form}`, pdf()), field: "docs" });

describe("An upload", () => {
  it("is refused for a field that the view has just hidden, in an isolate that knows the former view", async () => {
    const form = await makeForm(owner, [titleField, docsField], viewOf(["title", "docs"]));
    const partner = await client({ permissions: rights, resources: [`form:${form}/v`] });
    const isolate = await inAnotherIsolate(partner, form);
    expect((await announceIn(isolate, form)).status).toBe(201);
    expect((await owner.patch(`/forms/${form}/schema`, viewOf(["title"]))).status).toBe(200);
    const refused = await announceIn(isolate, form);
    expect([refused.status, refused.body.errors?.[0]?.code]).toEqual([422, "unknown_field"]);
  });

  it("is accepted for a field that was just added, in an isolate that knows the former definition", async () => {
    const form = await makeForm(owner, [titleField]);
    const isolate = await inAnotherIsolate(owner, form);
    const fields = [titleField, docsField];
    expect((await owner.put(`/forms/${form}/schema`, { fields })).status).toBe(200);
    expect((await announceIn(isolate, form)).status).toBe(201);
  });
});

const comparable = ({ status, text }: Answer, ...names: string[]) => {
  const withoutNames = names.reduce((rest, name) => rest.replaceAll(name, "ID"), text);
  return [status, withoutNames.replace(/"request_id":"[^"]*"/, "")];
};

describe("A batch of a narrow credential", () => {
  it("takes no more calls for large hidden items than for missing ones", async () => {
    const { fetch, counts, reset } = counted();
    const team = { key: "team", type: "text" };
    const texts = Array.from({ length: 18 }, (_, index) => ({
      key: `t${index}`,
      type: "text",
      max_length: 100_000,
      searchable: false,
    }));
    const ours = { field: "team", op: "eq", value: "ours" };
    const form = await makeForm(owner, [team, ...texts], viewOf(["team"], [ours]));
    const partner = (await client({ permissions: rights, resources: [`form:${form}/v`] })).through(
      fetch,
    );
    const path = `/forms/${form}/submissions`;
    const hidden = (await owner.post(path, { data: { team: "theirs" } })).body.id;
    for (const part of [texts.slice(0, 9), texts.slice(9)]) {
      const data = Object.fromEntries(part.map(({ key }) => [key, "x".repeat(99_000)]));
      expect((await owner.patch(`/submissions/${hidden}`, { data })).status).toBe(200);
    }
    await copyItem(hidden, 12);
    const shown = (await owner.post(path, { data: { team: "ours" } })).body.id;
    // The isolate caches the definition.
    await partner.get(`/submissions/${shown}`);
    const update = async (name: (index: number) => string) => {
      reset();
      const named = Array.from({ length: 12 }, (_, index) => name(index));
      const operations = [...named, shown].map((id) => ({ op: "update", id, data: {} }));
      const answer = await partner.post(`${path}/batch`, { operations });
      return { answer: comparable(answer, ...named), d1: counts.d1, rows: counts.rowsRead };
    };
    const missing = await update((index) => `${hidden}Y${index + 1}`);
    const existing = await update((index) => `${hidden}Z${index + 1}`);
    expect([existing.answer, existing.d1]).toEqual([missing.answer, missing.d1]);
    // An index entry and the item, which the statement reads twice.
    expect(existing.rows - missing.rows).toBeLessThanOrEqual(12 * 4);
  });

  it("gets the same answer for a hidden record as for a missing one, by its ID and its receipt number at once", async () => {
    const code = { key: "code", type: "text", unique: true };
    const ours = { field: "team", op: "eq", value: "ours" };
    const app = await makeApp(owner, [titleField, { key: "team", type: "text" }, code], {
      receipt_prefix: "ORD-",
      ...viewOf(["title", "team"], [ours]),
    });
    const items = `/apps/${app}/records`;
    const make = async (data: object): Promise<Json> => (await owner.post(items, { data })).body;
    const hidden = await make({ title: "x", team: "theirs", code: "Q" });
    const shown = await make({ title: "y", team: "ours", code: "R" });
    const partner = await client({ permissions: rights, resources: [`app:${app}/v`] });
    const update = (id: string, rest: object = {}) => ({
      op: "update",
      id,
      data: { title: "t" },
      ...rest,
    });
    const ask = async (id: string, receipt: string) => {
      const batches = [
        [update(id), update(receipt)],
        [update(shown.id), update(id)],
        [update(id, { if_match: '"9"' }), update(shown.id, { if_match: '"99"' })],
        [update(id), update(id), update(receipt)],
        [{ op: "upsert", by: "code", data: { code: "Q" } }, update(id)],
      ];
      const answers = [];
      for (const operations of batches)
        answers.push(comparable(await partner.post(`${items}/batch`, { operations }), id, receipt));
      return answers;
    };
    const missing = await ask("rec_01KAHV3M4E7XQ2R5T8W9YZB6CD", "ORD-000099");
    expect(missing.map(([status]) => status)).toEqual([404, 404, 404, 404, 404]);
    expect(await ask(hidden.id, hidden.receipt_number)).toEqual(missing);
  });

  it("keeps the results of hidden formulas that take most of the steps of an item", async () => {
    const product = Array.from({ length: 9 }, () => "l.n").join(" * ");
    const costs = Array.from({ length: 12 }, (_, index) => `cost${index}`);
    const fields = [
      titleField,
      { key: "lines", type: "line_items", fields: [{ key: "n", type: "number" }] },
      ...costs.map((key) => ({
        key,
        type: "computed",
        result: "number",
        formula: `sum(lines.map(l, ${product}))`,
      })),
    ];
    const form = await makeForm(owner, fields, viewOf(["title"]));
    const items = `/forms/${form}/submissions`;
    const lines = Array.from({ length: 300 }, () => ({ n: 1 }));
    const expensive = (await owner.post(items, { data: { lines } })).body;
    const cheap = (await owner.post(items, { data: {} })).body;
    expect(costs.map((key) => expensive.data[key])).toEqual(costs.map(() => 300));
    const partner = await client({ permissions: rights, resources: [`form:${form}/v`] });
    const operations = Array.from({ length: 100 }, (_, index) => ({
      op: "update",
      id: index === 0 ? expensive.id : cheap.id,
      data: { title: `t${index}` },
    }));
    expect((await partner.post(`${items}/batch`, { operations })).status).toBe(200);
    const { data } = (await owner.get(`/submissions/${expensive.id}`)).body;
    expect(data).toEqual({ ...expensive.data, title: "t0" });
  });
});
