import { beforeAll, describe, expect, it } from "vitest";
import { fieldNumber } from "../../src/domain/data/values.ts";
import { itemCollectionId } from "../../src/domain/item/item.ts";
import type { Client } from "../support/client";
import { issueEditorToken } from "../support/members";
import { holdChecks } from "../support/pending";
import { admin, client, issue, makeForm } from "../support/service";
import { forgeDigest } from "./forge-digest";

/** Who may change what a credential sees through its view. */

let owner: Client;
beforeAll(async () => {
  owner = await client();
});

describe("Conditions that are forged to have the digest of others", () => {
  const fields = [
    { key: "title", type: "text" },
    { key: "team", type: "text" },
  ];
  const view = {
    key: "v",
    name: "V",
    conditions: [{ field: "team", op: "eq", value: "ours" }],
    fields: ["title"],
  };

  /** The key of a form with a secret item, and conditions that match it and have the digest of those of the view. */
  let forgery: { form: string; conditions: object[] };
  beforeAll(async () => {
    const form = await makeForm(owner, fields, { views: [view] });
    const items = `/forms/${form}/submissions`;
    const { body } = await owner.post(items, { data: { title: "SECRET", team: "theirs" } });
    const collection = itemCollectionId(body.id) ?? 0;
    const any = (title: unknown, value: string) => [
      {
        any: [
          { field: title, op: "is_empty", value: false },
          { field: title, op: "eq", value },
        ],
      },
    ];
    const [prefix = "", suffix = ""] = JSON.stringify(
      any(fieldNumber(collection, 1), "FORGED"),
    ).split("FORGED");
    const [condition] = view.conditions;
    const target = JSON.stringify([{ ...condition, field: fieldNumber(collection, 2) }]);
    forgery = { form, conditions: any("title", forgeDigest(prefix, suffix, target)) };
  });

  it("can replace those of a used view only by an owner or admin, and expire its feed", async () => {
    const { form, conditions } = forgery;
    const [items, path] = [`/forms/${form}/submissions`, `/forms/${form}/schema`];
    const forged = { ...view, conditions };
    const resources = [`form:${form}/v`];
    const partner = await client({ permissions: ["submissions:read"], resources });
    const { next } = (await partner.get(`/forms/${form}/changes?cursor=now`)).body.links;
    const editor = await issueEditorToken();
    const dryRun = await editor.patch(`${path}?dry_run=true`, { views: [forged] });
    expect(dryRun.status).toBe(422);
    expect((await editor.patch(path, { views: [forged] })).status).toBe(422);
    expect((await partner.get(items)).text).not.toContain("SECRET");
    const { body } = await owner.patch(`${path}?dry_run=true`, { views: [forged] });
    expect(body.consequences.views).toEqual(["v"]);
    expect((await owner.patch(path, { views: [forged] })).status).toBe(200);
    expect((await partner.get(next)).status).toBe(410);
  });

  it("cannot be given to a credential or a webhook while a view has those others", async () => {
    const { form, conditions } = forgery;
    const path = `/forms/${form}/schema`;
    const { views } = (await owner.get(path)).body;
    const honest = { ...view, key: "honest" };
    const forged = { ...view, key: "forged", conditions };
    expect((await owner.patch(path, { views: [...views, honest, forged] })).status).toBe(200);
    const grant = { kind: "token", name: "P", permissions: ["submissions:read"], expires: "30d" };
    const resources = [`form:${form}/honest`];
    const refused = await admin("POST", "/integrations", { ...grant, resources });
    expect(refused.status).toBe(422);
    expect(refused.body.errors).toMatchObject([{ field: "resources", code: "not_an_option" }]);
    expect(refused.body.errors[0].reason).toContain('"forged"');
    const hook = {
      name: "H",
      url: "https://example.com/hook",
      types: ["submission.created"],
      collections: resources,
    };
    const manager = await client({ permissions: ["webhooks:manage", "submissions:read"] });
    const unfollowed = await manager.post("/webhooks", hook);
    expect([unfollowed.status, unfollowed.body.errors?.[0]]).toMatchObject([
      422,
      { field: "collections[0]", code: "not_an_option" },
    ]);
    expect(unfollowed.body.errors[0].reason).toContain('"forged"');
    await owner.patch(path, { views: [...views, honest] });
    await issue({ permissions: ["submissions:read"], resources });
    const followed = await manager.post("/webhooks", hook);
    expect([followed.status, followed.text]).toEqual([201, followed.text]);
  });
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
