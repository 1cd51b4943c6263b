import { describe, expect, it } from "vitest";
import type { Json } from "../support/client";
import { homeDb } from "../support/databases";
import { as, newMember } from "../support/members";
import { admin, client, makeApp, makeForm } from "../support/service";

const fields = [
  { key: "title", label: "Title", type: "text" },
  { key: "amount", label: "Amount", type: "number" },
];

describe("The audit", () => {
  const audit = async (query: string): Promise<Json[]> =>
    (await admin("GET", `/audit?${query}`)).body.items;
  const page = async (query: string): Promise<string> => {
    const { text } = await admin("GET", `/audit?${query}`, undefined, { Accept: "text/html" });
    return text.replaceAll(/<[^>]+>/g, "").replaceAll(/\s+/g, " ");
  };

  it("links to the entries of yesterday, and keeps the other filters", async () => {
    const form = await makeForm(await client(), fields);
    const get = (path: string) => admin("GET", path, undefined, { Accept: "text/html" });
    const { text } = await get(`/audit?collection=form:${form}`);
    expect(text).toMatch(new RegExp(`<option value="form:${form}" selected`));
    const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
    const only = `collection=form%3A${form}&amp;`;
    expect(text).toContain(`href="/admin/audit?${only}from=${day(1)}&amp;until=${day(1)}"`);
    const yesterday = await get(`/audit?from=${day(1)}&until=${day(1)}`);
    expect(yesterday.text).toMatch(/aria-current="page"[^>]*>Yesterday/);
  });

  it("lists the forms and apps as a filter, also one that is gone", async () => {
    const app = await makeApp(await client(), fields);
    const filtered = await admin("GET", "/audit?collection=form:gone", undefined, {
      Accept: "text/html",
    });
    expect(filtered.text).toContain(`<option value="app:${app}">`);
    expect(filtered.text).toContain('<option value="form:gone" selected');
  });

  it("finds a person however their name is spelled", async () => {
    const { id, cookie } = await newMember("editor");
    await as(cookie)("POST", "/account/name", { name: "小林\u3000誠" });
    for (const name of ["小林 誠", "小林誠", "小林", "誠"])
      expect([name, (await audit(`actor=${encodeURIComponent(name)}`))[0]?.actor]).toEqual([
        name,
        `member:${id}`,
      ]);
    expect(await audit(`actor=${encodeURIComponent("小林茂")}`)).toEqual([]);
    expect((await audit(`actor=${encodeURIComponent("ＯＷＮＥＲ")}`)).length).toBeGreaterThan(0);
    expect(await audit("actor=()")).toEqual([]);
  });

  it("shows an import, a batch and a recalculation as one entry each, which can be expanded", async () => {
    const integrator = await client();
    const form = await makeForm(integrator, fields);
    const only = `collection=form:${form}`;
    const rows = Array.from({ length: 250 }, (_, i) => `Row ${i},${i}\n`).join("");
    await admin("POST", `/forms/${form}/items/import`, {
      csv: `title,amount\n${rows}`,
      act: "write",
    });
    const operations = ["A", "B"].map((title) => ({ op: "create", body: {}, data: { title } }));
    await integrator.post(`/forms/${form}/submissions/batch`, {
      operations: operations.map(({ op, data }) => ({ op, data })),
    });
    // A batch gives its items times that grow by a millisecond each.
    await scheduler.wait(300);
    await integrator.put(`/forms/${form}/schema`, {
      fields: [
        ...fields,
        { key: "double", type: "computed", formula: "amount * 2", result: "number" },
      ],
    });
    await expect
      .poll(async () => (await audit(`${only}&action=submission.recalculate`)).length)
      .toBe(1);
    const entries = await audit(only);
    expect(entries.map(({ action, count }) => [action, count])).toEqual([
      ["submission.recalculate", 250],
      ["definition.change", 1],
      ["submission.create", 2],
      ["submission.create", 250],
      ["definition.create", 1],
    ]);
    const text = await page(only);
    expect(text).toContain("The service recalculated 250 submissions");
    expect(text).toContain("created 250 submissions");
    const { text: html } = await admin("GET", `/audit?${only}`, undefined, { Accept: "text/html" });
    const link = /href="\/admin(\/audit\?each=true[^"]*submission.create[^"]*)"/g;
    const links = [...html.matchAll(link)].map(([, path = ""]) => path.replaceAll("&amp;", "&"));
    const expanded = await admin("GET", links[1] ?? "");
    expect(expanded.body.items).toHaveLength(100);
    const batch = await admin("GET", links[0] ?? "");
    expect([batch.body.items.length, batch.body.links.next]).toEqual([2, null]);
  });

  it("names an item by its title, and the changed fields with their values", async () => {
    const integrator = await client();
    const form = await makeForm(integrator, fields);
    const path = `/forms/${form}/submissions`;
    const { id } = (await integrator.post(path, { data: { title: "Chair", amount: 1 } })).body;
    await integrator.patch(`/submissions/${id}`, { data: { amount: 2 } });
    await integrator.patch(`/submissions/${id}`, { data: { title: "Desk", amount: 3 } });
    const [last, change] = await audit(`subject=${id}`);
    expect(last?.["fields"]).toEqual([
      { field: "title", from: "Chair", to: "Desk" },
      { field: "amount", from: 2, to: 3 },
    ]);
    expect(change?.["fields"]).toEqual([{ field: "amount", from: 1, to: 2 }]);
    const text = await page(`subject=${id}`);
    expect(text).toContain("updated “Desk” in “");
    expect(text).toContain("Amount1 → 2");
  });

  it("links the change of a definition to a comparison of both", async () => {
    const integrator = await client();
    const form = await makeForm(integrator, fields);
    await integrator.put(`/forms/${form}/schema`, {
      fields: [{ ...fields[0], label: "Name", required: true }],
    });
    const { text } = await admin("GET", `/audit?subject=form:${form}`, undefined, {
      Accept: "text/html",
    });
    expect(text).toContain(`href="/admin/forms/${form}/changes/2"`);
    const { body } = await admin("GET", `/forms/${form}/changes/2`);
    expect(body).toEqual({
      version: 2,
      previous_version: 1,
      changes: [
        { path: "Name", property: "label", before: "Title", after: "Name" },
        { path: "Name", property: "required", before: false, after: true },
        { path: "Amount", property: "type", before: "number", after: null },
      ],
    });
    const first = await admin("GET", `/forms/${form}/changes/1`);
    expect([first.status, first.body.changes]).toEqual([200, null]);
    expect((await admin("GET", `/forms/${form}/changes/3`)).status).toBe(404);
  });

  it("compares how long a form keeps submissions, the title of records, and views", async () => {
    const integrator = await client();
    const form = await makeForm(integrator, fields);
    const view = { key: "large", name: "Large", conditions: [] };
    await integrator.put(`/forms/${form}/schema`, {
      fields,
      retain: { days: 30, only: "closed" },
      views: [view],
    });
    await integrator.put(`/forms/${form}/schema`, {
      fields,
      views: [{ ...view, fields: ["title"] }],
    });
    const { body: second } = await admin("GET", `/forms/${form}/changes/2`);
    expect(second.changes).toEqual([
      { path: "", property: "retain", before: null, after: { days: 30, only: "closed" } },
      { path: "Large", property: "view", before: null, after: "large" },
    ]);
    const { text: compared } = await admin("GET", `/forms/${form}/changes/2`, undefined, {
      Accept: "text/html",
    });
    expect(compared).toMatch(/>Not in the definition<[\s\S]*>In the definition</);
    const { body: third } = await admin("GET", `/forms/${form}/changes/3`);
    expect(third.changes).toContainEqual({
      path: "Large",
      property: "fields",
      before: null,
      after: ["title"],
    });

    const app = await makeApp(integrator, fields);
    await integrator.put(`/apps/${app}/schema`, { fields, title_field: "title" });
    expect((await admin("GET", `/apps/${app}/changes/2`)).body.changes).toEqual([
      { path: "", property: "title_field", before: null, after: "title" },
    ]);
  });

  it("quotes the names of credentials, forms and items, in English and in Japanese", async () => {
    const integrator = await client();
    const form = await makeForm(integrator, fields, { name: "Helpdesk" });
    await integrator.post(`/forms/${form}/submissions`, { data: { title: "Reissue the receipt" } });
    const english = await page(`collection=form:${form}`);
    expect(english).toMatch(/“[^”]+” created “Reissue the receipt” in “Helpdesk”/);
    expect(english).toMatch(/“[^”]+” created the form “Helpdesk”/);
    const { text } = await admin("GET", `/audit?collection=form:${form}`, undefined, {
      Accept: "text/html",
      "Accept-Language": "ja",
    });
    const japanese = text.replaceAll(/<[^>]+>/g, "");
    expect(japanese).toMatch(/「[^」]+」が「Helpdesk」の回答「Reissue the receipt」を作成しました/);
    expect(japanese).toMatch(/「[^」]+」がフォーム「Helpdesk」を作成しました/);
  });

  it("names the views that a change of the definition saves or deletes", async () => {
    const form = await makeForm(await client(), fields, { name: "Helpdesk" });
    const { body } = await admin("POST", `/forms/${form}/items/views`, {
      name: "Large",
      search: "f.amount.gte=5",
    });
    await admin("POST", `/forms/${form}/items/views/${body.key}/delete`, {});
    const only = `subject=form:${form}`;
    expect(await page(only)).toContain("saved the view “Large” of the form “Helpdesk”");
    expect(await page(only)).toContain("deleted the view “Large” of the form “Helpdesk”");
    const { text } = await admin("GET", "", undefined, { Accept: "text/html" });
    expect(text.replaceAll(/<[^>]+>/g, "")).toContain("saved the view “Large” of the form");
  });

  it("names a member by the former and the new name when the name changes", async () => {
    await admin("POST", "/account/name", { name: "Ada Byron" });
    await admin("POST", "/account/name", { name: "Ada Lovelace" });
    expect(await page("action=member.name")).toContain(
      "changed their name from “Ada Byron” to “Ada Lovelace”",
    );
  });

  it("shows an import as one recent activity, and does not link to a deleted item", async () => {
    const integrator = await client();
    const form = await makeForm(integrator, fields, { name: "Import target" });
    const rows = Array.from({ length: 250 }, (_, i) => `Row ${i},${i}\n`).join("");
    const csv = `title,amount\n${rows}`;
    await admin("POST", `/forms/${form}/items/import`, { csv, act: "write" });
    const other = await makeForm(integrator, fields, { name: "Deleted from" });
    const path = `/forms/${other}/submissions`;
    const { id } = (await integrator.post(path, { data: { title: "Gone" } })).body;
    await integrator.delete(`/submissions/${id}`);
    const { activity } = (await admin("GET", "")).body;
    const ofForm = ({ collection, action }: Json) =>
      collection === `form:${form}` && action === "submission.create";
    expect(activity.filter(ofForm).map(({ count }: Json) => count)).toEqual([250]);
    const { text } = await admin("GET", "", undefined, { Accept: "text/html" });
    expect(text.replaceAll(/<[^>]+>/g, "")).toContain("created 250 submissions in “Import target”");
    expect(text).not.toContain(`/items/${id}`);
  });

  it("says back to when it searched if a page ends before the search does", async () => {
    await homeDb
      .prepare(
        `with recursive n(i) as (select 1 union all select i + 1 from n where i < 60000)
        insert into audit_entry (at, actor, action, subject, request_id)
          select ?1, 'member:old', 'member.name', 'member:old', 'r' || i from n`,
      )
      .bind(Date.now())
      .run();
    const first = (await admin("GET", "/audit?actor=credential:nobody")).body;
    expect(first.items).toEqual([]);
    expect(Date.now() - Date.parse(first.searched_back_to)).toBeLessThan(60_000);
    expect(first.links.next).not.toBeNull();
    expect(await page("actor=credential:nobody")).toMatch(/Searched back to .*20\d\d/);
    expect((await admin("GET", "/audit")).body.searched_back_to).toBeNull();
  });
});
