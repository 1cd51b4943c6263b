import { beforeAll, describe, expect, it } from "vitest";
import type { Client } from "../support/client";
import { homeDb } from "../support/databases";
import { as, issueEditorToken, newMember } from "../support/members";
import { holdChecks } from "../support/pending";
import { admin, client, issue, makeForm } from "../support/service";

/** Only valid credentials keep a view in use. A credential that becomes valid again gets its views like a new one. */

let owner: Client;
beforeAll(async () => {
  owner = await client();
});

/** Ends the validity of a credential as its expiry does. */
const expire = (id: string) =>
  homeDb.prepare("update credential set expires_at = 1 where id = ?").bind(id).run();

describe("A view", () => {
  const fields = ["title", "secret"].map((key) => ({ key, type: "text" }));
  const view = { key: "part", name: "Part", fields: ["title"] };
  const all = { key: "part", name: "Part" };

  async function makeUsed(kind: "token" | "client") {
    const form = await makeForm(owner, fields, { views: [view] });
    const viewer = await newMember(kind === "token" ? "viewer" : "admin");
    const { body } = await as(viewer.cookie)("POST", "/integrations", {
      kind,
      name: "Short",
      permissions: ["submissions:read"],
      resources: [`form:${form}/part`],
      expires: "30d",
    });
    return { path: `/forms/${form}/schema`, viewer, id: body.id };
  }
  type Used = Awaited<ReturnType<typeof makeUsed>>;
  const removeMember = ({ viewer }: Used) =>
    admin("POST", `/members/${viewer.id}`, { disabled: "true" });
  const ends: [string, "token" | "client", (used: Used) => Promise<unknown>][] = [
    ["has expired", "token", ({ id }) => expire(id)],
    ["is an API client that has expired", "client", ({ id }) => expire(id)],
    ["was revoked", "token", ({ id }) => admin("POST", `/integrations/${id}/revoke`, {})],
    ["belongs to a removed member", "token", removeMember],
  ];

  it.each(ends)(
    "can be changed by an editor, and removed, if its only credential %s",
    async (_, kind, end) => {
      const used = await makeUsed(kind);
      const editor = await issueEditorToken();
      expect((await editor.patch(used.path, { views: [all] })).status).toBe(422);
      await end(used);
      expect((await editor.patch(used.path, { views: [all] })).status).toBe(200);
      expect((await editor.patch(used.path, { views: [] })).status).toBe(200);
    },
  );

  it("is in use while the API client of a removed member has it", async () => {
    const used = await makeUsed("client");
    expect((await removeMember(used)).status).toBe(204);
    const editor = await issueEditorToken();
    expect((await editor.patch(used.path, { views: [all] })).status).toBe(422);
  });
});

describe("A new expiry for an expired credential with a view", () => {
  const fields = ["title", "code", "secret"].map((key) => ({ key, type: "text" }));
  const view = { key: "part", name: "Part", fields: ["title"] };
  const wide = { key: "part", name: "Part" };
  const permissions = ["submissions:read"];
  const expires = "30d";

  async function makeExpired() {
    const form = await makeForm(owner, fields, { views: [view] });
    const resources = [`form:${form}/part`];
    const { id } = await issue({ permissions, resources });
    await expire(id);
    const schema = `/forms/${form}/schema`;
    const editor = await issueEditorToken();
    const change = async (views: object[]) =>
      expect((await editor.patch(schema, { views })).status).toBe(200);
    const path = `/integrations/${id}`;
    const edit = (input: object) => admin("POST", path, { expires, ...input });
    const state = async () => (await admin("GET", path)).body.state;
    return { form, schema, resources, path, editor, change, edit, state };
  }

  it("is rejected if an editor has changed the view since the page described it", async () => {
    const { path, change, edit, state, resources } = await makeExpired();
    const open = async () => {
      const { text } = await admin("GET", `${path}/access`, undefined, { Accept: "text/html" });
      return { text, shown: /name="shown" value="([^"]*)"/.exec(text)?.[1] };
    };
    const page = { purpose: "custom", scope: "only", permissions, resources };
    const first = await open();
    expect(first.text).toContain("its views may have changed since");
    await change([wide]);
    const refused = await edit({ ...page, shown: first.shown });
    expect([refused.status, refused.body.errors[0].field]).toEqual([422, "resources"]);
    expect(await state()).toBe("expired");
    const second = await open();
    expect((await edit({ ...page, shown: second.shown })).status).toBe(200);
    const { text } = await open();
    expect([await state(), text.includes("its views may have changed since")]).toEqual([
      "active",
      false,
    ]);
  });

  it("needs the resources again if a script sends it", async () => {
    const { change, edit, state, resources } = await makeExpired();
    await change([wide]);
    const refused = await edit({});
    expect([refused.status, refused.body.errors]).toEqual([
      422,
      [expect.objectContaining({ field: "resources", code: "required" })],
    ]);
    expect(await state()).toBe("expired");
    expect((await edit({ resources })).status).toBe(200);
    expect((await edit({})).status).toBe(200);
  });

  it("is rejected if the view was removed", async () => {
    const { change, edit, state, resources } = await makeExpired();
    await change([]);
    for (const input of [{}, { resources }]) expect((await edit(input)).status).toBe(422);
    expect(await state()).toBe("expired");
  });

  it("protects the view from editors again, and discards their pending changes of it", async () => {
    const { form, schema, editor, edit, resources } = await makeExpired();
    await owner.post(`/forms/${form}/submissions`, { data: { title: "t", code: "c" } });
    const finishCheck = await holdChecks();
    const [title, code, secret] = fields;
    const pending = { fields: [title, { ...code, unique: true }, secret], views: [wide] };
    expect((await editor.put(schema, pending)).status).toBe(202);
    expect((await edit({ resources })).status).toBe(200);
    await finishCheck();
    expect((await owner.get(schema)).body.views).toEqual([view]);
    expect((await editor.patch(schema, { views: [wide] })).status).toBe(422);
  });

  it("does not return a changed view when its deleted form is restored later", async () => {
    const { form, path, change, edit } = await makeExpired();
    await change([wide]);
    await admin("POST", `/forms/${form}/delete`, { confirm: form });
    expect((await edit({})).status).toBe(200);
    const { items } = (await admin("GET", "/deleted")).body;
    const { id } = items.find(({ key }: { key: string }) => key === form);
    expect((await admin("POST", `/deleted/${id}/restore`, {})).status).toBe(204);
    expect((await admin("GET", path)).body.resources).toEqual([]);
  });
});
