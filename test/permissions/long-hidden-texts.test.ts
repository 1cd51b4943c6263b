import { beforeAll, describe, expect, it } from "vitest";
import type { Client } from "../support/client";
import { client, makeForm } from "../support/service";

let owner: Client;
beforeAll(async () => {
  owner = await client();
});

const letters = ["a", "b", "c", "d", "e"];
const fields = [
  { key: "title", type: "text" },
  { key: "n", type: "number" },
  ...letters.map((key) => ({ key, type: "multiline_text", max_length: 100_000 })),
];
const view = {
  key: "v",
  fields: ["title", "n"],
  name: "V",
  conditions: [
    {
      any: [
        ...Array.from({ length: 47 }, (_, index) => ({
          field: letters[index % letters.length],
          op: "contains",
          value: `語語語語語${index}`,
        })),
        { field: "e", op: "contains", value: "ours" },
      ],
    },
  ],
};

describe("A batch of 100 updates of an item with long hidden texts", () => {
  it("evaluates the view once if the batch changes no field of its conditions", async () => {
    const form = await makeForm(owner, fields, { views: [view] });
    const path = `/forms/${form}/submissions`;
    const { id } = (await owner.post(path, { data: { title: "x", n: 999 } })).body;
    for (const key of letters) {
      const patched = await owner.patch(`/submissions/${id}`, {
        data: { [key]: "語".repeat(8000) + (key === "e" ? "ours" : "") },
      });
      expect([patched.status, patched.text.slice(0, 200)]).toEqual([200, expect.anything()]);
    }
    const permissions = ["submissions:read", "submissions:write"];
    const partner = await client({ permissions, resources: [`form:${form}/v`] });
    const send = async (count: number) => {
      const operations = Array.from({ length: count }, (_, index) => ({
        op: "update",
        id,
        data: { n: 100 + count + index },
      }));
      const start = performance.now();
      expect((await partner.post(`${path}/batch`, { operations })).status).toBe(200);
      return performance.now() - start;
    };
    await send(1);
    const one = await send(1);
    expect(await send(100)).toBeLessThan(one + 500);
  }, 30_000);
});
