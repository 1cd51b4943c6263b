import { Webhook } from "standardwebhooks";
import { beforeAll, describe, expect, it } from "vitest";
import { Client as Caller, codes, type Client, type Json } from "../support/client";
import { admin, client, issue, makeApp, makeForm } from "../support/service";
import { createWebhook, Receiver, deliverNow, waitUntil } from "./receiver";

const verify = (secret: string, { text, headers }: { text: string; headers: Headers }) =>
  new Webhook(secret).verify(text, Object.fromEntries(headers));

describe("Webhooks", () => {
  let integrator: Client;
  beforeAll(async () => {
    integrator = await client();
  });

  it("deliver the entry of the changes feed within five seconds, signed as Standard Webhooks require", async () => {
    const app = await makeApp(integrator);
    const receiver = new Receiver();
    const { id, secret } = await createWebhook(integrator, receiver, {
      collections: [`app:${app}`],
    });
    expect([id, secret]).toEqual([
      expect.stringMatching(/^whk_[0-9A-Z]{26}$/),
      expect.stringMatching(/^whsec_/),
    ]);
    await integrator.post(`/apps/${app}/records`, { data: { title: "x" } });
    await waitUntil(() => receiver.accepted.length === 1, 5000);
    const [message] = receiver.accepted as [Json];
    const feed = await integrator.get(`/apps/${app}/changes`);
    expect(verify(secret, message)).toEqual({
      type: "record.created",
      timestamp: feed.body.items[0].at,
      collection: `app:${app}`,
      data: feed.body.items[0],
    });
    expect(message.headers.get("webhook-id")).toMatch(/^msg_/);
    expect(() => verify(`${secret.slice(0, -6)}AAAAA=`, message)).toThrow("signature");
  });

  it("deliver only later changes of their collections and types, in order", async () => {
    const form = await makeForm(integrator);
    const otherForm = await makeForm(integrator);
    const existing = await integrator.post(`/forms/${form}/submissions`, {
      data: { title: "before" },
    });
    const receiver = new Receiver();
    const { id } = await createWebhook(integrator, receiver, { collections: [`form:${form}`] });
    const created = await integrator.post(`/forms/${form}/submissions`, { data: { title: "1" } });
    await integrator.post(`/forms/${otherForm}/submissions`, { data: { title: "elsewhere" } });
    await integrator.patch(`/submissions/${created.body.id}`, { data: { title: "2" } });
    await integrator.patch(`/submissions/${created.body.id}`, { status: "closed" });
    await integrator.delete(`/submissions/${existing.body.id}`);
    await deliverNow(id);
    expect(
      receiver.accepted.map(({ body }) => [body.type, body.data.id, body.data.version]),
    ).toEqual([
      ["submission.created", created.body.id, 1],
      ["submission.updated", created.body.id, 2],
      ["submission.closed", created.body.id, 3],
      ["submission.deleted", existing.body.id, 1],
    ]);
    expect(receiver.accepted[3]?.body.data).not.toHaveProperty("item");
  });

  it("omit values with include: ids, and report closing as an update without submission.closed", async () => {
    const form = await makeForm(integrator);
    const receiver = new Receiver();
    const { id } = await createWebhook(integrator, receiver, {
      collections: [`form:${form}`],
      include: "ids",
      types: ["submission.updated"],
    });
    const created = await integrator.post(`/forms/${form}/submissions`, {
      data: { title: "secret" },
    });
    await integrator.patch(`/submissions/${created.body.id}`, { status: "closed" });
    await deliverNow(id);
    expect(receiver.accepted).toHaveLength(1);
    expect(receiver.accepted[0]?.body).toMatchObject({
      type: "submission.updated",
      data: { id: created.body.id, fields: ["$status"] },
    });
    expect(receiver.accepted[0]?.text).not.toContain("secret");
  });

  it("deliver changes of collections created later when they listen to all", async () => {
    const receiver = new Receiver();
    const { id } = await createWebhook(integrator, receiver, {
      collections: "all",
      types: ["record.created"],
    });
    const app = await makeApp(integrator);
    await integrator.post(`/apps/${app}/records`, { data: { title: "x" } });
    await deliverNow(id);
    expect(receiver.accepted.map(({ body }) => body.data.item.app)).toEqual([app]);
    await integrator.delete(`/webhooks/${id}`);
  });

  it("return the secret once, and sign with both secrets during the overlap of a rotation", async () => {
    const receiver = new Receiver();
    const app = await makeApp(integrator);
    const created = await createWebhook(integrator, receiver, { collections: [`app:${app}`] });
    const path = `/webhooks/${created.id}`;
    expect((await integrator.get(path)).body).not.toHaveProperty("secret");
    expect((await integrator.get("/webhooks")).text).not.toContain("whsec_");
    const rotated = await integrator.patch(path, { rotate_secret: { overlap_hours: 1 } });
    expect(rotated.body.secrets).toHaveLength(2);
    await integrator.post(`${path}/test`, undefined);
    const [testMessage] = receiver.accepted as [Json];
    for (const secret of [created.secret, rotated.body.secret]) {
      expect(verify(secret, testMessage)).toMatchObject({ type: "webhook.test" });
    }
    const third = await integrator.patch(path, { rotate_secret: { overlap_hours: 0 } });
    expect(third.body.secrets).toHaveLength(1);
    await integrator.post(`${path}/test`, undefined);
    expect(() => verify(rotated.body.secret, receiver.accepted[1] as Json)).toThrow("signature");
    expect(verify(third.body.secret, receiver.accepted[1] as Json)).toBeTruthy();
  });

  it("are read, changed under If-Match, paused and deleted", async () => {
    const receiver = new Receiver();
    const form = await makeForm(integrator);
    const created = await createWebhook(integrator, receiver, { collections: [`form:${form}`] });
    const path = `/webhooks/${created.id}`;
    const read = await integrator.get(path);
    expect(read.body).toMatchObject({
      name: "Test",
      include: "item",
      state: "active",
      reason: null,
    });
    expect((await integrator.get(path, { "If-None-Match": read.etag })).status).toBe(304);
    const paused = await integrator.patch(path, { state: "paused" }, { "If-Match": read.etag });
    expect([paused.status, paused.body.state]).toEqual([200, "paused"]);
    const stale = await integrator.patch(path, { name: "No" }, { "If-Match": read.etag });
    expect([stale.status, stale.body.current_etag]).toEqual([412, paused.etag]);
    await integrator.post(`/forms/${form}/submissions`, { data: { title: "kept" } });
    await deliverNow(created.id);
    expect(receiver.received).toEqual([]);
    await integrator.patch(path, { state: "active" });
    await waitUntil(() => receiver.accepted.length === 1);
    const unchanged = await integrator.patch(path, { state: "active" });
    expect((await integrator.patch(path, {})).etag).toBe(unchanged.etag);
    expect((await integrator.delete(path)).status).toBe(204);
    expect((await integrator.get(path)).status).toBe(404);
    expect((await integrator.delete(path)).status).toBe(404);
    await integrator.post(`/forms/${form}/submissions`, { data: {} });
    expect(receiver.received).toHaveLength(1);
  });

  it("list attempts, newest first, and redeliver a message under the same id", async () => {
    const form = await makeForm(integrator);
    const receiver = new Receiver();
    const { id } = await createWebhook(integrator, receiver, { collections: [`form:${form}`] });
    for (const title of ["1", "2", "3"]) {
      await integrator.post(`/forms/${form}/submissions`, { data: { title } });
    }
    await deliverNow(id);
    await waitUntil(() => receiver.accepted.length === 3);
    const first = await integrator.get(`/webhooks/${id}/deliveries?limit=2`);
    const second = await integrator.get(first.body.links.next);
    const deliveries = [...first.body.items, ...second.body.items];
    expect(second.body.links.next).toBeNull();
    expect(deliveries.map(({ message }) => message)).toEqual(
      receiver.accepted.map(({ headers }) => headers.get("webhook-id")).toReversed(),
    );
    expect(deliveries[2]).toMatchObject({
      type: "submission.created",
      collection: `form:${form}`,
      attempt: 1,
      delivered: true,
      status: 200,
      answer: "taken",
      error: null,
    });
    const redelivery = await integrator.post(
      `/webhooks/${id}/deliveries/${deliveries[2].id}/redeliver`,
      undefined,
    );
    expect([redelivery.status, redelivery.body.message]).toEqual([200, deliveries[2].message]);
    expect(receiver.accepted[3]?.body).toEqual(receiver.accepted[0]?.body);
    const unknown = await integrator.post(
      `/webhooks/${id}/deliveries/dlv_000000000099/redeliver`,
      undefined,
    );
    expect(unknown.status).toBe(404);
  });

  it("hide deliveries of apps that the caller cannot see or the webhook no longer covers, and return 404 to a redelivery", async () => {
    const [visible, hidden] = [await makeApp(integrator), await makeApp(integrator)];
    const receiver = new Receiver();
    const { id } = await createWebhook(integrator, receiver, {
      collections: [`app:${visible}`, `app:${hidden}`],
    });
    for (const app of [visible, hidden])
      await integrator.post(`/apps/${app}/records`, { data: { title: app } });
    await deliverNow(id);
    await waitUntil(() => receiver.accepted.length === 2);
    const list = async (caller: Client) =>
      (await caller.get(`/webhooks/${id}/deliveries`)).body.items as Json[];
    const hiddenDelivery = (await list(integrator)).find(
      ({ collection }) => collection === `app:${hidden}`,
    );
    const redeliver = (caller: Client) =>
      caller.post(`/webhooks/${id}/deliveries/${hiddenDelivery.id}/redeliver`, undefined);
    const narrow = await client({ resources: [`app:${visible}`] });
    expect((await narrow.get(`/webhooks/${id}/deliveries`)).status).toBe(404);

    await integrator.patch(`/webhooks/${id}`, { collections: [`app:${visible}`] });
    for (const caller of [integrator, narrow]) {
      expect((await list(caller)).map(({ collection }) => collection)).toEqual([`app:${visible}`]);
      expect((await redeliver(caller)).status).toBe(404);
    }
    await integrator.patch(`/webhooks/${id}`, { collections: "all" });
    expect(await list(integrator)).toHaveLength(2);
    expect((await redeliver(integrator)).status).toBe(200);
    expect(receiver.accepted).toHaveLength(3);
  });

  it("show a maker who was narrowed only deliveries of what it can still see", async () => {
    const [visible, hidden] = [await makeApp(integrator), await makeApp(integrator)];
    const maker = await issue();
    const caller = new Caller(maker.token);
    const receiver = new Receiver();
    const { id } = await createWebhook(caller, receiver, {
      collections: [`app:${visible}`, `app:${hidden}`],
    });
    for (const app of [visible, hidden])
      await integrator.post(`/apps/${app}/records`, { data: { title: app } });
    await deliverNow(id);
    await waitUntil(() => receiver.accepted.length === 2);
    await caller.post(`/webhooks/${id}/test`, undefined);
    await admin("POST", `/integrations/${maker.id}`, { resources: [`app:${visible}`] });
    const { items } = (await caller.get(`/webhooks/${id}/deliveries`)).body;
    expect(items.map(({ collection }: Json) => collection)).toEqual([null, `app:${visible}`]);
    const visibleDelivery = items.at(-1).id;
    const hiddenDelivery = ["dlv_000000000001", "dlv_000000000002"].find(
      (delivery) => delivery !== visibleDelivery,
    );
    const redeliver = async (delivery: string | undefined) =>
      (await caller.post(`/webhooks/${id}/deliveries/${delivery}/redeliver`, undefined)).status;
    expect(await redeliver(visibleDelivery)).toBe(200);
    expect(await redeliver(hiddenDelivery)).toBe(404);
  });

  it("are rejected with 422 and every field error", async () => {
    const invalid = await integrator.post("/webhooks", {
      name: "",
      types: ["record.exploded"],
      collections: [],
      include: "everything",
      strange: 1,
    });
    expect([invalid.status, codes(invalid)]).toEqual([
      422,
      expect.objectContaining({
        name: "too_short",
        url: "required",
        "types[0]": "not_an_option",
        strange: "unknown_field",
      }),
    ]);
    const nowhere = await integrator.post("/webhooks", {
      name: "x",
      url: "https://receiver.example",
      types: ["record.created"],
      collections: ["app:nowhere"],
    });
    expect(codes(nowhere)).toEqual({ "collections[0]": "not_an_option" });
  });
});
