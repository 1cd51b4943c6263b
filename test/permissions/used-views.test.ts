import { beforeAll, describe, expect, it } from "vitest";
import { answerOf, Client as Caller, type Client, type Json } from "../support/client";
import { counted } from "../support/counting";
import { as, issueEditorToken, newMember } from "../support/members";
import { holdChecks } from "../support/pending";
import { servedBetween } from "../support/serve-between";
import { admin, adminRequest, client, issue, makeForm } from "../support/service";
import { createWebhook, deliverNow, Receiver } from "../webhooks/receiver";

/** Who may change what a credential or a webhook sees through its view. */

let owner: Client;
beforeAll(async () => {
  owner = await client();
});

describe("A used view without fields", () => {
  const text = (key: string) => ({ key, type: "text" });
  const lines = (...columns: string[]) => [
    text("title"),
    { key: "lines", type: "line_items", fields: columns.map(text) },
  ];
  const changes: [string, object[], object[], object][] = [
    ["field", [text("title")], [text("title"), text("salary")], { title: "t", salary: "SECRET" }],
    [
      "column",
      lines("article"),
      lines("article", "cost"),
      { title: "t", lines: [{ article: "desk", cost: "SECRET" }] },
    ],
  ];

  it.each(changes)(
    "shows a %s that was removed only after an owner or admin adds it again",
    async (_, fewer, more, data) => {
      const form = await makeForm(owner, more, { views: [{ key: "v", name: "V" }] });
      const path = `/forms/${form}/schema`;
      const { body } = await owner.post(`/forms/${form}/submissions`, { data });
      const resources = [`form:${form}/v`];
      const partner = await client({ permissions: ["submissions:read"], resources });
      const seesSecret = async () =>
        (await partner.get(`/submissions/${body.id}`)).text.includes("SECRET");
      const editor = await issueEditorToken();
      expect((await editor.put(path, { fields: fewer })).status).toBe(200);
      const { next } = (await partner.get(`/forms/${form}/changes?cursor=now`)).body.links;
      const refused = await editor.put(path, { fields: more });
      expect([refused.status, await seesSecret()]).toEqual([422, false]);
      const tried = await editor.put(`${path}?dry_run=true`, { fields: more });
      expect([tried.status, tried.body.errors]).toEqual([422, refused.body.errors]);
      const dryRun = await owner.put(`${path}?dry_run=true`, { fields: more });
      expect(dryRun.body.consequences.views).toEqual(["v"]);
      expect((await owner.put(path, { fields: more })).status).toBe(200);
      expect([(await partner.get(next)).status, await seesSecret()]).toEqual([410, true]);
    },
  );

  it("shows a new field that an editor adds, and its feed goes on", async () => {
    const form = await makeForm(owner, [text("title")], { views: [{ key: "v", name: "V" }] });
    const resources = [`form:${form}/v`];
    const partner = await client({ permissions: ["submissions:read"], resources });
    const { next } = (await partner.get(`/forms/${form}/changes?cursor=now`)).body.links;
    const editor = await issueEditorToken();
    const fields = [text("title"), text("note")];
    expect((await editor.put(`/forms/${form}/schema`, { fields })).status).toBe(200);
    expect((await partner.get(next)).status).toBe(200);
  });

  it("shows a new field that an editor adds with a change that has to wait, and its feed goes on", async () => {
    const title = text("title");
    const form = await makeForm(owner, [title, text("code")], { views: [{ key: "v", name: "V" }] });
    const path = `/forms/${form}/schema`;
    await owner.post(`/forms/${form}/submissions`, { data: { title: "t", code: "c" } });
    const resources = [`form:${form}/v`];
    const partner = await client({ permissions: ["submissions:read"], resources });
    const { next } = (await partner.get(`/forms/${form}/changes?cursor=now`)).body.links;
    const finishCheck = await holdChecks();
    const fields = [title, { ...text("code"), unique: true }, text("note")];
    expect((await (await issueEditorToken()).put(path, { fields })).status).toBe(202);
    await finishCheck();
    const keys = (await owner.get(path)).body.fields.map(({ key }: { key: string }) => key);
    expect(keys).toEqual(["title", "code", "note"]);
    expect((await partner.get(next)).status).toBe(200);
  });
});

describe("A view that a webhook follows", () => {
  const fields = ["title", "team", "secret"].map((key) => ({ key, type: "text" }));
  const conditions = [{ field: "team", op: "eq", value: "ours" }];
  const view = { key: "part", name: "Part", conditions, fields: ["title"] };

  it.each([
    ["shows another field", { ...view, fields: ["title", "secret"] }],
    ["shows all fields", { key: "part", name: "Part", conditions }],
    ["contains other items", { key: "part", name: "Part", fields: ["title"] }],
  ])("%s only after a change by an owner or admin", async (_, changed) => {
    const form = await makeForm(owner, fields, { views: [view] });
    const path = `/forms/${form}/schema`;
    const receiver = new Receiver();
    const types = ["submission.created"];
    const hook = await createWebhook(owner, receiver, {
      types,
      collections: [`form:${form}/part`],
    });
    const editor = await issueEditorToken();
    const refused = await editor.patch(path, { views: [changed] });
    expect(refused.status).toBe(422);
    expect(refused.body.errors[0].reason).toMatch(/^A webhook uses the view "part"/);
    expect((await editor.put(path, { fields, views: [changed] })).status).toBe(422);
    expect((await editor.patch(path, { views: [{ ...view, name: "Ours" }] })).status).toBe(200);
    for (const team of ["ours", "theirs"])
      await owner.post(`/forms/${form}/submissions`, { data: { title: team, team, secret: "S" } });
    await deliverNow(hook.id);
    expect(receiver.accepted.map(({ body }) => body.data.item.data)).toEqual([{ title: "ours" }]);
    expect((await owner.patch(path, { views: [changed] })).status).toBe(200);
  });

  it("keeps its fields if an editor's change was pending when the webhook got the view", async () => {
    const code = { key: "code", type: "text" };
    const form = await makeForm(owner, [...fields, code], { views: [view] });
    const path = `/forms/${form}/schema`;
    await owner.post(`/forms/${form}/submissions`, { data: { title: "t", code: "c" } });
    const finishCheck = await holdChecks();
    const editor = await issueEditorToken();
    const pending = { fields: [...fields, { ...code, unique: true }] };
    const views = [{ ...view, fields: ["title", "secret"] }];
    expect((await editor.put(path, { ...pending, views })).status).toBe(202);
    await createWebhook(owner, new Receiver(), { collections: [`form:${form}/part`] });
    await finishCheck();
    expect((await owner.get(path)).body.views).toEqual([view]);
  });
});

describe("A PUT of an editor during a pending change of a used view", () => {
  const text = (key: string, rules: object = {}) => ({ key, type: "text", ...rules });
  const current = [text("title"), text("salary"), text("code")];
  const pending = [text("title"), text("salary"), text("code", { unique: true })];
  const view = { key: "v", name: "V", fields: ["title", "salary"] };
  const narrowed = { ...view, fields: ["title"] };

  async function startNarrowing() {
    const form = await makeForm(owner, current, { views: [view] });
    const items = `/forms/${form}/submissions`;
    await owner.post(items, { data: { title: "Ann", salary: "SECRET", code: "c" } });
    const resources = [`form:${form}/v`];
    const partner = await client({ permissions: ["submissions:read"], resources });
    const finishCheck = await holdChecks();
    const path = `/forms/${form}/schema`;
    const change = { fields: pending, views: [narrowed] };
    expect((await owner.put(path, change)).status).toBe(202);
    const seesSecret = async () => (await partner.get(items)).text.includes("SECRET");
    return { path, finishCheck, seesSecret };
  }

  it.each([
    ["a label", { fields: [text("title"), text("salary"), text("code", { label: "Code" })] }],
    ["the current fields", { fields: current }],
    ["the current fields and views", { fields: current, views: [view] }],
    ["another pending change", { fields: [text("title", { unique: true }), ...pending.slice(1)] }],
  ])("returns 422 and keeps the change: %s", async (_, document) => {
    const { path, finishCheck, seesSecret } = await startNarrowing();
    const editor = await issueEditorToken();
    const put = await editor.put(path, document);
    const dryRun = await editor.put(`${path}?dry_run=true`, document);
    await finishCheck();
    expect([put.status, dryRun.status, await seesSecret()]).toEqual([422, 422, false]);
    expect(put.body.errors[0].reason).toMatch(/^A pending change concerns the view "v"/);
    expect(dryRun.body.errors).toEqual(put.body.errors);
  });

  it("keeps the pending views when an owner omits them, and cancels them when an owner sends others", async () => {
    const { path, finishCheck, seesSecret } = await startNarrowing();
    expect((await owner.put(path, { fields: current, views: [view] })).status).toBe(200);
    expect((await owner.get(path)).body).toMatchObject({ views: [view] });
    const change = { fields: pending, views: [narrowed] };
    expect((await owner.put(path, change)).status).toBe(202);
    expect((await owner.put(path, { fields: current })).status).toBe(200);
    await finishCheck();
    expect((await owner.get(path)).body.views).toEqual([narrowed]);
    expect(await seesSecret()).toBe(false);
  });
});

describe("An editor who changes or removes a used view", () => {
  const fields = ["title", "secret"].map((key) => ({ key, type: "text" }));
  const view = { key: "part", name: "Part", fields: ["title"] };
  const name = "Partner of Ann";

  it.each([
    [
      "credential",
      (resource: string) =>
        issue({ name, permissions: ["submissions:read"], resources: [resource] }),
    ],
    [
      "webhook",
      (resource: string) => createWebhook(owner, new Receiver(), { name, collections: [resource] }),
    ],
  ])("learns no name of a %s, and an owner does", async (user, use) => {
    const form = await makeForm(owner, fields, { views: [view] });
    await use(`form:${form}/part`);
    const member = as((await newMember("editor")).cookie);
    const editor = await issueEditorToken();
    const path = `/forms/${form}/schema`;
    const views = [{ key: "part", name: "Part" }];
    const responses = [
      await member("POST", `/forms/${form}/items/views/part/delete`, {}),
      await member("POST", `/forms/${form}/items/views/part/delete`, { sure: "yes" }),
      await editor.patch(path, { views: [] }),
      await editor.patch(`${path}?dry_run=true`, { views: [] }),
      await editor.patch(`${path}?dry_run=true`, { views }),
    ];
    expect(responses.filter(({ text }) => text.includes(name))).toEqual([]);
    expect(responses.map(({ status }) => status).slice(1)).toEqual([409, 409, 409, 422]);
    expect(responses.at(2)?.body.detail).toContain(`A ${user} uses the view "part"`);
    const { body } = await owner.patch(path, { views: [] });
    expect(body.detail).toContain(`The ${user} "${name}" uses the view "part"`);
  });
});

describe("Access to selected fields of a view without fields", () => {
  it("omits fields that somebody adds later", async () => {
    const title = { key: "title", type: "text" };
    const conditions = [{ field: "title", op: "is_empty", value: false }];
    const views = [{ key: "open", name: "Open", conditions }];
    const form = await makeForm(owner, [title], { views });
    const part = { items: "view:open", fields_for: "view:open", fields: ["title"] };
    const { resource } = (await admin("POST", `/forms/${form}/access`, part)).body;
    const partner = await client({ permissions: ["submissions:read"], resources: [resource] });
    const fields = [title, { key: "salary", type: "text" }];
    expect((await owner.put(`/forms/${form}/schema`, { fields })).status).toBe(200);
    const items = `/forms/${form}/submissions`;
    await owner.post(items, { data: { title: "t", salary: "SECRET" } });
    const { text } = await partner.get(items);
    expect([text.includes('"title"'), text.includes("SECRET")]).toEqual([true, false]);
    expect((await admin("POST", `/forms/${form}/access`, part)).body.resource).toBe(resource);
  });
});

describe("A view that changes after a page has described it", () => {
  const fields = ["title", "team", "secret"].map((key) => ({ key, type: "text" }));
  const conditions = [{ field: "team", op: "eq", value: "ours" }];
  const view = { key: "part", name: "Part", conditions, fields: ["title"] };
  const html = { Accept: "text/html" };
  const hiddenInput = (text: string) => /name="shown" value="([^"]*)"/.exec(text)?.[1];

  async function makeChangedForm() {
    const form = await makeForm(owner, fields, { views: [view] });
    const resource = `form:${form}/part`;
    const widen = async () => {
      const change = { views: [{ key: "part", name: "Part" }] };
      const editor = await issueEditorToken();
      expect((await editor.patch(`/forms/${form}/schema`, change)).status).toBe(200);
    };
    return { form, resource, widen };
  }

  const rights = {
    purpose: "part_report",
    scope: "only",
    kind: "token",
    name: "P",
    expires: "30d",
  };
  const hook = {
    page: "webhook",
    scope: "only",
    name: "Desk",
    url: "https://example.com/hook",
    types: ["submission.created"],
  };
  const pages: [string, string, string, object][] = [
    ["a new credential", "/integrations/new", "/integrations", rights],
    ["a new webhook", "/webhooks/new", "/webhooks", hook],
  ];

  it.each(pages)(
    "is not given to %s until the page shows it again",
    async (_, page, path, sent) => {
      const { form, resource, widen } = await makeChangedForm();
      const values = { ...sent, resources: [resource] };
      const shown = hiddenInput((await admin("GET", page, undefined, html)).text);
      expect(shown).toContain(`form:${form}=`);
      await widen();
      const refused = await admin("POST", path, { ...values, shown });
      expect(refused.status).toBe(422);
      expect(refused.body.errors).toMatchObject([{ field: "resources", code: "not_an_option" }]);
      expect(refused.text).toContain(`The definition of form:${form} has changed since you opened`);
      const again = await admin("POST", path, { ...values, shown }, html);
      const accepted = await admin("POST", path, { ...values, shown: hiddenInput(again.text) });
      expect(accepted.status).toBe(201);
    },
  );

  it("is not given to a new credential after another error of the page, until the page shows it again", async () => {
    const { resource, widen } = await makeChangedForm();
    const page = await admin("GET", "/integrations/new", undefined, html);
    const values = { ...rights, resources: [resource] };
    await widen();
    const send = (text: string, input: object) =>
      admin("POST", "/integrations", { ...values, ...input, shown: hiddenInput(text) }, html);
    const first = await send(page.text, { expires: "yesterday" });
    const second = await send(first.text, {});
    expect([first.status, second.status]).toEqual([422, 422]);
    expect(first.text).not.toContain("has changed since you opened this page");
    expect(second.text).toContain("has changed since you opened this page");
    expect((await send(second.text, {})).status).toBe(303);
  });

  it("is not given to a credential that a member edits until the page shows it again", async () => {
    const { resource, widen } = await makeChangedForm();
    const form = await makeForm(owner, fields);
    const permissions = ["submissions:read"];
    const { id } = await issue({ permissions, resources: [`form:${form}`] });
    const page = await admin("GET", `/integrations/${id}/access`, undefined, html);
    await widen();
    const values = { purpose: "custom", scope: "only", permissions, resources: [resource] };
    const edit = (text: string) =>
      admin("POST", `/integrations/${id}`, { ...values, shown: hiddenInput(text) });
    expect((await edit(page.text)).status).toBe(422);
    const again = await admin("GET", `/integrations/${id}/access`, undefined, html);
    expect((await edit(again.text)).status).toBe(200);
  });
});

describe("The view of a partner for whom “Create credential” selects whole forms", () => {
  const fields = ["title", "salary"].map((key) => ({ key, type: "text" }));
  const rights = { purpose: "partner", kind: "token", name: "P", expires: "30d" };
  const resourcesOf = (forms: readonly string[]) => forms.map((form) => `form:${form}`);

  it.each([
    ["adds while it adds the next view", /^update "collection" set "version"/, 2, false],
    ["adds before it stores the credential", /^insert into "credential"/, 1, false],
    ["finds before it stores the credential", /^insert into "credential"/, 1, true],
  ] as const)(
    "is not given to the credential if an editor changes a view that the request %s",
    async (_, pattern, place, exists) => {
      const forms = [await makeForm(owner, fields), await makeForm(owner, fields)];
      const path = `/forms/${forms[0]}/schema`;
      const body = { ...rights, resources: resourcesOf(forms) };
      if (exists) {
        const { id } = (await admin("POST", "/integrations", body)).body;
        await admin("POST", `/integrations/${id}/revoke`);
      }
      const editor = await issueEditorToken();
      const widen = async () => {
        const views = (await owner.get(path)).body.views.map(({ fields: __, ...view }: Json) => ({
          ...view,
          conditions: [],
        }));
        expect([views.length, (await editor.patch(path, { views })).status]).toEqual([1, 200]);
      };
      const fetch = servedBetween(pattern, widen, place);
      const sent = await adminRequest("POST", "/integrations", body);
      const refused = await answerOf(await fetch(sent));
      expect([refused.status, refused.body.errors?.[0]?.field]).toEqual([422, "resources"]);
      expect(refused.text).toContain(`The definition of form:${forms[0]} has changed`);
      const accepted = await admin("POST", "/integrations", body);
      expect([accepted.status, accepted.body.resources]).toEqual([
        201,
        [
          `form:${forms[0]}/created_by_the_credential_2`,
          `form:${forms[1]}/created_by_the_credential`,
        ],
      ]);
    },
  );

  it("omits the fields that an editor adds later", async () => {
    const form = await makeForm(owner, fields);
    const body = { ...rights, resources: resourcesOf([form]) };
    const partner = new Caller((await admin("POST", "/integrations", body)).body.token);
    const editor = await issueEditorToken();
    const more = [...fields, { key: "internal", type: "text", default: "SECRET" }];
    expect((await editor.put(`/forms/${form}/schema`, { fields: more })).status).toBe(200);
    const sent = await partner.post(`/forms/${form}/submissions`, { data: { title: "t" } });
    expect([sent.status, sent.text.includes("SECRET")]).toEqual([201, false]);
    const { body: seen } = await partner.get(`/forms/${form}/schema`);
    expect(seen.fields.map(({ key }: Json) => key)).toEqual(["title", "salary"]);
  });

  it("is added to at most 20 forms and apps with fewer than 300 queries, and to none of 21", async () => {
    const forms: string[] = [];
    for (let count = 0; count < 21; count += 1) forms.push(await makeForm(owner, fields));
    const countViews = async () => {
      const schemas = await Promise.all(forms.map((form) => owner.get(`/forms/${form}/schema`)));
      return schemas.reduce((sum, { body }) => sum + body.views.length, 0);
    };
    const body = { ...rights, resources: resourcesOf(forms) };
    const refused = await admin("POST", "/integrations", body);
    expect([refused.status, refused.body.errors[0].field]).toEqual([422, "resources"]);
    expect(await countViews()).toBe(0);
    const { fetch, statements } = counted();
    const most = { ...body, resources: body.resources.slice(1) };
    const accepted = await fetch(await adminRequest("POST", "/integrations", most));
    expect([accepted.status, await countViews()]).toEqual([201, 20]);
    expect(statements.reduce((sum, count) => sum + count, 0)).toBeLessThan(300);
  });
});
