import { beforeAll, describe, expect, it } from "vitest";
import { fieldNumber } from "../../src/domain/data/values.ts";
import { itemCollectionId } from "../../src/domain/item/item.ts";
import type { Client } from "../support/client";
import { issueEditorToken } from "../support/members";
import { admin, client, issue, makeForm } from "../support/service";
import { forgeDigest } from "./forge-digest";

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
