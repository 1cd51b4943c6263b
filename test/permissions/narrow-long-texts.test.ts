import { beforeAll, describe, expect, it } from "vitest";
import type { Client, Json } from "../support/client";
import { copyItem } from "../support/copies";
import { dataDb } from "../support/databases";
import { client, makeForm } from "../support/service";

/** More than a page of a search examines. */
const copies = 60;

let owner: Client;
beforeAll(async () => {
  owner = await client();
});

const fields = [
  { key: "title", type: "text", max_length: 1000 },
  { key: "n", type: "number" },
  { key: "text", type: "multiline_text", max_length: 100_000 },
];
const view = {
  key: "v",
  name: "V",
  conditions: [
    {
      any: Array.from({ length: 47 }, (_, index) => ({
        field: "text",
        op: "contains",
        value: `zq${index}`,
      })),
    },
  ],
};

describe("A search sorted, for a credential with a view,", () => {
  it.each<[string, Json[]]>([
    ["a text", [{ field: "title" }]],
    ["a text, downwards", [{ field: "title", direction: "desc" }]],
    ["two fields", [{ field: "title" }, { field: "n" }]],
  ])(
    "by %s returns every item of the view if many large hidden items share the start of a long text",
    async (_, sort) => {
      const form = await makeForm(owner, fields, { views: [view] });
      const path = `/forms/${form}/submissions`;
      const prefix = "P".repeat(70);
      const create = async (title: string, text: string): Promise<string> => {
        const answer = await owner.post(path, { data: { title, text } });
        expect([answer.status, answer.text.slice(0, 300)]).toEqual([201, expect.anything()]);
        return answer.body.id;
      };
      const first = await create("A", "zq46");
      const hidden = await create(`${prefix} #`, "語 ".repeat(20_000));
      await copyItem(hidden, copies);
      await dataDb
        .prepare(
          `with recursive n(i) as (select 1 union all select i + 1 from n where i < ?2)
        insert into search_entry select e.field, replace(e.value, '#', n.i), e.item + n.i, replace(e.folded, '#', n.i)
        from item cross join search_entry e on e.item = item.number, n where item.id = ?1`,
        )
        .bind(hidden, copies)
        .run();
      const last = await create("Z", "zq46");
      const partner = await client({
        permissions: ["submissions:read"],
        resources: [`form:${form}/v`],
      });
      const ids: string[] = [];
      const search: Json = { sort };
      let next: string | null = `${path}/search`;
      let pages = 0;
      for (; next !== null && pages < 12; pages += 1) {
        const answer: Json = await partner.post(next, search);
        expect(answer.status).toBe(200);
        ids.push(...answer.body.items.map(({ id }: { id: string }) => id));
        next = answer.body.links.next;
      }
      expect([next, ids]).toEqual([
        null,
        "direction" in (sort[0] ?? {}) ? [last, first] : [first, last],
      ]);
    },
    60_000,
  );
});
