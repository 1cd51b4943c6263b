import { beforeAll, describe, expect, it } from "vitest";
import type { Answer, Client } from "../support/client";
import { answerOf } from "../support/client";
import { homeDb } from "../support/databases";
import { issueEditorToken } from "../support/members";
import { servedBetween } from "../support/serve-between";
import { admin, adminRequest, client, issue, makeApp, makeForm } from "../support/service";

/** Changes of a view while somebody gives it to a credential or a webhook. */

const fields = [
  { key: "title", type: "text" },
  { key: "team", type: "text" },
];
const view = { key: "titles", name: "Titles", fields: ["title"] };
const personal = { ...view, conditions: [{ field: "$created_by", op: "eq", value: "$me" }] };

let owner: Client;
beforeAll(async () => {
  owner = await client();
});

const savesDefinition = /^update "collection" set "version"/;
const storesCredential = /^insert into "credential"/;
const changesCredential = /^update "credential"/;
const storesWebhook = /^insert into "webhook"/;

const through = (form: string) => ({
  permissions: ["submissions:read"],
  resources: [`form:${form}/titles`],
});
const hook = (form: string) => ({
  name: "Follows",
  url: "https://receiver.example/",
  types: ["submission.created"],
  collections: [`form:${form}/titles`],
});
const removeView = (caller: Client, form: string) =>
  caller.patch(`/forms/${form}/schema`, { views: [] });

describe("The removal of a view", () => {
  it("is refused when a credential gets the view between its check and its write", async () => {
    const form = await makeForm(owner, fields, { views: [view] });
    const slow = owner.through(servedBetween(savesDefinition, () => issue(through(form))));
    const answer = await removeView(slow, form);
    expect([answer.status, answer.body.code]).toEqual([409, "schema_in_use"]);
  });

  it("is refused when a webhook gets the view between its check and its write", async () => {
    const form = await makeForm(owner, fields, { views: [view] });
    const slow = owner.through(
      servedBetween(savesDefinition, () => owner.post("/webhooks", hook(form))),
    );
    const answer = await removeView(slow, form);
    expect([answer.status, answer.body.code]).toEqual([409, "schema_in_use"]);
  });

  it("is refused when an edit gives a credential the view between its check and its write", async () => {
    const form = await makeForm(owner, fields, { views: [view] });
    const { id } = await issue({ ...through(form), resources: [`form:${form}`] });
    const edit = () => admin("POST", `/integrations/${id}`, through(form));
    const answer = await removeView(owner.through(servedBetween(savesDefinition, edit)), form);
    expect([answer.status, answer.body.code]).toEqual([409, "schema_in_use"]);
  });

  it("before a credential is stored refuses the credential", async () => {
    const form = await makeForm(owner, fields, { views: [view] });
    const fetch = servedBetween(storesCredential, () => removeView(owner, form));
    const input = { ...through(form), kind: "token", name: "Late", expires: "30d" };
    const answer = await answerOf(await fetch(await adminRequest("POST", "/integrations", input)));
    expect([answer.status, answer.text]).toEqual([422, expect.stringContaining("no view")]);
  });

  it("before an edit of a credential is stored refuses the edit", async () => {
    const form = await makeForm(owner, fields, { views: [view] });
    const { id } = await issue({ ...through(form), resources: [`form:${form}`] });
    const fetch = servedBetween(changesCredential, () => removeView(owner, form));
    const request = await adminRequest("POST", `/integrations/${id}`, through(form));
    expect((await answerOf(await fetch(request))).status).toBe(422);
    const { body } = await admin("GET", `/integrations/${id}`);
    expect(body.resources).toEqual([`form:${form}`]);
  });

  it("before a webhook is stored refuses the webhook", async () => {
    const form = await makeForm(owner, fields, { views: [view] });
    const fetch = servedBetween(storesWebhook, () => removeView(owner, form));
    const answer = await owner.through(fetch).post("/webhooks", hook(form));
    expect([answer.status, answer.text]).toEqual([422, expect.stringContaining("no view")]);
    const { body } = await owner.get("/webhooks");
    expect(JSON.stringify(body)).not.toContain(`form:${form}/titles`);
  });
});

describe("A change of a view during a new expiry for an expired credential", () => {
  const wide = { key: "titles", name: "Titles" };
  const expire = (id: string, at = 1) =>
    homeDb.prepare("update credential set expires_at = ? where id = ?").bind(at, id).run();

  async function makeExpired() {
    const form = await makeForm(owner, fields, { views: [view] });
    const { id } = await issue(through(form));
    await expire(id);
    const path = `/integrations/${id}`;
    const renewal = { ...through(form), expires: "30d" };
    const editor = await issueEditorToken();
    const change = (caller: Client, views: object[]) =>
      caller.patch(`/forms/${form}/schema`, { views });
    const state = async () => (await admin("GET", path)).body.state;
    const renewBetween = async (input: object, meanwhile: () => Promise<unknown>) =>
      answerOf(
        await servedBetween(changesCredential, meanwhile)(await adminRequest("POST", path, input)),
      );
    /** Returns the input of the page, with the views that it describes now. */
    const readPage = async () => {
      const { text } = await admin("GET", `${path}/access`, undefined, { Accept: "text/html" });
      const shown = /name="shown" value="([^"]*)"/.exec(text)?.[1];
      return { ...renewal, scope: "only", purpose: "custom", shown };
    };
    return { id, path, renewal, editor, change, state, renewBetween, readPage };
  }

  it.each([
    ["removal", [], 409],
    ["change", [wide], 422],
  ])("is refused if the credential gets it first: a %s", async (_, views, status) => {
    const { path, renewal, editor, change, state } = await makeExpired();
    const slow = editor.through(servedBetween(savesDefinition, () => admin("POST", path, renewal)));
    expect((await change(slow, views)).status).toBe(status);
    expect(await state()).toBe("active");
  });

  it.each([
    ["removal", []],
    ["change", [wide]],
  ])("that comes first leaves the credential expired: a %s", async (_, views) => {
    const { editor, change, state, renewBetween, readPage } = await makeExpired();
    const input = await readPage();
    const answer = await renewBetween(input, () => change(editor, views));
    expect([answer.status, answer.body.errors[0].field]).toEqual([422, "resources"]);
    expect(await state()).toBe("expired");
  });

  it("leaves the credential expired although someone else renames it before the renewal is undone", async () => {
    const { path, editor, change, state, readPage } = await makeExpired();
    const input = await readPage();
    const meanwhile = async (place: number) => {
      if (place === 1) await change(editor, [wide]);
      if (place === 2) await admin("POST", path, { name: "Renamed" });
    };
    const fetch = servedBetween(changesCredential, meanwhile, "each");
    expect((await fetch(await adminRequest("POST", path, input))).status).toBe(422);
    expect(await state()).toBe("expired");
  });

  it("is not confirmed by an edit that began before the credential expired, without its resources", async () => {
    const { id, editor, change, state, renewBetween } = await makeExpired();
    const end = Date.now() + 300;
    await expire(id, end);
    const answer = await renewBetween({ expires: "30d" }, async () => {
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, end - Date.now()) + 1));
      expect((await change(editor, [wide])).status).toBe(200);
    });
    expect([answer.status, answer.body.errors[0].field]).toEqual([422, "resources"]);
    expect(await state()).toBe("expired");
  });
});

describe("A view that becomes personal", () => {
  const shared = (form: string) => ({ ...through(form), origins: ["https://shop.example"] });

  it("is refused when a credential of pages gets it between its check and its write", async () => {
    const form = await makeForm(owner, fields, { views: [view] });
    const slow = owner.through(servedBetween(savesDefinition, () => issue(shared(form))));
    const answer = await slow.patch(`/forms/${form}/schema`, { views: [personal] });
    expect([answer.status, answer.text]).toEqual([422, expect.stringContaining("$me")]);
  });

  it("before a credential of pages is stored refuses the credential", async () => {
    const form = await makeForm(owner, fields, { views: [view] });
    const change = () => owner.patch(`/forms/${form}/schema`, { views: [personal] });
    const fetch = servedBetween(storesCredential, change);
    const input = { ...shared(form), kind: "token", name: "Late", expires: "30d" };
    const answer = await answerOf(await fetch(await adminRequest("POST", "/integrations", input)));
    expect([answer.status, answer.body.errors?.[0]?.field]).toEqual([422, "origins"]);
  });
});

describe("A reference to a record of a view", () => {
  const about = (app: string) => [{ key: "about", type: "reference", app }];
  const setUp = async () => {
    const app = await makeApp(owner, fields, { views: [inDesign] });
    const notes = await makeApp(owner, about(app));
    const caller = await client({
      permissions: ["records:read", "records:write"],
      resources: [`app:${notes}`, `app:${app}/design`],
    });
    const { body: record } = await owner.post(`/apps/${app}/records`, { data: { team: "Design" } });
    const path = `/apps/${notes}/records`;
    const { body: note } = await caller.post(path, { data: {} });
    const leave = () =>
      owner.patch(`/apps/${app}/records/${record.id}`, { data: { team: "Sales" } });
    const changeView = () => owner.patch(`/apps/${app}/schema`, { views: [inSales] });
    return { caller, path, note, record, leave, changeView };
  };
  const inDesign = {
    key: "design",
    name: "Design",
    conditions: [{ field: "team", op: "eq", value: "Design" }],
  };
  const inSales = { ...inDesign, conditions: [{ field: "team", op: "eq", value: "Sales" }] };
  const writes: [
    string,
    RegExp,
    (caller: Client, path: string, id: string, note: string) => Promise<Answer>,
  ][] = [
    [
      "a create",
      /^insert into "item"/,
      (caller, path, id) => caller.post(path, { data: { about: id } }),
    ],
    [
      "an update",
      /^update "item"/,
      (caller, path, id, note) => caller.patch(`${path}/${note}`, { data: { about: id } }),
    ],
    [
      "a batch",
      /^insert into "item"/,
      (caller, path, id) =>
        caller.post(`${path}/batch`, { operations: [{ op: "create", data: { about: id } }] }),
    ],
  ];

  it.each(writes)(
    "is refused in %s when the record or the view changes between check and write",
    async (_, pattern, write) => {
      for (const change of ["leave", "changeView"] as const) {
        const { caller, path, note, record, ...changes } = await setUp();
        const slow = caller.through(servedBetween(pattern, changes[change]));
        const answer = await write(slow, path, record.id, note.id);
        expect([answer.status, answer.text]).toEqual([
          422,
          expect.stringContaining("unknown_reference"),
        ]);
      }
    },
  );
});

describe("The validation of a submission through a view", () => {
  const ofTeam = (team: string) => ({
    views: [{ ...view, conditions: [{ field: "title", op: "eq", value: team }] }],
  });
  const tries = /^insert into guard values/;

  it("is repeated when the view changes before its trial ends", async () => {
    const form = await makeForm(owner, fields, ofTeam("ours"));
    const partner = await client({
      permissions: ["submissions:create"],
      resources: [`form:${form}/titles`],
    });
    const narrowed = () => owner.patch(`/forms/${form}/schema`, ofTeam("theirs"));
    const slow = partner.through(servedBetween(tries, narrowed));
    const data = { title: "ours" };
    const answer = await slow.post(`/forms/${form}/submissions/validate`, { data });
    expect([answer.status, answer.body.errors?.[0]?.code]).toEqual([422, "outside_view"]);
  });
});
