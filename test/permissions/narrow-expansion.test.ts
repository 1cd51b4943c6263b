import { expect, it } from "vitest";
import { dataDb } from "../support/databases";
import { servedBetween } from "../support/serve-between";
import { client, makeApp, makeForm } from "../support/service";

it.each([
  ["a search continues", 2],
  ["it then reads the records", 3],
])(
  "includes nothing that somebody entered after the view of the app hid it, when %s",
  async (_, place) => {
    const owner = await client();
    const viewOf = (fields: string[]) => ({ views: [{ key: "v", name: "V", fields }] });
    const people = ["name", "pay"].map((key) => ({ key, type: "text" }));
    const app = await makeApp(owner, people, viewOf(["name", "pay"]));
    const team = { key: "team", type: "text" };
    const fields = [
      { key: "title", type: "text" },
      team,
      { key: "person", type: "reference", app },
    ];
    const ours = { field: "team", op: "ne", value: "theirs" };
    const form = await makeForm(owner, fields, {
      views: [{ key: "ours", name: "Ours", conditions: [ours] }],
    });
    const partner = await client({
      permissions: ["submissions:read", "records:read"],
      resources: [`form:${form}/ours`, `app:${app}/v`],
    });
    const items = `/forms/${form}/submissions`;
    const person = (await owner.post(`/apps/${app}/records`, { data: { name: "p" } })).body.id;
    await owner.post(items, { data: { title: "visible", team: "ours", person } });
    const { id } = (await owner.post(items, { data: { title: "x", team: "theirs" } })).body;
    // So many hidden items that the search continues with a second statement.
    const { results } = await dataDb.prepare("pragma table_info(item)").all<{ name: string }>();
    const columns = results.map(({ name }) => name);
    const copies = columns.map(
      (name) => ({ number: "number + n.i", id: "id || n.i" })[name] ?? `i.${name}`,
    );
    await dataDb
      .prepare(
        `with recursive n (i) as (select 1 union all select i + 1 from n where i < 11000)
        insert into item (${columns.join()}) select ${copies.join()} from item i, n where id = ?`,
      )
      .bind(id)
      .run();
    const hide = async () => {
      expect((await owner.patch(`/apps/${app}/schema`, viewOf(["name"]))).status).toBe(200);
      await owner.patch(`/apps/${app}/records/${person}`, { data: { pay: "SECRET" } });
    };
    const answer = await partner
      .through(servedBetween(/'hit' as kind/, hide, place))
      .post(`${items}/search`, {
        conditions: [{ field: "title", op: "contains", value: "visib" }],
        expand: ["person"],
      });
    expect([answer.status, answer.text.includes("SECRET")]).toEqual([200, false]);
    expect(answer.body.items).toMatchObject([{ data: { title: "visible" } }]);
    expect(answer.body.included[person].data).toEqual({ name: "p" });
  },
);
