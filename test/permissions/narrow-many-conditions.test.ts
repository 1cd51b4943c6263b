import { beforeAll, describe, expect, it } from "vitest";
import type { Json } from "../support/client";
import { client, makeApp, makeForm } from "../support/service";

let owner: Awaited<ReturnType<typeof client>>;
beforeAll(async () => {
  owner = await client();
});

const fieldsOf = (app?: string) => [
  { key: "title", type: "text" },
  { key: "n", type: "number" },
  ...(app ? ["r1", "r2"].map((key) => ({ key, type: "reference", app })) : []),
];
const texts = (count: number, from = 0): Json[] => {
  const leaf = (index: number) => ({ field: "title", op: "contains", value: `é${from + index}` });
  return [{ not: { any: Array.from({ length: count }, (_, index) => leaf(index)) } }];
};

describe("A search sorted by a field, through views of many conditions,", () => {
  it.each([
    [48, 0],
    [48, 10],
    [40, 48],
  ])(
    "gets an answer within seconds, with %i conditions of the view and %i of its own, expanding two references",
    async (count, ownCount) => {
      const view = { key: "v", name: "V", conditions: texts(count) };
      const app = await makeApp(owner, fieldsOf(), { views: [view] });
      const form = await makeForm(owner, fieldsOf(app), { views: [view] });
      const path = `/forms/${form}/submissions`;
      const record = await owner.post(`/apps/${app}/records`, { data: { title: "r" } });
      const data = { title: "t", n: 1, r1: record.body.id };
      const made = await owner.post(path, { data });
      expect(made.status).toBe(201);
      const partner = await client({
        permissions: ["submissions:read", "records:read"],
        resources: [`form:${form}/v`, `app:${app}/v`],
      });
      const conditions = ownCount > 0 ? texts(ownCount, 100) : [];
      const start = performance.now();
      const answer = await partner.post(`${path}/search`, {
        conditions,
        sort: [{ field: "n" }],
        expand: ["r1", "r2"],
      });
      expect([answer.status, answer.body.items?.length]).toEqual([200, 1]);
      expect(Object.keys(answer.body.included)).toEqual([record.body.id]);
      expect(performance.now() - start).toBeLessThan(6000);
    },
  );

  it("returns each item once, with and without a value in the sort field", async () => {
    const view = { key: "v", name: "V", conditions: texts(48) };
    const form = await makeForm(owner, fieldsOf(), { views: [view] });
    const path = `/forms/${form}/submissions`;
    const ids: string[] = [];
    for (const n of [2, null, 1, null, 3])
      ids.push((await owner.post(path, { data: { title: "t", n } })).body.id);
    const resources = [`form:${form}/v`];
    const partner = await client({ permissions: ["submissions:read"], resources });
    for (const limit of [1, 2, 3, 50]) {
      const body = { conditions: texts(48, 100), sort: [{ field: "n" }], limit };
      const found: string[] = [];
      let next: string | null = `${path}/search`;
      while (next !== null) {
        const answer: Json = await partner.post(next, body);
        expect(answer.status).toBe(200);
        found.push(...answer.body.items.map(({ id }: Json) => id));
        next = answer.body.links.next;
      }
      expect(found).toEqual([ids[2], ids[0], ids[4], ids[1], ids[3]]);
    }
  });
});
