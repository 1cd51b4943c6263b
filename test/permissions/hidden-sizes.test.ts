import { beforeAll, describe, expect, it } from "vitest";
import type { Client } from "../support/client";
import { copyItem } from "../support/copies";
import { client, makeForm } from "../support/service";
import { createdItem, decisions, otherThresholds, patchedItem, type Probe } from "./thresholds";

/** The limits of reads and batches by the size of what a narrow credential does not see. */

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
/** Computed texts that make 1.6 MB from a title of 19 characters. */
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
    await copyItem(ids[0] ?? "", 240);
    const conditions = [{ field: "title", op: "ne", value: "x" }];
    const answer = await partner.post(`${path}/aggregate`, { ...sum, conditions });
    expect(answer.status).toBe(422);
  });
});

describe("Large hidden results that the operations of a batch compute", () => {
  it("are limited to 8 MB, and single writes are not", async () => {
    const { path, partner, ids } = await makeItems(["title", "n"], { title: "t", n: 1 }, 6);
    const operations = ids.map((id) => ({ op: "update", id, data: { title } }));
    const batch = await partner.post(`${path}/batch`, { operations });
    expect(batch.status).toBe(413);
    const first = await partner.post(`${path}/batch`, { operations: operations.slice(0, 4) });
    expect(first.status).toBe(200);
    const single = await partner.patch(`/submissions/${ids[5]}`, { data: { title } });
    expect(single.status).toBe(200);
  });
});

describe("A credential that enlarges the hidden results of its items", () => {
  it("reaches the limit of a page at the same size whatever values its items hide", async () => {
    const make = async (decision: string): Promise<Probe> => {
      const form = await makeForm(
        owner,
        [
          ...fields,
          { key: "x", type: "text" },
          computed("x8", times("x", 8)),
          ...["y", "z"].map((key) => computed(key, times("x8", 4))),
        ],
        { views: [{ ...view, fields: ["title", "x"] }] },
      );
      const path = `/forms/${form}/submissions`;
      const permissions = ["submissions:read", "submissions:write"];
      const partner = await client({ permissions, resources: [`form:${form}/v`] });
      const create = (data: object) => createdItem(owner, path, { h0: decision, ...data });
      const { id } = await create({});
      // One more letter adds 28 KB of results. Together, these are a little less than a page may read.
      for (const length of [19, 19, 19, 19, 19, 19, 19, 8])
        await create({ title: "t".repeat(length) });
      await create({});
      return async (size) => {
        await patchedItem(partner, id, { x: "x".repeat(size) });
        return (await partner.get(path)).body.items.length < 10;
      };
    };
    const probes = await Promise.all(decisions.map(make));
    expect(await otherThresholds([1, 500], probes)).toEqual([]);
  });
});

describe("Hidden values of less than 32 KB in each of many items", () => {
  it("limit what an aggregate reads to 200 MB", async () => {
    const data = { title: "t", n: 1, h0: "x".repeat(31_000) };
    const { path, partner, ids } = await makeItems(["title", "n"], data, 1);
    await copyItem(ids[0] ?? "", 7000);
    const conditions = [{ field: "title", op: "ne", value: "x" }];
    const answer = await partner.post(`${path}/aggregate`, { ...sum, conditions });
    expect(answer.status).toBe(422);
  });
});
