import { beforeAll, describe, expect, it } from "vitest";
import type { Client, Json } from "../support/client";
import { homeDb } from "../support/databases";
import { as, issueEditorToken, newMember } from "../support/members";
import { holdChecks } from "../support/pending";
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

/** Stores copies of a credential, which come before credentials that are issued later. They belong to another member. */
async function copyCredential(id: string, count: number): Promise<void> {
  const member = await newMember("admin");
  const row = await homeDb.prepare("select * from credential where id = ?").bind(id).first();
  const columns = Object.keys(row ?? {}).filter((name) => !["id", "member_id"].includes(name));
  const selected = columns.map((name) => `c.${name}`).join();
  await homeDb
    .prepare(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
        insert into credential (id, member_id, ${columns.join()})
        select c.id || n.i, ?, ${selected} from credential c, n where c.id = ?`,
    )
    .bind(count, member.id, id)
    .run();
}

describe("A view that a credential uses", () => {
  it("keeps its formulas unless an owner or admin changes them", async () => {
    const form = await makeForm(owner, fields, { views: [titles, scores] });
    const editor = await issueEditorToken();
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
    const editor = await issueEditorToken();
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

  it("shows a column that was removed or is new only after an owner or admin adds it", async () => {
    const lines = (...columns: string[]) => [
      { key: "title", type: "text" },
      { key: "lines", type: "line_items", fields: columns.map((key) => ({ key, type: "text" })) },
    ];
    const views = [{ key: "v", name: "V", fields: ["title", "lines"] }];
    const form = await makeForm(owner, lines("article", "cost"), { views });
    const path = `/forms/${form}/schema`;
    const rows = [{ article: "desk", cost: "SECRET 77" }];
    const { body } = await owner.post(`/forms/${form}/submissions`, { data: { lines: rows } });
    expect((await owner.put(path, { fields: lines("article") })).status).toBe(200);
    const partner = await client({ permissions: rights, resources: [`form:${form}/v`] });
    const { next } = (await partner.get(`/forms/${form}/changes?cursor=now`)).body.links;
    const editor = await issueEditorToken();
    for (const columns of [lines("article", "cost"), lines("article", "price")]) {
      const dry = await owner.put(`${path}?dry_run=true`, { fields: columns });
      expect(dry.body.consequences.views).toEqual(["v"]);
      const refused = await editor.put(path, { fields: columns });
      expect([refused.status, refused.text]).toEqual([422, expect.stringContaining("view")]);
    }
    expect((await partner.get(`/submissions/${body.id}`)).text).not.toContain("SECRET");
    expect((await owner.put(path, { fields: lines("article", "cost") })).status).toBe(200);
    expect((await partner.get(`/submissions/${body.id}`)).text).toContain("SECRET");
    expect((await partner.get(next)).body).toMatchObject({ status: 410, code: "changes_expired" });
  });

  it("cannot be removed, however many credentials use other views of the form", async () => {
    const form = await makeForm(owner, fields, { views: [titles, scores] });
    const { id } = await issue({ permissions: rights, resources: [`form:${form}/titles`] });
    await copyCredential(id, 1100);
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
    const finishCheck = await holdChecks();
    const caller = isOwner ? owner : await issueEditorToken();
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
    await finishCheck();
    const seen = (await partner.get(path)).body.fields.map(({ key }: Json) => key);
    expect(seen).toEqual(isOwner ? ["title", "pay"] : ["title"]);
    const { body } = await owner.get(path);
    expect(body.pending?.problem?.code).toBe(isOwner ? undefined : "schema_in_use");
  });
});

describe("A patch during a pending change", () => {
  const text = (key: string, rules: object = {}) => ({ key, type: "text", ...rules });
  const shown = { key: "shown", name: "Shown", fields: ["title", "salary"] };
  const other = { key: "other", name: "Other", fields: ["code"] };

  /** A form with a secret salary, a partner that sees the view, and a change of the owner that waits for its check. */
  async function startChange(views: object[], change: object) {
    const form = await makeForm(owner, [text("title"), text("salary"), text("code")], { views });
    const items = `/forms/${form}/submissions`;
    await owner.post(items, { data: { title: "Ann", salary: "SECRET 90000", code: "c" } });
    const resources = [`form:${form}/shown`];
    const partner = await client({ permissions: [...rights, "schema:read"], resources });
    const finishCheck = await holdChecks();
    const path = `/forms/${form}/schema`;
    expect((await owner.put(path, change)).status).toBe(202);
    return {
      form,
      path,
      /** What the definition shows, and whether the partner sees a salary, once the change has taken effect. */
      finish: async () => {
        await finishCheck();
        const { body } = await owner.get(path);
        expect(body.pending).toBe(undefined);
        const viewsByKey = Object.fromEntries(body.views.map((each: Json) => [each.key, each]));
        return { body, viewsByKey, seesSecret: (await partner.get(items)).text.includes("SECRET") };
      },
    };
  }

  const narrowing = {
    fields: [text("title"), text("salary"), text("code", { unique: true })],
    views: [{ ...shown, fields: ["title"] }],
  };
  const renaming = {
    fields: [
      text("subject", { renamed_from: "title" }),
      text("title", { renamed_from: "salary" }),
      text("code", { unique: true }),
    ],
  };

  it("keeps the fields of a view when the change gives their keys to other fields", async () => {
    const onlyTitle = { ...shown, fields: ["title"] };
    const { path, finish } = await startChange([onlyTitle], renaming);
    const editor = await issueEditorToken();
    const patched = await editor.patch(path, { views: [onlyTitle, other], description: "New" });
    expect([patched.status, patched.body.views]).toEqual([200, [onlyTitle, other]]);
    const { body, viewsByKey, seesSecret } = await finish();
    expect([viewsByKey["shown"].fields, seesSecret]).toEqual([["subject"], false]);
    expect([viewsByKey["other"].fields, body.description]).toEqual([["code"], "New"]);
  });

  it("follows a renamed field in a view that it changes", async () => {
    const { path, finish } = await startChange([{ ...shown, fields: ["title"] }], renaming);
    const conditions = [{ field: "title", op: "eq", value: "Ann" }];
    const views = [{ ...shown, fields: ["title", "code"], conditions }];
    expect((await owner.patch(path, { views })).status).toBe(200);
    const { viewsByKey, seesSecret } = await finish();
    expect(viewsByKey["shown"]).toEqual({
      ...shown,
      fields: ["subject", "code"],
      conditions: [{ ...conditions[0], field: "subject" }],
    });
    expect(seesSecret).toBe(false);
  });

  it("returns 422 if it changes a view to use a field that the change removes", async () => {
    const onlyTitle = { ...shown, fields: ["title"] };
    const removing = { fields: [text("title"), text("code", { unique: true })] };
    const { path, finish } = await startChange([onlyTitle], removing);
    const refused = await owner.patch(path, { views: [shown] });
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining("salary")]);
    expect((await finish()).viewsByKey["shown"]).toEqual(onlyTitle);
  });

  it("does not undo the change of a view that it repeats", async () => {
    const { path, finish } = await startChange([shown], narrowing);
    const editor = await issueEditorToken();
    expect((await editor.patch(path, { views: [shown, other] })).status).toBe(200);
    const { body, viewsByKey, seesSecret } = await finish();
    expect(body.fields[2].unique).toBe(true);
    expect([viewsByKey["shown"].fields, seesSecret]).toEqual([["title"], false]);
    expect(viewsByKey["other"]).toEqual(other);
  });

  it("does not undo the change of a view when a member saves a list as another view", async () => {
    const { form, finish } = await startChange([shown], narrowing);
    const { cookie } = await newMember("editor");
    const list = { name: "Drafts", search: "sort=title&direction=desc" };
    const saved = await as(cookie)("POST", `/forms/${form}/items/views`, list);
    expect(saved.status).toBe(201);
    const { viewsByKey, seesSecret } = await finish();
    expect([viewsByKey["shown"].fields, seesSecret]).toEqual([["title"], false]);
    expect(Object.keys(viewsByKey)).toHaveLength(2);
  });

  it("keeps the views that the change adds, and removes those that the patch omits", async () => {
    const added = { key: "added", name: "Added", fields: ["code"] };
    const change = { ...narrowing, views: [shown, other, added] };
    const { path, finish } = await startChange([shown, other], change);
    expect((await owner.patch(path, { views: [shown] })).status).toBe(200);
    expect(Object.keys((await finish()).viewsByKey)).toEqual(["shown", "added"]);
  });

  it("keeps the retention of the change when it does not name it", async () => {
    const change = { ...narrowing, retain: { days: 30, only: "all" } };
    const { path, finish } = await startChange([shown], change);
    expect((await owner.patch(path, { description: "New" })).status).toBe(200);
    expect((await finish()).body).toMatchObject({ description: "New", retain: change.retain });
  });

  it("needs an owner or admin if only the pending definition shows a used view otherwise", async () => {
    const zoned = {
      fields: [
        text("title"),
        text("salary"),
        text("code", { unique: true }),
        { key: "day", type: "computed", formula: "today()", result: "date" },
      ],
      views: [{ ...shown, fields: ["title", "day"] }],
    };
    const { path, finish } = await startChange([shown], zoned);
    const editor = await issueEditorToken();
    const patch = { time_zone: "Asia/Tokyo" };
    const refused = await editor.patch(path, patch);
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining("shown")]);
    const dry = await owner.patch(`${path}?dry_run=true`, patch);
    expect(dry.body.consequences.views).toEqual(["shown"]);
    expect((await owner.patch(path, patch)).status).toBe(200);
    expect((await finish()).body.time_zone).toBe("Asia/Tokyo");
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
