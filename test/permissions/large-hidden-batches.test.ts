import { beforeAll, describe, expect, it } from "vitest";
import type { Client } from "../support/client";
import { copyItem } from "../support/copies";
import { counted } from "../support/counting";
import { client, makeApp } from "../support/service";

let owner: Client;
beforeAll(async () => {
  owner = await client();
});

const long = { type: "multiline_text", max_length: 100_000 };
const letters = ["a", "b", "c", "d", "e"];
const fields = [
  { key: "title", type: "text" },
  { key: "n", type: "number" },
  { key: "next", type: "reference", app: "links" },
  ...letters.map((key) => ({ key, ...long })),
];
const view = {
  key: "v",
  name: "V",
  conditions: [
    {
      any: Array.from({ length: 30 }, (_, index) => ({
        field: letters[index % letters.length],
        op: "contains",
        value: `語語語語語${index}`,
      })),
    },
  ],
  fields: ["title", "n", "next"],
};
const { fetch, counts, reset } = counted();

describe("A batch through a view of expensive conditions", () => {
  it("takes no more calls, and hardly longer, for 100 large hidden records than for missing ones", async () => {
    await owner.put("/apps/links/schema", { fields: [{ key: "name", type: "text" }] });
    const app = await makeApp(owner, fields, { views: [view], receipt_prefix: "PEO-" });
    const path = `/apps/${app}/records`;
    const { id } = (await owner.post(path, { data: { title: "hidden", n: 2 } })).body;
    for (const key of letters) {
      const patched = await owner.patch(`${path}/${id}`, { data: { [key]: "語".repeat(100_000) } });
      expect([patched.status, patched.text.slice(0, 200)]).toEqual([200, expect.anything()]);
    }
    await copyItem(id, 100);
    const partner = await client({
      permissions: ["records:read", "records:write"],
      resources: [`app:${app}/v`],
    });
    const reader = partner.through(fetch);
    const ask = async (name: (index: number) => string) => {
      const operations = Array.from({ length: 100 }, (_, index) => ({
        op: "update",
        id: name(index),
        data: { n: 3 },
      }));
      reset();
      const start = performance.now();
      const answer = await reader.post(`${path}/batch`, { operations });
      const ms = performance.now() - start;
      return { status: answer.status, ms, d1: counts.d1, length: answer.text.length };
    };
    await ask((index) => `${id}Y${index + 1}`);
    const missing = await ask((index) => `${id}Y${index + 1}`);
    const hidden = await ask((index) => `${id}Z${index + 1}`);
    expect([hidden.status, hidden.length]).toEqual([404, missing.length]);
    expect(hidden.ms).toBeLessThan(missing.ms + 1000);
    expect(hidden.d1).toBeLessThanOrEqual(missing.d1 + 2);
  }, 60_000);
});
