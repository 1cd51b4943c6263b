import { beforeAll, describe, expect, it } from "vitest";
import type { Client, Json } from "../support/client";
import { admin, client, freshKey, makeApp, makeForm } from "../support/service";
import { dataDb } from "../support/databases";
import { createWebhook, deliverNow, Receiver, webhookObject } from "./receiver";

const fields = [
  { key: "title", type: "text" },
  { key: "team", type: "select", options: [{ value: "Design" }, { value: "Sales" }] },
  { key: "amount", type: "number" },
  { key: "secret", type: "text" },
];
const openDesign = {
  key: "open_design",
  name: "Open, Design",
  conditions: [
    { field: "team", op: "eq", value: "Design" },
    { field: "$status", op: "eq", value: "submitted" },
  ],
  fields: ["title", "team", "amount"],
};
const everyType = [
  "submission.created",
  "submission.updated",
  "submission.closed",
  "submission.deleted",
  "submission.left_view",
];

let owner: Client;
beforeAll(async () => {
  owner = await client();
});

/** A form with the view, and a webhook that follows it. */
async function followed(settings: object = {}) {
  const form = await makeForm(owner, fields, { views: [openDesign] });
  const receiver = new Receiver();
  const collections = [`form:${form}/open_design`];
  const hook = await createWebhook(owner, receiver, { types: everyType, collections, ...settings });
  const create = async (data: object): Promise<string> => {
    const answer = await owner.post(`/forms/${form}/submissions`, { data });
    expect(answer.status).toBe(201);
    return answer.body.id;
  };
  const change = async (id: string, body: object) => {
    expect((await owner.patch(`/submissions/${id}`, body)).status).toBe(200);
  };
  /** The type and the data of what has arrived since the last call. */
  let seen = 0;
  const arrived = async (): Promise<[string, Json][]> => {
    await deliverNow(hook.id);
    const messages = receiver.accepted.slice(seen).map(({ body }) => body);
    seen = receiver.accepted.length;
    return messages.map(({ type, data }): [string, Json] => [type, data]);
  };
  return { form, receiver, hook, create, change, arrived };
}

const short = (messages: [string, Json][]) =>
  messages.map(([type, { id, entered }]) => [type, id, entered ?? false]);

describe("A webhook that follows a view", () => {
  it("sends what enters, changes and leaves the view, and nothing else", async () => {
    const { form, create, change, arrived } = await followed();
    const inside = await create({ title: "a", team: "Design", secret: "s" });
    const outside = await create({ title: "b", team: "Sales" });
    const first = await arrived();
    expect(short(first)).toEqual([["submission.created", inside, true]]);
    expect(first[0]?.[1].item.data).toEqual({ title: "a", team: "Design", amount: null });
    expect(first[0]?.[1].fields).toEqual(["title", "team", "$status"]);

    await change(outside, { data: { title: "c" } });
    await change(outside, { data: { team: "Design" } });
    await change(inside, { data: { amount: 1 } });
    await change(inside, { data: { secret: "t" } });
    const left = await owner.patch(`/submissions/${inside}`, { data: { team: "Sales" } });
    await change(inside, { data: { amount: 2 } });
    const second = await arrived();
    expect(short(second)).toEqual([
      ["submission.updated", outside, true],
      ["submission.updated", inside, false],
      ["submission.updated", inside, false],
      ["submission.left_view", inside, false],
    ]);
    // The item is shown only while the view shows it.
    expect(second[1]?.[1].item).toBeUndefined();
    expect(second[2]?.[1].fields).toEqual([]);
    expect(second[3]?.[1]).toEqual({
      id: inside,
      type: "left",
      version: left.body.version,
      etag: left.etag,
      at: left.body.updated_at,
    });

    await change(outside, { status: "closed" });
    await owner.delete(`/submissions/${await create({ team: "Design" })}`);
    await owner.delete(`/submissions/${await create({ team: "Sales" })}`);
    expect((await arrived()).map(([type]) => type)).toEqual([
      "submission.left_view",
      "submission.created",
      "submission.deleted",
    ]);
    expect((await owner.get(`/forms/${form}/submissions`)).body.items).toHaveLength(2);
  });

  it("reports a deletion as left_view if it has no type for deletions", async () => {
    const { create, arrived } = await followed({ types: ["submission.left_view"] });
    const id = await create({ team: "Design" });
    await owner.delete(`/submissions/${id}`);
    expect(short(await arrived())).toEqual([["submission.left_view", id, false]]);
  });

  it("sends every quick entry and exit in order, once, although the item has moved on", async () => {
    const { create, change, arrived, receiver } = await followed();
    const id = await create({ team: "Sales" });
    for (const team of ["Design", "Sales", "Design", "Sales", "Design"])
      await change(id, { data: { team } });
    expect(short(await arrived())).toEqual([
      ["submission.updated", id, true],
      ["submission.left_view", id, false],
      ["submission.updated", id, true],
      ["submission.left_view", id, false],
      ["submission.updated", id, true],
    ]);
    await arrived();
    const ids = receiver.accepted.map(({ headers }) => headers.get("webhook-id"));
    expect(new Set(ids).size).toBe(5);
  });

  it("sends late what matched the view of the time, although the view has changed since", async () => {
    const { form, create, change, arrived, receiver, hook } = await followed();
    receiver.respond = () => new Response("down", { status: 500 });
    const id = await create({ title: "a", team: "Design" });
    await deliverNow(hook.id);
    await change(id, { data: { amount: 1 } });
    const conditions = [{ field: "team", op: "eq", value: "Sales" }];
    const dry = await owner.patch(`/forms/${form}/schema?dry_run=true`, {
      views: [{ ...openDesign, conditions }],
    });
    expect(dry.body.consequences).toMatchObject({ views: ["open_design"], webhooks: [hook.id] });
    await owner.patch(`/forms/${form}/schema`, { views: [{ ...openDesign, conditions }] });
    await change(id, { data: { amount: 2 } });
    await change(id, { data: { team: "Sales" } });
    receiver.recover();
    await owner.patch(`/webhooks/${hook.id}`, { state: "active" });
    expect(short(await arrived())).toEqual([
      ["submission.created", id, true],
      ["submission.updated", id, false],
      ["submission.updated", id, true],
    ]);
  });

  it("shows no item that the view hides, although its result is not yet calculated", async () => {
    const { form, create, arrived } = await followed();
    const [secret, open] = [
      await create({ title: "a", team: "Design", secret: "internal" }),
      await create({ title: "b", team: "Design", secret: "public" }),
    ];
    const kind = { key: "kind", type: "computed", formula: "secret", result: "text" };
    const conditions = [{ field: "kind", op: "ne", value: "internal" }];
    const views = [{ ...openDesign, conditions, fields: ["title", "secret"] }];
    await dataDb
      .prepare("create trigger t before update on indexing begin select raise(abort, 'gone'); end")
      .run();
    await owner.put(`/forms/${form}/schema`, { fields: [...fields, kind], views });
    const messages = await arrived();
    await dataDb.prepare("drop trigger t").run();
    expect(messages.map(([, { id, item }]) => [id, item?.data.secret])).toEqual([
      [secret, undefined],
      [open, "public"],
    ]);
  });

  it("follows the new key of a field, in conditions and in changed_fields", async () => {
    const { form, create, change, arrived } = await followed({
      changed_fields: ["team", "amount"],
    });
    const id = await create({ team: "Design" });
    const renamed = fields.map((field) =>
      field.key === "amount" ? { ...field, key: "total", renamed_from: "amount" } : field,
    );
    expect((await owner.put(`/forms/${form}/schema`, { fields: renamed })).status).toBe(200);
    await change(id, { data: { total: 5 } });
    await change(id, { data: { title: "x" } });
    expect((await arrived()).map(([type, { fields: changed }]) => [type, changed])).toEqual([
      ["submission.created", ["team", "$status"]],
      ["submission.updated", ["total"]],
    ]);
  });

  it("keeps its view: its removal is refused until the webhook no longer uses it", async () => {
    const { form, hook } = await followed();
    const removed = await owner.patch(`/forms/${form}/schema`, { views: [] });
    expect([removed.status, removed.body.code]).toEqual([409, "schema_in_use"]);
    await owner.patch(`/webhooks/${hook.id}`, { collections: [`form:${form}`] });
    expect((await owner.patch(`/forms/${form}/schema`, { views: [] })).status).toBe(200);
  });

  it("understands $me as its creator", async () => {
    const form = await makeForm(owner, fields, {
      views: [
        {
          key: "mine",
          name: "Mine",
          conditions: [{ field: "$created_by", op: "eq", value: "$me" }],
        },
      ],
    });
    const receiver = new Receiver();
    const { id } = await createWebhook(owner, receiver, { collections: [`form:${form}/mine`] });
    const other = await client();
    await other.post(`/forms/${form}/submissions`, { data: { title: "theirs" } });
    await owner.post(`/forms/${form}/submissions`, { data: { title: "mine" } });
    await deliverNow(id);
    expect(receiver.accepted.map(({ body }) => body.data.item.data.title)).toEqual(["mine"]);
  });

  it("redelivers a message as it was, and lists it under its app or form", async () => {
    const { form, create, change, arrived, hook, receiver } = await followed();
    const id = await create({ team: "Design" });
    await change(id, { data: { team: "Sales" } });
    await arrived();
    const list = await owner.get(`/webhooks/${hook.id}/deliveries`);
    expect(list.body.items.map(({ type, collection }: Json) => [type, collection])).toEqual([
      ["submission.left_view", `form:${form}`],
      ["submission.created", `form:${form}`],
    ]);
    for (const { id: delivery } of list.body.items) {
      const again = await owner.post(`/webhooks/${hook.id}/deliveries/${delivery}/redeliver`, {});
      expect(again.body.delivered).toBe(true);
    }
    const [created, left, leftAgain, createdAgain] = receiver.accepted.map(({ body }) => body);
    expect(leftAgain).toEqual(left);
    expect(createdAgain.data.entered).toBe(true);
    expect(created.type).toBe(createdAgain.type);
  });

  it("scans a busy form for the few changes of its view", async () => {
    const { form, arrived, create } = await followed();
    const operations = Array.from({ length: 100 }, () => ({
      op: "create",
      data: { team: "Sales" },
    }));
    for (let turn = 0; turn < 3; turn += 1)
      expect((await owner.post(`/forms/${form}/submissions/batch`, { operations })).status).toBe(
        200,
      );
    const id = await create({ team: "Design" });
    expect(short(await arrived())).toEqual([["submission.created", id, true]]);
  });

  it("wakes when its form changes, and not for other forms", async () => {
    const { create, receiver, hook } = await followed();
    await create({ team: "Design" });
    await expect.poll(() => receiver.accepted.length, { timeout: 10_000 }).toBe(1);
    expect((await owner.get(`/webhooks/${hook.id}`)).body.state).toBe("active");
    expect(webhookObject(hook.id)).toBeDefined();
  });
});

describe("The entries of a webhook", () => {
  it("name a view that exists, and each app or form once", async () => {
    const form = await makeForm(owner, fields, { views: [openDesign] });
    const url = new Receiver().url;
    const attempt = async (collections: unknown, more: object = {}) => {
      const body = { name: "W", url, types: everyType, collections, ...more };
      const { status, body: answer } = await owner.post("/webhooks", body);
      return [status, ...(answer.errors ?? []).map(({ field }: Json) => field)];
    };
    const view = `form:${form}/open_design`;
    expect(await attempt([`form:${form}/nothing`])).toEqual([422, "collections[0]"]);
    expect(await attempt([`form:${freshKey("no")}/open_design`])).toEqual([422, "collections[0]"]);
    expect(await attempt([view, `form:${form}`])).toEqual([422, "collections[1]"]);
    expect(await attempt([`${view}/more`])).toEqual([422, "collections[0]"]);
    expect(await attempt([view], { changed_fields: ["$status", "nothing"] })).toEqual([
      422,
      "changed_fields[1]",
    ]);
    expect(await attempt([view], { changed_fields: [] })).toEqual([422, "changed_fields"]);
    expect(await attempt([view], { changed_fields: ["$status", "amount"] })).toEqual([201]);
  });

  it("are visible to whoever sees all of their apps and forms", async () => {
    const { form, hook } = await followed();
    const rights = { permissions: ["webhooks:manage"] };
    const near = await client({ ...rights, resources: [`form:${form}`] });
    const far = await client({ ...rights, resources: [`form:${freshKey("other")}`] });
    expect((await near.get(`/webhooks/${hook.id}`)).status).toBe(200);
    expect((await far.get(`/webhooks/${hook.id}`)).status).toBe(404);
  });
});

describe("The setting `changed_fields` of a webhook", () => {
  it("limits updates to changes of these fields, and nothing else", async () => {
    const app = await makeApp(owner, fields);
    const receiver = new Receiver();
    const settings = {
      collections: [`app:${app}`],
      types: ["record.created", "record.updated"],
      changed_fields: ["amount"],
    };
    const hook = await createWebhook(owner, receiver, settings);
    expect(hook.changed_fields).toEqual(["amount"]);
    const { id } = (await owner.post(`/apps/${app}/records`, { data: { title: "a" } })).body;
    for (let turn = 0; turn < 5; turn += 1)
      await owner.patch(`/apps/${app}/records/${id}`, { data: { title: `${turn}` } });
    await owner.patch(`/apps/${app}/records/${id}`, { data: { title: "b", amount: 1 } });
    await deliverNow(hook.id);
    expect(receiver.accepted.map(({ body }) => [body.type, body.data.fields])).toEqual([
      ["record.created", ["title"]],
      ["record.updated", ["title", "amount"]],
    ]);
    const cleared = await owner.patch(`/webhooks/${hook.id}`, { changed_fields: null });
    expect(cleared.body.changed_fields).toBeNull();
  });

  it("has inputs in the administration area, like views and left_view", async () => {
    const { hook, form } = await followed({ changed_fields: ["amount"] });
    const page = await admin("GET", `/webhooks/${hook.id}/settings`, undefined, {
      Accept: "text/html",
    });
    expect(page.text).toMatch(/name="changed_fields" value="amount" checked[^>]*\/><span>amount/i);
    expect(page.text).toMatch(/value="submission.left_view" checked/);
    expect(page.text).toMatch(new RegExp(`value="form:${form}/open_design" checked`));
  });
});

it("A create stays within D1's limits when it is compared with as many conditions on its receipt number as views may have", async () => {
  const condition = (value: string) => ({ field: "$receipt_number", op: "contains", value });
  const views = Array.from({ length: 50 }, (_, index) => ({
    key: `view${index}`,
    name: `View ${index}`,
    conditions: [{ any: Array.from({ length: 10 }, (__, n) => condition(`x${index}.${n}`)) }],
  }));
  views.at(-1)?.conditions[0]?.any.pop();
  views.at(-1)?.conditions[0]?.any.push(condition("000"));
  const app = await makeApp(owner, fields, { views });
  const receiver = new Receiver();
  const hook = await createWebhook(owner, receiver, {
    types: ["record.created"],
    collections: [`app:${app}/view49`],
  });
  const created = await owner.post(`/apps/${app}/records`, { data: {} });
  expect([created.status, created.text]).toEqual([201, created.text]);
  await deliverNow(hook.id);
  expect(receiver.accepted.map(({ body }) => body.data.id)).toEqual([created.body.id]);
});
