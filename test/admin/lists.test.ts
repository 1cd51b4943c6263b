import { beforeAll, describe, expect, it } from "vitest";
import type { Answer, Client, Json } from "../support/client";
import { copyItem } from "../support/copies";
import { as, newMember } from "../support/members";
import { admin, anonymous, client, freshKey, makeForm } from "../support/service";

const html = { Accept: "text/html" };
const fields = [
  { key: "title", type: "text", label: "Title" },
  {
    key: "kind",
    type: "select",
    label: "Kind",
    options: ["a", "b, c", "d"].map((value) => ({ value })),
  },
  { key: "amount", type: "number", label: "Amount" },
  { key: "day", type: "date", label: "Day" },
  { key: "code", type: "text", label: "Code", unique: true },
];

let integrator: Client;
beforeAll(async () => {
  integrator = await client();
});

async function formWith(items: readonly object[], views: readonly object[] = []) {
  const form = await makeForm(integrator, fields);
  if (views.length > 0) await integrator.patch(`/forms/${form}/schema`, { views });
  for (const data of items) await integrator.post(`/forms/${form}/submissions`, { data });
  return form;
}

const titlesOf = ({ body }: Answer): string[] => body.items.map(({ data }: Json) => data.title);

describe("The heading of a column", () => {
  it("shows the sort of the open view", async () => {
    const sort = [{ field: "amount", direction: "desc" }];
    const form = await formWith([{ amount: 1 }], [{ key: "big", name: "Big", sort }]);
    const { text } = await admin("GET", `/forms/${form}/items?view=big`, undefined, html);
    const heading = /<th[^>]*aria-sort="descending"[^>]*>.*?<\/th>/s.exec(text)?.[0];
    expect(heading).toContain("Amount");
    expect(heading).not.toContain("direction=desc");
    expect(text).toContain("Sort: Amount ↓");
  });
});

describe("Filters of a list", () => {
  let items: string;
  const list = async (query: string) => titlesOf(await admin("GET", `${items}?${query}`));
  beforeAll(async () => {
    const form = await formWith([
      { title: "one desk", kind: "a", amount: 1, day: "2026-01-01" },
      { title: "two desks", kind: "b, c", amount: 5, day: "2026-02-01" },
      { title: "three lamps", kind: "d", amount: 9 },
    ]);
    items = `/forms/${form}/items`;
  });

  it.each([
    ["several options", "field=kind&op=in&values=a&values=b%2C+c", ["two desks", "one desk"]],
    ["a range", "field=amount&op=between&value=2&to=9", ["three lamps", "two desks"]],
    ["a filled field", "field=day&op=filled", ["two desks", "one desk"]],
    ["an empty field", "field=day&op=is_empty", ["three lamps"]],
    ["a day", "field=day&op=eq&value=2026-02-01", ["two desks"]],
    [
      "an input that the operator does not use",
      "field=amount&op=gte&value=9&to=1",
      ["three lamps"],
    ],
    ["two texts", "f.title.contains=desk&f.title.contains=two", ["two desks"]],
    ["the present member, who made none", "field=%24created_by&op=eq&value=%24me", []],
  ])("compare with %s", async (_, query, titles) => {
    expect(await list(query)).toEqual(titles);
  });

  it("appear in words, each with a link that removes it and keeps the others", async () => {
    const query = "f.kind.in=a&f.kind.in=d&f.amount.gte=1";
    const { text } = await admin("GET", `${items}?${query}`, undefined, html);
    expect(text).toMatch(/Kind is one of a, d/);
    expect(text).toContain(`href="/admin${items}?f.amount.gte=1" aria-label="Remove filter`);
    expect(text).toContain('aria-label="Remove filter: Amount is at least 1"');
  });

  it("are added one at a time: the page of a field keeps the filters that are there", async () => {
    const { text } = await admin("GET", `${items}?f.kind.in=a&q=desk&add=amount`, undefined, html);
    const form = text.slice(text.indexOf('aria-label="Filter by Amount"'));
    expect(form).toContain('name="f.kind.in" value="a"');
    expect(form).toContain('name="q" value="desk"');
    expect(form).toContain('name="field" value="amount"');
    expect(form).toContain("is at least");
  });

  it("replace the filter that a member changes", async () => {
    const { text } = await admin(
      "GET",
      `${items}?f.amount.gte=5&add=amount&change=0`,
      undefined,
      html,
    );
    const form = text.slice(text.indexOf('aria-label="Filter by Amount"')).split("</form>")[0];
    expect(form).not.toContain('name="f.amount.gte"');
    expect(form).toMatch(/value="gte" selected/);
    expect(form).toContain("Update filter");
  });

  it("show an error beside the input of the filter that has it", async () => {
    const answer = await admin("GET", `${items}?f.amount.gte=many`, undefined, html);
    expect(answer.status).toBe(422);
    expect(answer.text).toMatch(/Search failed\. Amount: /);
    expect(answer.text).toMatch(/id="f-value" name="value" aria-invalid="true"/);
  });

  it("write numbers as the list does, and ask for a number where one is missing", async () => {
    const open = async (value: string) =>
      (await admin("GET", `${items}?f.amount.gte=${encodeURIComponent(value)}`, undefined, html))
        .text;
    expect(await open("1000")).toContain("Amount is at least 1,000<");
    expect(await open("１０００")).toContain("Amount is at least 1,000<");
    expect(await open("many")).toContain("Amount: Enter a number.");
  });

  it("say the place of a page among all matches", async () => {
    const form = await makeForm(integrator, fields);
    const operations = Array.from({ length: 60 }, (_, i) => ({
      op: "create",
      data: { amount: i },
    }));
    await integrator.post(`/forms/${form}/submissions/batch`, { operations });
    const page = async (path: string) =>
      (await admin("GET", path.replaceAll("&amp;", "&").replace("/admin", ""), undefined, html))
        .text;
    const linkOf = (text: string, rel: string) =>
      new RegExp(`href="([^"]+)" rel="${rel}"`).exec(text)?.[1] ?? "";
    const first = await page(`/admin/forms/${form}/items`);
    expect(first).toContain("1–50 of 60 submissions");
    const second = await page(linkOf(first, "next"));
    expect(second).toContain("51–60 of 60 submissions");
    expect(await page(linkOf(second, "prev"))).toContain("1–50 of 60 submissions");
  });
});

describe("Views above a list", () => {
  const design = {
    key: "small",
    name: "Small",
    conditions: [{ field: "amount", op: "lt", value: 5 }],
  };

  it("limit the list, and add to its filters", async () => {
    const items = [1, 2, 9].map((amount) => ({ title: `t${amount}`, amount }));
    const form = await formWith(items, [design]);
    const list = async (query: string) =>
      titlesOf(await admin("GET", `/forms/${form}/items?${query}`));
    expect(await list("view=small")).toEqual(["t2", "t1"]);
    expect(await list("view=small&f.amount.gte=2")).toEqual(["t2"]);
    const { text } = await admin("GET", `/forms/${form}/items?view=small`, undefined, html);
    expect(text).toMatch(/view=small" aria-current="page">\s*Small/);
    const unknown = await admin("GET", `/forms/${form}/items?view=other`);
    expect([unknown.status, unknown.body.errors[0].field]).toEqual([422, "view"]);
  });

  it("are saved from the filters of the list, also from those within a view", async () => {
    const form = await formWith(
      [
        { title: "t1", amount: 1 },
        { title: "t3", amount: 3 },
      ],
      [design],
    );
    const search = "view=small&f.amount.gte=2&sort=title&direction=desc";
    const saved = await admin("POST", `/forms/${form}/items/views`, { name: "Größe 2+", search });
    expect([saved.status, saved.body]).toEqual([201, { key: "grosse_2", name: "Größe 2+" }]);
    const { views } = (await integrator.get(`/forms/${form}/schema`)).body;
    expect(views[1]).toEqual({
      key: "grosse_2",
      name: "Größe 2+",
      conditions: [...design.conditions, { field: "amount", op: "gte", value: 2 }],
      sort: [{ field: "title", direction: "desc" }],
    });
    const again = await admin("POST", `/forms/${form}/items/views`, {
      name: "Größe 2+",
      search: "",
    });
    expect(again.body.key).toBe("grosse_2_2");
    const removed = await admin("POST", `/forms/${form}/items/views/grosse_2/delete`, {});
    expect(removed.status).toBe(204);
    expect((await integrator.get(`/forms/${form}/schema`)).body.views).toHaveLength(2);
  });

  it("take the changes of their list: a condition replaced, and a sort and columns added", async () => {
    const form = await formWith(
      [
        { title: "t1", amount: 1 },
        { title: "t9", amount: 9 },
      ],
      [design],
    );
    const page = async (query: string) =>
      (await admin("GET", `/forms/${form}/items?${query}`, undefined, html)).text;
    const opened = await page("view=small");
    expect(opened).not.toContain("Save changes to");
    const edit = /href="([^"]+)" class="change"/.exec(opened)?.[1]?.replaceAll("&amp;", "&") ?? "";
    expect(edit).toBe(`/admin/forms/${form}/items?tab=small&f.amount.lt=5&add=amount&change=0`);
    const search = "tab=small&f.amount.gte=5&sort=title&columns=title";
    expect(titlesOf(await admin("GET", `/forms/${form}/items?${search}`))).toEqual(["t9"]);
    expect(await page(search)).toContain("Save changes to view “Small”");
    const path = `/forms/${form}/items/views/small`;
    expect((await admin("POST", path, { search })).body).toEqual({ key: "small", name: "Small" });
    expect((await admin("POST", path, { name: "Large" })).status).toBe(200);
    const { views } = (await integrator.get(`/forms/${form}/schema`)).body;
    expect(views).toEqual([
      {
        key: "small",
        name: "Large",
        conditions: [{ field: "amount", op: "gte", value: 5 }],
        sort: [{ field: "title", direction: "asc" }],
        fields: ["title"],
      },
    ]);
    expect(await page("view=small")).not.toContain("Save changes to");
    const other = await admin("POST", `/forms/${form}/items/views/none`, { name: "x" });
    expect(other.status).toBe(404);
  });

  it("keep the conditions that no input can show, beside those that are changed", async () => {
    const either = {
      any: [
        { field: "amount", op: "eq", value: 1 },
        { field: "title", op: "eq", value: "t9" },
      ],
    };
    const view = { ...design, conditions: [{ field: "kind", op: "in", value: ["a"] }, either] };
    const form = await formWith(
      [
        { title: "t9", kind: "a" },
        { title: "t8", kind: "a" },
      ],
      [view],
    );
    const { text } = await admin("GET", `/forms/${form}/items?view=small`, undefined, html);
    const edit = /href="([^"]+)" class="change"/.exec(text)?.[1]?.replaceAll("&amp;", "&") ?? "";
    const search = edit.split("?")[1]?.replace(/&add=.*/, "") ?? "";
    expect(titlesOf(await admin("GET", `/forms/${form}/items?${search}`))).toEqual(["t9"]);
    expect((await admin("POST", `/forms/${form}/items/views/small`, { search })).status).toBe(200);
    const { views } = (await integrator.get(`/forms/${form}/schema`)).body;
    expect(views[0].conditions).toEqual(view.conditions);
  });

  it("keep all of their conditions in lists, in bulk actions, when they are changed, and as filters", async () => {
    const keys = Array.from({ length: 48 }, (_, index) => `f${index}`);
    const conditions = keys.map((field) => ({ field, op: "is_empty", value: true }));
    const form = await makeForm(
      integrator,
      ["title", ...keys].map((key) => ({ key, type: "text" })),
      { views: [{ key: "empty", name: "Empty", conditions }] },
    );
    const items = `/forms/${form}/submissions`;
    await integrator.post(items, { data: { title: "in" } });
    const { id } = (await integrator.post(items, { data: { title: "out", f47: "x" } })).body;
    const { text } = await admin("GET", `/forms/${form}/items?view=empty`, undefined, html);
    const links = [...text.matchAll(/href="[^"?]*\?([^"]*tab=empty[^"]*)"/g)].map(
      ([, link]) => link,
    );
    const search = (links.find((link) => link?.includes("f47")) ?? "").replaceAll("&amp;", "&");
    expect(titlesOf(await admin("GET", `/forms/${form}/items?${search}`))).toEqual(["in"]);
    const deletion = { all: "yes", search, act: "delete" };
    const { body } = await admin("POST", `/forms/${form}/items/selected`, deletion);
    expect(body.matches).toEqual({ count: 1, exact: true });
    await admin("POST", `/forms/${form}/items/selected`, { ...deletion, sure: "yes" });
    expect((await integrator.get(`/submissions/${id}`)).status).toBe(200);
    const path = `/forms/${form}/items/views/empty`;
    expect((await admin("POST", path, { search, sure: "yes" })).status).toBe(200);
    const { views } = (await integrator.get(`/forms/${form}/schema`)).body;
    expect(views[0].conditions).toEqual(conditions);
    const kept = await admin("POST", `${path}/delete`, { keep: "yes" });
    expect(kept.body.search.split("is_empty")).toHaveLength(49);
    const more = await admin(
      "GET",
      `/forms/${form}/items?${search}&f.title.is_empty=true&f.title.ne=a&f.title.ne=b`,
    );
    expect([more.status, more.body.errors[0].code]).toEqual([422, "too_complex"]);
  });

  it("ask before a change that a credential or a webhook feels, and are kept while it uses them", async () => {
    const amounts = [1, 2, 9].map((amount) => ({ title: `t${amount}`, amount }));
    const form = await formWith(amounts, [design]);
    await client({ permissions: ["submissions:read"], resources: [`form:${form}/small`] });
    const path = `/forms/${form}/items/views/small`;
    const search = "tab=small&f.amount.gte=5";
    const asked = await admin("POST", path, { search });
    expect(asked.body.credentials).toHaveLength(1);
    expect(asked.body.matches).toEqual({ before: 2, after: 1 });
    const nameOf = async () => (await integrator.get(`/forms/${form}/schema`)).body.views[0];
    expect(await nameOf()).toMatchObject({ conditions: design.conditions });
    const review = await admin("POST", path, { search }, html);
    expect(review.text).toMatch(
      /Save changes to view “Small”\?[^]*2 submissions[^]*1 submission<[^]*1 credential/,
    );
    const saved = await admin("POST", path, { search, sure: "yes" });
    expect(saved.body).toEqual({ key: "small", name: "Small" });
    const deletion = await admin("POST", `${path}/delete`, { review: "yes" }, html);
    expect(deletion.text).toMatch(/You can’t delete this view[^]*1 credential/);
    expect((await admin("POST", `${path}/delete`, {})).status).toBe(409);
  });

  it("are shown again before a change if the definition has changed since the question", async () => {
    const form = await formWith([{ title: "inner", kind: "a", amount: 1 }], [design]);
    const partner = await client({
      permissions: ["submissions:read"],
      resources: [`form:${form}/small`],
    });
    const path = `/forms/${form}/items/views/small`;
    const items = `/forms/${form}/submissions`;
    const search = "tab=small&f.amount.lte=5";
    const review = await admin("POST", path, { search }, html);
    const sent = {
      search,
      sure: "yes",
      version: /name="version" value="(\d+)"/.exec(review.text)?.[1],
    };
    const none = { ...design, conditions: [{ field: "amount", op: "gt", value: 9 }] };
    expect((await integrator.patch(`/forms/${form}/schema`, { views: [none] })).status).toBe(200);
    const again = await admin("POST", path, sent, html);
    expect(again.text).toMatch(
      /has changed since you opened this page[^]*0 submissions[^]*1 submission</,
    );
    expect((await partner.get(items)).body.items).toEqual([]);
    const version = /name="version" value="(\d+)"/.exec(again.text)?.[1];
    expect((await admin("POST", path, { ...sent, version })).body).toEqual({
      key: "small",
      name: "Small",
    });
    expect((await partner.get(items)).body.items).toHaveLength(1);
  });

  it("are all kept when two people save at the same time", async () => {
    const form = await formWith([]);
    const names = ["One", "Two", "Three", "Four"];
    const save = (name: string) =>
      admin("POST", `/forms/${form}/items/views`, { name, search: "q=" });
    const answers = await Promise.all(names.map(save));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    const { views } = (await integrator.get(`/forms/${form}/schema`)).body;
    expect(views.map(({ name }: Json) => name).toSorted()).toEqual(names.toSorted());
  });

  it.each([
    ["a text search", "q=desk", /can’t include a text search/],
    ["days that move", "f.day.days=-7", /needs fixed dates/],
  ])("reject %s, with what to do", async (_, search, reason) => {
    const form = await formWith([]);
    const answer = await admin("POST", `/forms/${form}/items/views`, { name: "No", search });
    expect([answer.status, answer.body.errors[0].code]).toEqual([422, "invalid_condition"]);
    expect(answer.body.errors[0].reason).toMatch(reason);
  });

  it("end the cursors of their pages when their sort changes", async () => {
    const form = await makeForm(integrator, fields);
    const operations = Array.from({ length: 60 }, (_, i) => ({
      op: "create",
      data: { amount: i },
    }));
    await integrator.post(`/forms/${form}/submissions/batch`, { operations });
    const define = (view: object) =>
      integrator.patch(`/forms/${form}/schema`, { views: [{ key: "all", name: "All", ...view }] });
    await define({ sort: [{ field: "amount" }] });
    const { links } = (await admin("GET", `/forms/${form}/items?view=all`)).body;
    const next = links.next.replace(/^.*\/admin/, "");
    expect((await admin("GET", next)).body.items).toHaveLength(10);
    await define({});
    const late = await admin("GET", next);
    expect([late.status, late.body.errors[0].code]).toEqual([422, "invalid_cursor"]);
  });

  it("stay while a credential uses them", async () => {
    const form = await formWith([], [design]);
    await client({ permissions: ["submissions:read"], resources: [`form:${form}/small`] });
    const answer = await admin("POST", `/forms/${form}/items/views/small/delete`, {});
    expect([answer.status, answer.body.code]).toEqual([409, "schema_in_use"]);
  });
});

describe("A member's own filters and columns", () => {
  it("appear to that member alone, on that list alone", async () => {
    const [form, otherForm] = [await formWith([]), await formWith([])];
    const [one, other] = [await newMember("viewer"), await newMember("viewer")];
    const name = freshKey("Mine");
    const body = { name, search: "q=desk&f.day.days=-7" };
    const saved = await as(one.cookie)("POST", `/forms/${form}/items/filters`, body);
    expect([saved.status, saved.body]).toMatchObject([201, { name, search: body.search }]);
    const page = async (cookie: string, key: string) =>
      (
        await admin("GET", `/forms/${key}/items?${body.search}`, undefined, {
          ...html,
          Cookie: cookie,
        })
      ).text;
    expect(await page(one.cookie, form)).toContain(name);
    expect(await page(one.cookie, form)).toMatch(/aria-current="page" title="Only you/);
    expect(await page(one.cookie, otherForm)).not.toContain(name);
    expect(await page(other.cookie, form)).not.toContain(name);
    const path = `/forms/${form}/items/filters/${saved.body.id}/delete`;
    expect((await as(other.cookie)("POST", path, {})).status).toBe(404);
    expect((await as(one.cookie)("POST", path, {})).status).toBe(204);
    expect(await page(one.cookie, form)).not.toContain(name);
  });

  it("are at most 50 filters for a member, also when many arrive at once", async () => {
    const form = await formWith([]);
    const { cookie } = await newMember("viewer");
    const save = (index: number) =>
      as(cookie)("POST", `/forms/${form}/items/filters`, { name: `F${index}`, search: "" });
    const answers = await Promise.all(Array.from({ length: 60 }, (_, index) => save(index)));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(50);
    expect(statuses.filter((status) => status === 409)).toHaveLength(10);
    expect(answers.find(({ status }) => status === 409)?.body.detail).toMatch(/Delete one/);
  });

  it("are changed in place by their member only: their search, then their name", async () => {
    const form = await formWith([{ title: "t1", amount: 1 }]);
    const base = `/forms/${form}/items`;
    const saved = await admin("POST", `${base}/filters`, { name: "Few", search: "f.amount.lt=5" });
    const { id } = saved.body;
    const changed = `tab=${id}&f.amount.lt=3`;
    const page = async (query: string) =>
      (await admin("GET", `${base}?${query}`, undefined, html)).text;
    expect(await page("f.amount.lt=5")).not.toContain("Save changes to");
    expect(await page(changed)).toMatch(/aria-current="page"[^]*Few[^]*Save changes to view “Few”/);
    const path = `${base}/filters/${id}`;
    const answer = await admin("POST", path, { search: changed });
    expect(answer.body).toEqual({ id, name: "Few", search: "f.amount.lt=3" });
    expect((await admin("POST", path, { name: "Fewer" })).body.name).toBe("Fewer");
    expect(await page(changed)).not.toContain("Save changes to");
    const { cookie } = await newMember("viewer");
    expect((await as(cookie)("POST", path, { name: "Mine" })).status).toBe(404);
  });

  it("become views for everyone, with their name and search, and leave the own views", async () => {
    const form = await formWith([
      { title: "t1", amount: 1 },
      { title: "t2", amount: 9 },
    ]);
    const base = `/forms/${form}/items`;
    const save = async (search: string) =>
      (await admin("POST", `${base}/filters`, { name: "Few", search })).body.id;
    const path = `${base}/filters/${await save("f.amount.lt=5&sort=amount")}/share`;
    const other = await newMember("editor");
    expect((await as(other.cookie)("POST", path, {})).status).toBe(404);
    const menu = (await admin("GET", `${base}?f.amount.lt=5&sort=amount`, undefined, html)).text;
    expect(menu).toContain(`action="/admin${path}"`);
    const shared = await admin("POST", path, {});
    expect([shared.status, shared.body]).toEqual([201, { key: "few", name: "Few" }]);
    const seen = await as(other.cookie)("GET", `${base}?view=few`);
    expect(titlesOf(seen)).toEqual(["t1"]);
    expect((await admin("POST", path, {})).status).toBe(404);
    const id = await save("f.amount.lt=7");
    const onPage = await admin("POST", `${base}/filters/${id}/share`, {}, html);
    expect(decodeURIComponent(onPage.headers.get("Set-Cookie") ?? "")).toContain(
      "View “Few” shared with all members",
    );
  });

  it("become own views again when the member stops sharing, after a page that says what changes", async () => {
    const conditions = [
      { field: "amount", op: "lt", value: 5 },
      { any: [{ field: "title", op: "eq", value: "t1" }] },
    ];
    const sort = [{ field: "amount", direction: "desc" }];
    const view = { key: "few", name: "Few", conditions, sort, fields: ["title"] };
    const form = await formWith(
      [
        { title: "t1", amount: 1 },
        { title: "t2", amount: 2 },
        { title: "t9", amount: 9 },
      ],
      [view],
    );
    const base = `/forms/${form}/items`;
    const path = `${base}/views/few/delete`;
    const menu = (await admin("GET", `${base}?view=few`, undefined, html)).text;
    expect(menu).toContain("Stop sharing…");
    const review = await admin("POST", path, { review: "yes", keep: "yes" }, html);
    expect(review.text).toContain("Stop sharing “Few”?");
    expect(review.text).toContain("You keep it as a private view.");
    const stopped = await admin("POST", path, { keep: "yes" });
    expect([stopped.status, stopped.body.name]).toEqual([200, "Few"]);
    expect((await integrator.get(`/forms/${form}/schema`)).body.views ?? []).toEqual([]);
    const { id, search } = stopped.body;
    expect(search).toContain("sort=amount&direction=desc&columns=title");
    expect(titlesOf(await admin("GET", `${base}?tab=${id}&${search}`))).toEqual(["t1"]);
    const { cookie } = await newMember("editor");
    const other = await admin("GET", base, undefined, { ...html, Cookie: cookie });
    expect(other.text).not.toContain("Few");
  });

  it("do not appear when the member cannot stop sharing because a credential uses the view", async () => {
    const view = { key: "few", name: "Few", conditions: [] };
    const form = await formWith([], [view]);
    await client({ permissions: ["submissions:read"], resources: [`form:${form}/few`] });
    const path = `/forms/${form}/items/views/few/delete`;
    const review = await admin("POST", path, { review: "yes", keep: "yes" }, html);
    expect(review.text).toContain("You can’t stop sharing this view while it is in use.");
    expect((await admin("POST", path, { keep: "yes" })).status).toBe(409);
    const page = await admin("GET", `/forms/${form}/items`, undefined, html);
    expect(page.text).not.toContain("Only you can see this view");
  });

  it("stay own views if they cannot be for everyone", async () => {
    const form = await formWith([]);
    const base = `/forms/${form}/items`;
    const saved = await admin("POST", `${base}/filters`, { name: "Desk", search: "q=desk" });
    const path = `${base}/filters/${saved.body.id}`;
    const refused = await admin("POST", `${path}/share`, {});
    expect([refused.status, refused.body.errors[0].reason]).toEqual([
      422,
      expect.stringContaining("can’t include a text search"),
    ]);
    expect((await admin("POST", `${path}/delete`, {})).status).toBe(204);
  });

  it("show the columns in the chosen order after the first text, which buttons change", async () => {
    const form = await formWith([{ title: "t" }]);
    const { cookie } = await newMember("viewer");
    const columns = ["day", "code", "title"];
    const send = (body: object) =>
      as(cookie)("POST", `/forms/${form}/items/columns`, { columns, search: "", ...body });
    expect((await send({ move: "up:code" })).body).toEqual({ columns: ["code", "day", "title"] });
    expect((await send({ move: "down:day" })).body).toEqual({ columns: ["code", "day", "title"] });
    expect((await send({ move: "up:day" })).body).toEqual({ columns });
    const path = `/forms/${form}/items`;
    const { text } = await admin("GET", path, undefined, { ...html, Cookie: cookie });
    expect(/<thead>[^]*<\/thead>/.exec(text)?.[0]).toMatch(/Code[^]*Day[^]*Title/);
    const sorted = await admin("GET", `${path}?sort=title&direction=asc`, undefined, {
      ...html,
      Cookie: cookie,
    });
    expect(sorted.text).toMatch(/name="columns" value="day.code.title" checked/);
  });

  it("keep the chosen columns of each list, and a link overrides them", async () => {
    const form = await formWith([{ title: "t" }]);
    const { cookie } = await newMember("viewer");
    const columns = ["code", "day"];
    const answer = await as(cookie)("POST", `/forms/${form}/items/columns`, {
      columns,
      search: "",
    });
    expect(answer.body).toEqual({ columns });
    const headings = async (query = "") => {
      const path = `/forms/${form}/items${query}`;
      const { text } = await admin("GET", path, undefined, { ...html, Cookie: cookie });
      return /<thead>[^]*<\/thead>/.exec(text)?.[0] ?? "";
    };
    expect(await headings()).toMatch(/Code[^]*Day/);
    expect(await headings()).not.toContain("Title");
    expect(await headings("?columns=title")).toContain("Title");
    const other = await newMember("viewer");
    const { text } = await admin("GET", `/forms/${form}/items`, undefined, {
      ...html,
      Cookie: other.cookie,
    });
    expect(text).toMatch(/<thead>[^]*Title/);
  });

  it.each([
    [{ name: "", search: "" }, "name"],
    [{ name: "x".repeat(201), search: "" }, "name"],
    [{ name: "x", search: "nonsense=1" }, "nonsense"],
    [{ name: "x", search: `q=${"x".repeat(5000)}` }, "search"],
  ])("reject %j", async (body, field) => {
    const form = await formWith([]);
    const answer = await admin("POST", `/forms/${form}/items/filters`, body);
    expect([answer.status, answer.body.errors[0].field]).toEqual([422, field]);
  });
});

describe("The neighbours of an item", () => {
  it("follow the list's filter and sort, also when the item has left the list", async () => {
    const items = [5, 1, 4, 2, 3].map((amount) => ({ title: `t${amount}`, amount }));
    const form = await formWith([...items, { title: "other", amount: 100 }]);
    const base = `/forms/${form}/items`;
    const list = "f.amount.lt=50&sort=amount";
    const found = (await admin("GET", `${base}?${list}`)).body.items as Json[];
    expect(found.map(({ data }) => data.title)).toEqual(["t1", "t2", "t3", "t4", "t5"]);
    const ids = found.map(({ id }) => id as string);
    const step = async (id: string | undefined, at: number, direction: string) => {
      const query = new URLSearchParams({ step: direction, at: String(at), list });
      return (await admin("GET", `${base}/${id}?${query.toString()}`)).body.id;
    };
    expect(await step(ids[1], 1, "next")).toBe(ids[2]);
    expect(await step(ids[1], 1, "previous")).toBe(ids[0]);
    expect(await step(ids[4], 4, "next")).toBeNull();
    expect(await step(ids[0], 0, "previous")).toBeNull();
    await integrator.patch(`/submissions/${ids[2]}`, { data: { amount: 90 } });
    expect(await step(ids[2], 2, "next")).toBe(ids[3]);
    expect(await step(ids[2], 2, "previous")).toBe(ids[1]);
  });

  it("continue on the next and the previous page of the list", async () => {
    const form = await makeForm(integrator, fields);
    const operations = Array.from({ length: 55 }, (_, i) => ({
      op: "create",
      data: { amount: i },
    }));
    await integrator.post(`/forms/${form}/submissions/batch`, { operations });
    const base = `/forms/${form}/items`;
    const first = (await admin("GET", base)).body;
    const second = (await admin("GET", first.links.next.replace(/^.*\/admin/, ""))).body;
    const last = first.items.at(-1).id;
    const query = new URLSearchParams({ step: "next", at: "49", list: "" });
    const answer = await admin("GET", `${base}/${last}?${query.toString()}`, undefined, html);
    expect(answer.status).toBe(303);
    const to = new URL(answer.headers.get("Location") ?? "", "https://forms.example");
    expect(to.pathname.endsWith(second.items[0].id)).toBe(true);
    to.searchParams.set("step", "previous");
    const back = await admin("GET", (to.pathname + to.search).replace("/admin", ""));
    expect(back.body.id).toBe(last);
  });
});

describe("The columns that are no fields", () => {
  it("can be hidden, and return when they are chosen again", async () => {
    const form = await makeForm(integrator, [{ key: "title", label: "Title", type: "text" }]);
    const { cookie } = await newMember();
    const send = as(cookie);
    await send("POST", `/forms/${form}/items`, { data: { title: "A" } });
    const headings = async (query = "") => {
      const headers = { ...html, Cookie: cookie };
      const path = `/admin/forms/${form}/items${query}`;
      const { text } = await anonymous("GET", path, undefined, headers);
      return [...text.matchAll(/<th scope="col"[^>]*>(?:<a[^>]*>)?([^<]*)/g)].map(
        ([, name]) => name,
      );
    };
    const choose = (columns: string[]) =>
      send("POST", `/forms/${form}/items/columns`, {
        columns,
        offered: ["$status", "$updated_at"],
      });
    expect(await headings()).toEqual(expect.arrayContaining(["Title", "Status", "Updated"]));
    const { body } = await choose(["title"]);
    expect(body).toEqual({ columns: ["title", "-$status", "-$updated_at"] });
    expect((await headings()).filter((name) => name === "Status" || name === "Updated")).toEqual(
      [],
    );
    await choose(["title", "$status"]);
    expect(await headings()).toContain("Status");
    expect(await headings()).not.toContain("Updated");
    // A link with columns wins over the choice.
    expect(await headings("?columns=title")).toContain("Updated");
  });

  it("stay out of a view for everyone, which has fields only", async () => {
    const form = await makeForm(integrator, [{ key: "title", label: "Title", type: "text" }]);
    const saved = await admin("POST", `/forms/${form}/items/views`, {
      name: "Short",
      search: "f.title.eq=A",
      columns: "title.-$status",
    });
    expect(saved.status).toBe(201);
    const { body } = await integrator.get(`/forms/${form}/schema`);
    expect(body.views[0].fields).toEqual(["title"]);
  });
});

describe("A list of few items", () => {
  it("offers what to do first when it is empty, once", async () => {
    const form = await makeForm(integrator, [{ key: "title", label: "Title", type: "text" }]);
    const { text } = await admin("GET", `/forms/${form}/items`, undefined, html);
    const links = [
      `/forms/${form}/items/new`,
      `/forms/${form}/items/import`,
      `/forms/${form}/access`,
      `/forms/${form}/api`,
    ];
    const buttons = [...text.matchAll(/class="button[^"]*" href="\/admin([^"]*)"/g)];
    expect(buttons.map(([, href]) => href)).toEqual(links);
    expect(text).not.toContain("Download</summary>");
  });

  it("names its check boxes and links by titles, and selects everything", async () => {
    const form = await makeForm(integrator, [{ key: "title", label: "Title", type: "text" }]);
    const created = await integrator.post(`/forms/${form}/submissions`, {
      data: { title: "Desk #" },
    });
    const page = async () => (await admin("GET", `/forms/${form}/items`, undefined, html)).text;
    expect(await page()).toContain('aria-label="Select Desk #"');
    expect(await page()).toContain('aria-label="Edit Desk #"');
    // On phones, where the box in the heading is not visible.
    expect(await page()).toMatch(/class="choice all only-narrow">.*Select all 1 submission</);
    await copyItem(created.body.id, 60);
    expect(await page()).toContain("Select all 61 submissions");
  });

  it("counts the matches for the progress of a download", async () => {
    const form = await makeForm(integrator, [{ key: "title", label: "Title", type: "text" }]);
    for (const title of ["A", "B", "B"])
      await integrator.post(`/forms/${form}/submissions`, { data: { title } });
    const { text } = await admin("GET", `/forms/${form}/items?f.title.eq=B`, undefined, html);
    expect(text).toContain('data-rows="2"');
  });
});
