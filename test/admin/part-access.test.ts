import { beforeAll, describe, expect, it } from "vitest";
import type { Client } from "../support/client";
import { Client as Caller } from "../support/client";
import { as, cookieOf, newMember } from "../support/members";
import { admin, client, issue, makeForm, ownerCookie } from "../support/service";
import { homeDb } from "../support/databases";
import { createWebhook, Receiver } from "../webhooks/receiver";

const fields = [
  { key: "title", label: "Title", type: "text" },
  { key: "email", label: "E-mail", type: "email" },
  { key: "pay", label: "Pay", type: "number" },
  { key: "score", type: "computed", formula: "pay * 2", result: "number" },
];
const html = { Accept: "text/html" };
/** Sends a form of a page. */
const post = (path: string, values: Record<string, string>) =>
  admin(
    "POST",
    path,
    undefined,
    { ...html, "Content-Type": "application/x-www-form-urlencoded" },
    new URLSearchParams(values).toString(),
  );

let owner: Client;
beforeAll(async () => {
  owner = await client();
});

describe("The page “Access” of a form", () => {
  it("says who sees the form, and what of it", async () => {
    const views = [
      {
        key: "cheap",
        name: "Cheap",
        conditions: [{ field: "pay", op: "lt", value: 5 }],
        fields: ["title"],
      },
    ];
    const form = await makeForm(owner, fields, { views });
    const narrow = { permissions: ["submissions:read"], resources: [`form:${form}/cheap`] };
    await issue({ ...narrow, name: "The partner" });
    const { id } = await issue({ ...narrow, name: "Was revoked" });
    await admin("POST", `/integrations/${id}/revoke`, {});
    await createWebhook(owner, new Receiver(), {
      name: "The desk",
      collections: [`form:${form}/cheap`],
    });
    const { body } = await admin("GET", `/forms/${form}/access`);
    const sees = "Only submissions whose Pay is less than 5, only Title";
    const partner = body.credentials.find(({ name }: { name: string }) => name === "The partner");
    expect(partner.sees).toBe(sees);
    expect(body.credentials.map(({ name }: { name: string }) => name)).not.toContain("Was revoked");
    expect(body.webhooks).toMatchObject([{ name: "The desk", sees }]);
    const page = await admin("GET", `/forms/${form}/access`, undefined, html);
    expect(page.text).toContain("Who can see this form");
    expect(page.text).toContain("Only the submissions in “Cheap”");
  });

  it("lists every valid credential, 200 on a page, and no expired one", async () => {
    const views = [{ key: "titles", name: "Titles", fields: ["title"] }];
    const form = await makeForm(owner, fields, { views });
    const resources = [`form:${form}/titles`];
    const narrow = { permissions: ["submissions:read"], resources };
    const partner = await issue({ ...narrow, name: "The partner" });
    const { id } = await issue({ ...narrow, name: "Another" });
    const member = await newMember("viewer");
    const copy = (letter: string, expiresAt: number | null) =>
      homeDb
        .prepare(
          `with recursive n (i) as (select 100 union all select i + 1 from n where i < 298)
          insert into credential
            (id, version, kind, name, permissions, resources, requests, writes, secrets, member_id,
              created_at, expires_at)
          select ? || i || id, 1, kind, name, permissions, resources, requests, writes, secrets,
            ?, created_at, ? from n, credential where id = ?`,
        )
        .bind(letter, member.id, expiresAt, id)
        .run();
    await copy("Y", null);
    await copy("Z", 1);
    const path = `/forms/${form}/access`;
    const first = await admin("GET", path);
    const listed = first.body.credentials.map((credential: { id: string }) => credential.id);
    expect([listed.length, listed.includes(partner.id)]).toEqual([200, false]);
    expect(listed.filter((each: string) => each.startsWith("Z"))).toEqual([]);
    const { pathname, search } = new URL(first.body.links.next);
    const next = await admin("GET", pathname.replace("/admin", "") + search);
    expect(next.body.credentials[0].id).toBe(partner.id);
    expect(next.body.links.next).toBeNull();
    const page = await admin("GET", path, undefined, html);
    expect(page.text).toContain("Show older credentials");
  });

  it("says what a credential may do in the same sentence as its own page", async () => {
    const views = [{ key: "titles", name: "Titles", fields: ["title"] }];
    const form = await makeForm(owner, fields, { name: "Room booking", views });
    const { id } = await issue({
      name: "The partner",
      permissions: ["submissions:read", "schema:read"],
      resources: [`form:${form}/titles`],
    });
    const said =
      "Can read all submissions of Room booking, and of these only Title (view “Titles”). Can read the definition.";
    for (const path of [
      `/forms/${form}/access`,
      `/integrations/${id}`,
      `/integrations/${id}/access`,
    ])
      expect((await admin("GET", path, undefined, html)).text).toContain(said);
    const resources = encodeURIComponent(`form:${form}/titles`);
    const next = `/integrations/new?purpose=part_report&resources=${resources}`;
    expect((await admin("GET", next, undefined, html)).text).toContain(said);
  });

  it("offers to share a view on its tab and after it was saved, with its credential prepared", async () => {
    const form = await makeForm(owner, fields);
    const saved = await post(`/forms/${form}/items/views`, { name: "Cheap", search: "f.pay.lt=5" });
    const cookie = cookieOf(saved);
    const share = `/admin/integrations/new?purpose=part_report&amp;resources=form%3A${form}%2Fcheap&amp;name=Cheap`;
    const list = await admin("GET", `/forms/${form}/items?view=cheap`, undefined, {
      ...html,
      Cookie: `${await ownerCookie()}; ${cookie}`,
    });
    expect(list.text.split(`href="${share}"`)).toHaveLength(3);
    expect(decodeURIComponent(cookie)).toContain("Share with an external system…");
    const next = await admin(
      "GET",
      share.slice("/admin".length).replaceAll("&amp;", "&"),
      undefined,
      html,
    );
    expect(next.text).toMatch(new RegExp(`value="form:${form}/cheap"[^>]* checked`));
    expect(next.text).toMatch(/value="part_report"[^>]* checked/);
  });

  it("reads the list of the view in the example of its credential, and keeps the tense after it is revoked", async () => {
    const views = [{ key: "cheap", name: "Cheap", fields: ["title"] }];
    const form = await makeForm(owner, fields, { name: "Wages", views });
    const page = (path: string) => admin("GET", path, undefined, html).then(({ text }) => text);
    const { id } = await issue({
      permissions: ["submissions:read"],
      resources: [`form:${form}/cheap`],
    });
    const sentence = "read all submissions of Wages, and of these only Title (view “Cheap”).";
    expect(await page(`/integrations/${id}`)).toContain(`Can ${sentence}`);
    expect(await page(`/integrations/${id}`)).not.toContain("writes per minute");
    const cookie = cookieOf(await post(`/integrations/${id}/rotate`, { overlap: "none" }));
    const shown = await admin("GET", `/integrations/${id}/secret`, undefined, {
      ...html,
      Cookie: `${await ownerCookie()}; ${cookie}`,
    });
    expect(shown.text).toContain(`/api/v1/forms/${form}/submissions?limit=5`);
    await admin("POST", `/integrations/${id}/revoke`, {});
    expect(await page(`/integrations/${id}`)).toContain(`Could ${sentence}`);
  });

  it("names the fields without which a partner cannot create", async () => {
    const form = await makeForm(owner, [
      { key: "note", label: "Note", type: "text" },
      { key: "room", label: "Room", type: "text", required: true },
      { key: "unit", label: "Unit", type: "text", required: true, default: "kg" },
      {
        key: "lines",
        label: "Lines",
        type: "line_items",
        min_rows: 1,
        fields: [{ key: "what", type: "text" }],
      },
    ]);
    const { text } = await admin("GET", `/forms/${form}/access`, undefined, html);
    expect(text).toContain("To create items, it needs Room, Lines.");
  });

  it("stores a view of what a partner created, once, and offers the credential for it", async () => {
    const form = await makeForm(owner, fields);
    const give = () =>
      admin("POST", `/forms/${form}/access`, { items: "own", fields: ["title", "pay"] }, html);
    const first = await give();
    const second = await give();
    const location = first.headers.get("Location") ?? "";
    expect([first.status, second.headers.get("Location")]).toEqual([303, location]);
    expect(Object.fromEntries(new URL(location, "https://x.example").searchParams)).toEqual({
      purpose: "partner",
      resources: `form:${form}/created_by_the_credential`,
      name: "Created by the credential, without E-mail, score",
    });
    const { views } = (await owner.get(`/forms/${form}/schema`)).body;
    expect(views).toEqual([
      {
        key: "created_by_the_credential",
        name: "Created by the credential, without E-mail, score",
        conditions: [{ field: "$created_by", op: "eq", value: "$me" }],
        fields: ["title", "pay"],
      },
    ]);
    const next = await admin("GET", location.replace("/admin", ""), undefined, html);
    expect(next.text).toMatch(new RegExp(`value="form:${form}/created_by_the_credential" checked`));
    expect(next.text).toMatch(/name="purpose"[^>]*value="partner" checked/);
    const input = { page: "issue", purpose: "partner", scope: "only", kind: "token", name: "" };
    const resources = [`form:${form}/created_by_the_credential`];
    const issued = await admin("POST", "/integrations", { ...input, resources, expires: "30d" });
    expect([issued.status, issued.body.name]).toEqual([201, "Partner"]);
    const partner = new Caller(issued.body.token);
    await owner.post(`/forms/${form}/submissions`, { data: { title: "theirs", pay: 1 } });
    await partner.post(`/forms/${form}/submissions`, { data: { title: "own", pay: 2 } });
    const list = await partner.get(`/forms/${form}/submissions`);
    expect(list.body.items.map((item: { data: object }) => item.data)).toEqual([
      { title: "own", pay: 2 },
    ]);
    const access = await admin("GET", `/integrations/${issued.body.id}/access`, undefined, html);
    expect(access.text).toContain("Only submissions whose creator is the credential itself");
  });

  it("proposes a report without fields that look personal, and never a page", async () => {
    const form = await makeForm(owner, fields);
    const page = await admin("GET", `/forms/${form}/access?preset=report`, undefined, html);
    const checked = [...page.text.matchAll(/name="fields" value="(\w+)" checked/g)].map(
      ([, key]) => key,
    );
    const first = [...page.text.matchAll(/id="f-fields" name="fields" value="(\w+)" checked/g)];
    expect([...new Set([...first.map(([, key]) => key), ...checked])]).toEqual([
      "title",
      "pay",
      "score",
    ]);
    const given = await admin("POST", `/forms/${form}/access`, {
      preset: "report",
      items: "all",
      fields: ["pay", "score"],
    });
    expect(given.body).toEqual({ resource: `form:${form}/all_submissions` });
    const input = {
      page: "issue",
      purpose: "part_report",
      scope: "only",
      kind: "token",
      name: "R",
      expires: "30d",
    };
    const whole = await admin("POST", "/integrations", { ...input, resources: [`form:${form}`] });
    expect([whole.status, whole.body.errors[0].field]).toEqual([422, "resources"]);
    const paged = await admin("POST", "/integrations", {
      ...input,
      resources: [given.body.resource],
      origins: "https://shop.example",
    });
    expect([paged.status, paged.body.errors[0].field]).toEqual([422, "origins"]);
    const none = await admin("POST", `/forms/${form}/access`, { items: "all", fields: [] });
    expect([none.status, none.body.errors[0].field]).toEqual([422, "fields"]);
    const wrong = await admin("POST", `/forms/${form}/access`, { items: "view:no", fields: "pay" });
    expect([wrong.status, wrong.body.errors[0].field]).toEqual([422, "items"]);
  });

  it("proposes a report without lists that have a personal column, and without formulas that read personal data", async () => {
    const computed = (key: string, formula: string, result = "text") => ({
      key,
      type: "computed",
      formula,
      result,
    });
    const list = (key: string, ...columns: object[]) => ({
      key,
      type: "line_items",
      fields: [...columns, { key: "fee", type: "number" }],
    });
    const form = await makeForm(owner, [
      ...fields.slice(0, 3),
      list("seats", { key: "email", type: "email" }),
      list("guests", { key: "guest", label: "氏名", type: "text" }),
      list("extras", { key: "what", type: "text" }),
      computed("summary", 'email + ": " + title'),
      computed("fees", "sum(seats.map(s, s.fee))", "number"),
      computed("heading", 'summary + "!"'),
      computed("costs", "sum(extras.map(e, e.fee)) + pay", "number"),
    ]);
    const page = await admin("GET", `/forms/${form}/access?preset=report`, undefined, html);
    const checked = [...page.text.matchAll(/name="fields" value="(\w+)" checked/g)];
    expect(checked.map(([, key]) => key)).toEqual(["title", "pay", "extras", "costs"]);
  });

  it("names the view as entered, or after its condition and fields", async () => {
    const room = {
      key: "room",
      label: "Room",
      type: "select",
      options: [
        { value: "b", label: "Blue" },
        { value: "r", label: "Red" },
      ],
    };
    const form = await makeForm(owner, [...fields, room]);
    const page = await admin("GET", `/forms/${form}/access`, undefined, html);
    expect(page.text).toContain("like “Room is Blue”");
    const keys = ["title", "pay", "score", "room"];
    const give = (input: object) =>
      admin("POST", `/forms/${form}/access`, { items: "where", fields: keys, ...input });
    const blue = await give({ where: "room=b" });
    expect((await give({ where: "room=b", name: "Again" })).body).toEqual(blue.body);
    await give({ where: "room=r", name: "Partner in the red room" });
    const { views } = (await owner.get(`/forms/${form}/schema`)).body;
    expect(views).toEqual([
      {
        key: "room_is_blue",
        name: "Room is Blue, without E-mail",
        conditions: [{ field: "room", op: "eq", value: "b" }],
        fields: keys,
      },
      expect.objectContaining({ name: "Partner in the red room" }),
    ]);
    const unknown = await give({ where: "room=gone" });
    expect([unknown.status, unknown.body.errors[0].field]).toEqual([422, "where"]);
    const next = await admin(
      "GET",
      `/integrations/new?purpose=part_report&resources=${blue.body.resource}`,
      undefined,
      html,
    );
    expect(next.text).toContain("Only submissions whose Room is “Blue”, all fields except E-mail");
  });

  const cheap = {
    key: "cheap",
    name: "Cheap",
    conditions: [{ field: "pay", op: "lt", value: 5 }],
    fields: ["title"],
  };
  const allKeys = ["title", "email", "pay", "score"];

  it("selects the fields of a view before it gives access to its items", async () => {
    const form = await makeForm(owner, fields, { views: [cheap] });
    const sent = { items: "view:cheap", fields_for: "own", fields: allKeys };
    const first = await admin("POST", `/forms/${form}/access`, sent, html);
    expect(first.status).toBe(422);
    expect(first.text).toContain("Its own fields are selected now.");
    expect(first.text).toMatch(/name="fields_for" value="view:cheap"/);
    const checked = [...first.text.matchAll(/name="fields" value="(\w+)" checked/g)];
    expect(checked.map(([, key]) => key)).toEqual(["title"]);
    const { views } = (await owner.get(`/forms/${form}/schema`)).body;
    expect(views).toHaveLength(1);
  });

  it("reuses a view if its own fields are chosen, and else names the other fields", async () => {
    const whole = { key: "whole", name: "Whole", conditions: [], fields: allKeys };
    const form = await makeForm(owner, fields, { views: [cheap, whole] });
    const give = (items: string, keys: string[]) =>
      admin("POST", `/forms/${form}/access`, { items, fields_for: items, fields: keys });
    expect((await give("view:cheap", ["title"])).body.resource).toBe(`form:${form}/cheap`);
    expect((await give("view:whole", allKeys)).body.resource).toBe(`form:${form}/whole`);
    await give("view:cheap", allKeys);
    await give("view:cheap", ["pay"]);
    const { views } = (await owner.get(`/forms/${form}/schema`)).body;
    expect(views.slice(2).map(({ name }: { name: string }) => name)).toEqual([
      "Cheap, all fields",
      "Cheap, without Title, E-mail, score",
    ]);
  });

  it("does not show fields that are added after all fields were selected", async () => {
    const form = await makeForm(owner, fields);
    const chosen = { items: "own", fields: allKeys };
    const { resource } = (await admin("POST", `/forms/${form}/access`, chosen)).body;
    const partner = await client({ permissions: ["schema:read"], resources: [resource] });
    const added = { fields: [...fields, { key: "secret", type: "text" }] };
    expect((await owner.put(`/forms/${form}/schema`, added)).status).toBe(200);
    const { body } = await partner.get(`/forms/${form}/schema`);
    expect(body.fields.map(({ key }: { key: string }) => key)).toEqual(allKeys);
  });

  it("adds the view of a partner that selects a whole form, once", async () => {
    const form = await makeForm(owner, fields);
    const input = { page: "issue", purpose: "partner", scope: "only", kind: "token", name: "" };
    const resources = [`form:${form}`];
    const create = (expires = "30d") =>
      admin("POST", "/integrations", { ...input, resources, expires });
    const [first, second] = [await create(), await create()];
    const narrow = [`form:${form}/created_by_the_credential`];
    expect([first.body.resources, second.body.resources]).toEqual([narrow, narrow]);
    const { views } = (await owner.get(`/forms/${form}/schema`)).body;
    expect(views).toMatchObject([{ name: "Created by the credential", fields: allKeys }]);
  });

  it("is for owners and admins", async () => {
    const form = await makeForm(owner, fields);
    const { cookie } = await newMember("editor");
    expect((await as(cookie)("GET", `/forms/${form}/access`)).status).toBe(403);
    const page = await admin("GET", `/forms/${form}/settings`, undefined, html);
    expect(page.text).toContain(`/admin/forms/${form}/access`);
  });
});

describe("The editor of a form", () => {
  it("names the credentials and webhooks whose view a change affects", async () => {
    const views = [{ key: "scores", name: "Scores", fields: ["score"] }];
    const form = await makeForm(owner, fields, { views });
    const permissions = ["submissions:read"];
    await issue({ permissions, resources: [`form:${form}/scores`], name: "The reader" });
    await createWebhook(owner, new Receiver(), {
      name: "The follower",
      collections: [`form:${form}/scores`],
    });
    const body = Object.fromEntries(
      fields.flatMap((field, index) => [
        [`fields[${index}].was`, field.key],
        [`fields[${index}].key`, field.key],
        [`fields[${index}].label`, field.label ?? field.key],
        [`fields[${index}].type`, field.type],
        [`fields[${index}].searchable`, "on"],
        ...(field.formula
          ? [
              [`fields[${index}].formula`, "pay * 3"],
              [`fields[${index}].result`, "number"],
            ]
          : []),
      ]),
    );
    const known = fields.map(({ key }) => key).join(",");
    const page = await admin(
      "POST",
      `/forms/${form}/fields`,
      { do: "check", version: 1, known, ...body },
      html,
    );
    expect(page.text).toContain("The reader");
    expect(page.text).toContain("The follower");
  });

  it("says which view uses a field that it removes, before it saves and when it saves", async () => {
    const conditions = [{ field: "pay", op: "gt", value: 1 }];
    const views = [{ key: "paid", name: "Well paid", conditions, fields: ["title"] }];
    const [title, pay] = [
      { key: "title", type: "text", label: "Title" },
      { key: "pay", type: "number", label: "Salary" },
    ];
    const form = await makeForm(owner, [title, pay], { views });
    const draft = {
      version: 1,
      known: "title,pay",
      "fields[0].was": "title",
      "fields[0].key": "title",
      "fields[0].label": "Title",
      "fields[0].type": "text",
      "fields[0].searchable": "on",
    };
    const send = (entries: object, headers: object = {}) =>
      admin("POST", `/forms/${form}/fields`, { ...draft, ...entries }, { ...html, ...headers });
    const reason =
      "The view “Well paid” uses “Salary”. Change or delete the view before you remove the field.";
    const check = await send({ do: "check" });
    expect([check.status, check.text.includes(reason)]).toEqual([200, true]);
    const save = await send({ do: "save", sure: "on" });
    expect([save.status, save.text.includes(reason)]).toEqual([422, true]);
    expect(save.text).not.toContain("views: ");
    for (const { text } of [check, save]) {
      const outcome = /<section[^>]* id="outcome".*?<\/section>/s.exec(text)?.[0];
      expect(outcome).toContain(reason);
      expect(outcome).toContain(`href="/admin/forms/${form}/items?view=paid"`);
      expect(outcome).not.toContain("Fix the highlighted fields");
    }
    const japanese = await send({ do: "check" }, { "Accept-Language": "ja" });
    expect(japanese.text).toContain("ビュー「Well paid」が「Salary」を使用しています。");
  });
});
