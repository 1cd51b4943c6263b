import { beforeAll, describe, expect, it } from "vitest";
import type { Client } from "../support/client";
import { copyItem } from "../support/copies";
import { client, makeForm } from "../support/service";

let owner: Client;
beforeAll(async () => {
  owner = await client();
});

const computed = (key: string, formula: string) => ({
  key,
  label: key,
  type: "computed",
  result: "text",
  formula,
});
const times = (key: string, count: number) =>
  `concat(${Array.from({ length: count }, () => key).join(", ")})`;
/** Computed texts that make 1.6 MB of a title of 19 characters. */
const results = [
  computed("f1", times("title", 8)),
  computed("f2", times("f1", 8)),
  computed("f3", times("f2", 8)),
  ...Array.from({ length: 27 }, (_, index) => computed(`g${index}`, times("f3", 2))),
];
const texts = Array.from({ length: 9 }, (_, index) => ({
  key: `h${index}`,
  type: "multiline_text",
  max_length: 100_000,
  searchable: false,
}));
const fields = [
  { key: "title", type: "text", max_length: 19 },
  { key: "n", type: "number" },
  ...texts,
  ...results,
];
const view = { key: "v", name: "V", conditions: [], fields: ["title", "n"] };

async function makeItems(shown: string[], data: object, count: number, author?: "partner") {
  const form = await makeForm(owner, fields, { views: [{ ...view, fields: shown }] });
  const path = `/forms/${form}/submissions`;
  const partner = await client({
    permissions: ["submissions:read", "submissions:write"],
    resources: [`form:${form}/v`],
  });
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const answer = await (author ? partner : owner).post(path, { data });
    expect([answer.status, answer.text.slice(0, 300)]).toEqual([201, expect.anything()]);
    ids.push(answer.body.id);
  }
  return { path, partner, ids };
}

const secrets = Object.fromEntries(texts.slice(0, 3).map(({ key }) => [key, "語".repeat(100_000)]));
const title = "語".repeat(19);
const sum = { metrics: { total: { op: "sum", field: "n" } } };

describe.each<[string, object, "partner" | undefined]>([
  ["values", { title: "t", n: 1, ...secrets }, undefined],
  ["results", { title, n: 1 }, "partner"],
])("Large hidden %s of the items of a view", (_, data, author) => {
  it("limit what a batch changes to 8 MB", async () => {
    const { path, partner, ids } = await makeItems(["title", "n"], data, 12, author);
    const operations = ids.map((id) => ({ op: "update", id, data: { n: 2 } }));
    expect((await partner.post(`${path}/batch`, { operations })).status).toBe(413);
  });

  it("limit what a page reads to about 4 MB", async () => {
    const { path, partner } = await makeItems(["title", "n"], data, 12, author);
    const page = await partner.get(path);
    expect(page.body.items.length).toBeLessThan(8);
  });

  it("limit what an aggregate reads to 200 MB", async () => {
    const { path, partner, ids } = await makeItems(["title", "n"], data, 1, author);
    await copyItem(ids[0] ?? "", 400);
    const conditions = [{ field: "title", op: "ne", value: "x" }];
    const answer = await partner.post(`${path}/aggregate`, { ...sum, conditions });
    expect(answer.status).toBe(422);
  });
});

describe("Hidden values of less than 32 KB in each of many items", () => {
  it("limit what an aggregate reads to 200 MB", async () => {
    const data = { title: "t", n: 1, h0: "x".repeat(31_000) };
    const { path, partner, ids } = await makeItems(["title", "n"], data, 1);
    await copyItem(ids[0] ?? "", 9000);
    const conditions = [{ field: "title", op: "ne", value: "x" }];
    const answer = await partner.post(`${path}/aggregate`, { ...sum, conditions });
    expect(answer.status).toBe(422);
  });
});
