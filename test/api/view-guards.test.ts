import { beforeAll, describe, expect, it } from "vitest";
import type { Client, Json } from "../support/client";
import { Client as Caller } from "../support/client";
import { runBackfill } from "../../src/actions/backfill.ts";
import { dataDb, homeDb } from "../support/databases";
import { background } from "../support/serve";
import { as, newMember } from "../support/members";
import { admin, client, issue, makeForm } from "../support/service";

/** What a change of a definition, a deletion and a restore may do to credentials that see a view. */

const fields = [
  { key: "title", type: "text" },
  { key: "pay", type: "number" },
  { key: "score", type: "computed", formula: "pay * 0", result: "number" },
];
const titles = { key: "titles", name: "Titles", fields: ["title"] };
const scores = { key: "scores", name: "Scores", fields: ["title", "score"] };
const mine = {
  key: "mine",
  name: "Mine",
  conditions: [{ field: "$created_by", op: "eq", value: "$me" }],
};
const rights = ["submissions:read", "submissions:create"];

let owner: Client;
beforeAll(async () => {
  owner = await client();
});

async function editorsToken(): Promise<Client> {
  const { cookie } = await newMember("editor");
  const { body } = await as(cookie)("POST", "/integrations", {
    kind: "token",
    name: "An editor's",
    permissions: ["schema:read", "schema:write"],
    resources: "all",
    expires: "30d",
  });
  return new Caller(body.token);
}

/** Stores expired copies of a credential, which come before credentials that are issued later. */
async function copyExpired(id: string, count: number): Promise<void> {
  const row = await homeDb.prepare("select * from credential where id = ?").bind(id).first();
  const columns = Object.keys(row ?? {}).filter((name) => !["id", "expires_at"].includes(name));
  const selected = columns.map((name) => `c.${name}`).join();
  await homeDb
    .prepare(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
        insert into credential (id, expires_at, ${columns.join()})
        select c.id || n.i, 1, ${selected} from credential c, n where c.id = ?`,
    )
    .bind(count, id)
    .run();
}

describe("A view that a credential uses", () => {
  it("keeps its formulas unless an owner or admin changes them", async () => {
    const form = await makeForm(owner, fields, { views: [titles, scores] });
    const editor = await editorsToken();
    const path = `/forms/${form}/schema`;
    const withFormula = (formula: string) => ({
      fields: fields.map((field) => (field.key === "score" ? { ...field, formula } : field)),
    });
    await issue({ permissions: rights, resources: [`form:${form}/titles`] });
    expect((await editor.put(path, withFormula("pay * 1"))).status).toBe(200);
    await issue({ permissions: rights, resources: [`form:${form}/scores`] });
    const refused = await editor.put(path, withFormula("pay * 2"));
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining("scores")]);
    const dry = await owner.put(`${path}?dry_run=true`, withFormula("pay * 2"));
    expect(dry.body.consequences.views).toEqual(["scores"]);
    expect((await owner.put(path, withFormula("pay * 2"))).status).toBe(200);
  });

  it("keeps what its formulas read unless an owner or admin changes it", async () => {
    const twice = { key: "twice", type: "computed", formula: "amount * 2", result: "number" };
    const numbers = ["amount", "secret"].map((key) => ({ key, type: "number" }));
    const views = [{ key: "twices", name: "Twices", fields: ["twice"] }];
    const form = await makeForm(owner, [...numbers, twice], { views });
    const editor = await editorsToken();
    const path = `/forms/${form}/schema`;
    await issue({ permissions: rights, resources: [`form:${form}/twices`] });
    const swapped = {
      fields: [
        { key: "secret", type: "number", renamed_from: "amount" },
        { key: "amount", type: "number", renamed_from: "secret" },
        twice,
      ],
    };
    const refused = await editor.put(path, swapped);
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining("twices")]);
    const dry = await owner.put(`${path}?dry_run=true`, swapped);
    expect(dry.body.consequences.views).toEqual(["twices"]);
  });

  it("cannot be removed, however many credentials use other views of the form", async () => {
    const form = await makeForm(owner, fields, { views: [titles, scores] });
    const { id } = await issue({ permissions: rights, resources: [`form:${form}/titles`] });
    await copyExpired(id, 1100);
    await issue({ permissions: rights, resources: [`form:${form}/scores`] });
    const path = `/forms/${form}/schema`;
    const removed = await owner.patch(path, { views: [titles] });
    expect([removed.status, removed.body.code]).toEqual([409, "schema_in_use"]);
    const views = [{ ...titles, fields: ["title", "pay"] }, scores];
    const dry = await owner.patch(`${path}?dry_run=true`, { views });
    expect(dry.body.consequences.credentials).toHaveLength(1101);
  });

  it("cannot become personal while all visitors of a page read through it", async () => {
    const form = await makeForm(owner, fields, { views: [{ ...mine, conditions: [] }] });
    const origins = ["https://shop.example"];
    const { id } = await issue({ permissions: rights, resources: [`form:${form}/mine`], origins });
    const refused = await owner.patch(`/forms/${form}/schema`, { views: [mine] });
    expect([refused.status, refused.body.errors[0]]).toMatchObject([
      422,
      { field: "views", code: "invalid_definition", reason: expect.stringContaining('"$me"') },
    ]);
    await admin("POST", `/integrations/${id}`, { permissions: ["submissions:create"] });
    expect((await owner.patch(`/forms/${form}/schema`, { views: [mine] })).status).toBe(200);
  });

  it.each([
    ["is not changed by a pending change of an editor", false],
    ["is changed by a pending change of an owner", true],
  ])("%s that began before the credential had the view", async (_, isOwner) => {
    const form = await makeForm(owner, fields, { views: [titles] });
    const path = `/forms/${form}/schema`;
    await owner.post(`/forms/${form}/submissions`, { data: { title: "a", pay: 7 } });
    const run = (sql: string) => dataDb.prepare(sql).run();
    // The check of items this large takes more than one step.
    await run("update tally set largest = 100000000");
    await run(
      "create trigger held before update on pending_change begin select raise(abort, 'held'); end",
    );
    const caller = isOwner ? owner : await editorsToken();
    const changed = {
      fields: fields.map((field) => (field.key === "title" ? { ...field, unique: true } : field)),
      views: [{ ...titles, fields: ["title", "pay"] }],
    };
    const pending = await caller.put(path, changed);
    expect([pending.status, pending.body.code]).toEqual([202, undefined]);
    const partner = await client({
      permissions: [...rights, "schema:read"],
      resources: [`form:${form}/titles`],
    });
    await run("drop trigger held");
    await runBackfill(background());
    const seen = (await partner.get(path)).body.fields.map(({ key }: Json) => key);
    expect(seen).toEqual(isOwner ? ["title", "pay"] : ["title"]);
    const { body } = await owner.get(path);
    expect(body.pending?.problem?.code).toBe(isOwner ? undefined : "schema_in_use");
  });
});

describe("The restore of a form", () => {
  const remove = async (form: string) => {
    expect((await admin("POST", `/forms/${form}/delete`, { confirm: form })).status).toBe(204);
  };
  const restore = async (form: string) => {
    const { items } = (await admin("GET", "/deleted")).body;
    const { id } = items.find(({ key }: Json) => key === form);
    expect((await admin("POST", `/deleted/${id}/restore`, {})).status).toBeLessThan(300);
  };
  const resourcesOf = async (id: string) =>
    (await admin("GET", `/integrations/${id}`)).body.resources;

  it("returns a view to a credential that may still have it", async () => {
    const form = await makeForm(owner, fields, { views: [mine] });
    const resources = [`form:${form}/mine`];
    const { id } = await issue({ permissions: rights, resources });
    await remove(form);
    expect(await resourcesOf(id)).toEqual([]);
    await restore(form);
    expect(await resourcesOf(id)).toEqual(resources);
  });

  it("returns no view to a credential with rights that no view allows", async () => {
    const form = await makeForm(owner, fields, { views: [mine] });
    const other = await makeForm(owner, fields);
    const resources = [`form:${form}/mine`];
    const changes = [
      { permissions: ["schema:write"], resources: [`form:${other}`] },
      { permissions: ["webhooks:manage"], resources: [`form:${other}`] },
      { origins: ["https://shop.example"], resources: [`form:${other}`] },
    ];
    const issued = [];
    for (const _ of changes) issued.push((await issue({ permissions: rights, resources })).id);
    await remove(form);
    for (const [index, change] of changes.entries())
      expect((await admin("POST", `/integrations/${issued[index]}`, change)).status).toBe(200);
    await restore(form);
    for (const id of issued) expect(await resourcesOf(id)).toEqual([`form:${other}`]);
  });
});
