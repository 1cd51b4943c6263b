import { beforeAll, describe, expect, it } from "vitest";
import { dataDb } from "../support/databases";
import type { Client } from "../support/client";
import { client, makeForm } from "../support/service";

/** What a narrow credential can do with the feed of changes, and cannot learn from it. */

let owner: Client;
beforeAll(async () => {
  owner = await client();
});

const day = 24 * 60 * 60 * 1000;
const team = { key: "team", type: "select", options: [{ value: "ours" }, { value: "theirs" }] };
const ours = { field: "team", op: "eq", value: "ours" };

async function follow(fields: object[], keys: string[]) {
  const view = { key: "ours", name: "Ours", conditions: [ours], fields: keys };
  const form = await makeForm(owner, [team, ...fields], { views: [view] });
  const resources = [`form:${form}/ours`];
  const partner = await client({ permissions: ["submissions:read"], resources });
  const create = (name: string) =>
    owner.post(`/forms/${form}/submissions`, { data: { team: name } });
  const age = async (days: number) => {
    const oldest = await dataDb
      .prepare(
        `update change set at = at - ?1 where item in
          (select i.number from item i join collection c on c.id = i.collection_id where c.key = ?2)`,
      )
      .bind(days * day, form)
      .run();
    expect(oldest.meta.changes).toBeGreaterThan(0);
  };
  return { feed: `/forms/${form}/changes`, partner, create, age };
}

describe("The changes feed of a narrow credential", () => {
  it("continues through a view of many fields", async () => {
    const fields = Array.from({ length: 60 }, (_, index) => ({ key: `f${index}`, type: "text" }));
    const { feed, partner, create } = await follow(fields, [
      "team",
      ...fields.map(({ key }) => key),
    ]);
    await create("ours");
    const first = await partner.get(feed);
    expect(first.body.items).toHaveLength(1);
    await create("ours");
    const next = await partner.get(first.body.links.next);
    expect([next.status, next.body.items?.length]).toEqual([200, 1]);
  });

  it("does not expire because of hidden changes, but 30 days after it was read", async () => {
    const { feed, partner, create, age } = await follow([], ["team"]);
    await create("ours");
    const { links } = (await partner.get(`${feed}?limit=1`)).body;
    await create("theirs");
    await age(40);
    const next = await partner.get(links.next);
    expect([next.status, next.body.items]).toEqual([200, []]);
  });
});
