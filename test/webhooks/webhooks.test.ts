import { Webhook } from "standardwebhooks";
import { beforeAll, describe, expect, it } from "vitest";
import { codes, type Client, type Json } from "../support/client";
import { client, makeApp, makeForm } from "../support/service";
import { hook, Receiver, tell, until } from "./receiver";

const verified = (secret: string, { text, headers }: { text: string; headers: Headers }) =>
  new Webhook(secret).verify(text, Object.fromEntries(headers));

describe("A webhook", () => {
  let by: Client;
  beforeAll(async () => {
    by = await client();
  });

  it("is told of a change within five seconds, signed as Standard Webhooks say, with the entry of the changes feed", async () => {
    const app = await makeApp(by);
    const receiver = new Receiver();
    const { id, secret } = await hook(by, receiver, { collections: [`app:${app}`] });
    expect([id, secret]).toEqual([
      expect.stringMatching(/^whk_[0-9A-Z]{26}$/),
      expect.stringMatching(/^whsec_/),
    ]);
    await by.post(`/apps/${app}/records`, { data: { title: "x" } });
    await until(() => receiver.taken.length === 1, 5000);
    const [told] = receiver.taken as [Json];
    const feed = await by.get(`/apps/${app}/changes`);
    expect(verified(secret, told)).toEqual({
      type: "record.created",
      timestamp: feed.body.items[0].at,
      collection: `app:${app}`,
      data: feed.body.items[0],
    });
    expect(told.headers.get("webhook-id")).toMatch(/^msg_/);
    expect(() => verified(`${secret.slice(0, -6)}AAAAA=`, told)).toThrow("signature");
  });

  it("tells of what happens from the moment it was made, in order, with all that it asks for and nothing else", async () => {
    const form = await makeForm(by);
    const other = await makeForm(by);
    const early = await by.post(`/forms/${form}/submissions`, { data: { title: "before" } });
    const receiver = new Receiver();
    const { id } = await hook(by, receiver, { collections: [`form:${form}`] });
    const made = await by.post(`/forms/${form}/submissions`, { data: { title: "1" } });
    await by.post(`/forms/${other}/submissions`, { data: { title: "elsewhere" } });
    await by.patch(`/submissions/${made.body.id}`, { data: { title: "2" } });
    await by.patch(`/submissions/${made.body.id}`, { status: "closed" });
    await by.delete(`/submissions/${early.body.id}`);
    await tell(id);
    expect(receiver.taken.map(({ body }) => [body.type, body.data.id, body.data.version])).toEqual([
      ["submission.created", made.body.id, 1],
      ["submission.updated", made.body.id, 2],
      ["submission.closed", made.body.id, 3],
      ["submission.deleted", early.body.id, 1],
    ]);
    expect(receiver.taken[3]?.body.data).not.toHaveProperty("item");
  });

  it("with include: ids tells no values; without submission.closed, closing is an update", async () => {
    const form = await makeForm(by);
    const receiver = new Receiver();
    const { id } = await hook(by, receiver, {
      collections: [`form:${form}`],
      include: "ids",
      types: ["submission.updated"],
    });
    const made = await by.post(`/forms/${form}/submissions`, { data: { title: "secret" } });
    await by.patch(`/submissions/${made.body.id}`, { status: "closed" });
    await tell(id);
    expect(receiver.taken).toHaveLength(1);
    expect(receiver.taken[0]?.body).toMatchObject({
      type: "submission.updated",
      data: { id: made.body.id, fields: ["$status"] },
    });
    expect(receiver.taken[0]?.text).not.toContain("secret");
  });

  it("that listens to all is told of collections that are made later", async () => {
    const receiver = new Receiver();
    const { id } = await hook(by, receiver, { collections: "all", types: ["record.created"] });
    const app = await makeApp(by);
    await by.post(`/apps/${app}/records`, { data: { title: "x" } });
    await tell(id);
    expect(receiver.taken.map(({ body }) => body.data.item.app)).toEqual([app]);
    await by.delete(`/webhooks/${id}`);
  });

  it("shows its secret once; rotated, both sign until the overlap ends", async () => {
    const receiver = new Receiver();
    const app = await makeApp(by);
    const made = await hook(by, receiver, { collections: [`app:${app}`] });
    const path = `/webhooks/${made.id}`;
    expect((await by.get(path)).body).not.toHaveProperty("secret");
    expect((await by.get("/webhooks")).text).not.toContain("whsec_");
    const rotated = await by.patch(path, { rotate_secret: { overlap_hours: 1 } });
    expect(rotated.body.secrets).toHaveLength(2);
    await by.post(`${path}/test`, undefined);
    const [both] = receiver.taken as [Json];
    for (const secret of [made.secret, rotated.body.secret]) {
      expect(verified(secret, both)).toMatchObject({ type: "webhook.test" });
    }
    const third = await by.patch(path, { rotate_secret: { overlap_hours: 0 } });
    expect(third.body.secrets).toHaveLength(1);
    await by.post(`${path}/test`, undefined);
    expect(() => verified(rotated.body.secret, receiver.taken[1] as Json)).toThrow("signature");
    expect(verified(third.body.secret, receiver.taken[1] as Json)).toBeTruthy();
  });

  it("is read, changed under If-Match, paused, listed and deleted", async () => {
    const receiver = new Receiver();
    const form = await makeForm(by);
    const made = await hook(by, receiver, { collections: [`form:${form}`] });
    const path = `/webhooks/${made.id}`;
    const read = await by.get(path);
    expect(read.body).toMatchObject({
      name: "Test",
      include: "item",
      state: "active",
      reason: null,
    });
    expect((await by.get(path, { "If-None-Match": read.etag })).status).toBe(304);
    const paused = await by.patch(path, { state: "paused" }, { "If-Match": read.etag });
    expect([paused.status, paused.body.state]).toEqual([200, "paused"]);
    const stale = await by.patch(path, { name: "No" }, { "If-Match": read.etag });
    expect([stale.status, stale.body.current_etag]).toEqual([412, paused.etag]);
    await by.post(`/forms/${form}/submissions`, { data: { title: "kept" } });
    await tell(made.id);
    expect(receiver.all).toEqual([]);
    await by.patch(path, { state: "active" });
    await until(() => receiver.taken.length === 1);
    const unchanged = await by.patch(path, { state: "active" });
    expect((await by.patch(path, {})).etag).toBe(unchanged.etag);
    expect((await by.delete(path)).status).toBe(204);
    expect((await by.get(path)).status).toBe(404);
    expect((await by.delete(path)).status).toBe(404);
    await by.post(`/forms/${form}/submissions`, { data: {} });
    expect(receiver.all).toHaveLength(1);
  });

  it("keeps what was tried, newest first, and sends it again with the same id", async () => {
    const form = await makeForm(by);
    const receiver = new Receiver();
    const { id } = await hook(by, receiver, { collections: [`form:${form}`] });
    for (const title of ["1", "2", "3"]) {
      await by.post(`/forms/${form}/submissions`, { data: { title } });
    }
    await tell(id);
    await until(() => receiver.taken.length === 3);
    const first = await by.get(`/webhooks/${id}/deliveries?limit=2`);
    const rest = await by.get(first.body.links.next);
    const all = [...first.body.items, ...rest.body.items];
    expect(rest.body.links.next).toBeNull();
    expect(all.map(({ message }) => message)).toEqual(
      receiver.taken.map(({ headers }) => headers.get("webhook-id")).toReversed(),
    );
    expect(all[2]).toMatchObject({
      type: "submission.created",
      collection: `form:${form}`,
      attempt: 1,
      delivered: true,
      status: 200,
      answer: "taken",
      error: null,
    });
    const again = await by.post(`/webhooks/${id}/deliveries/${all[2].id}/redeliver`, undefined);
    expect([again.status, again.body.message]).toEqual([200, all[2].message]);
    expect(receiver.taken[3]?.body).toEqual(receiver.taken[0]?.body);
    const none = await by.post(`/webhooks/${id}/deliveries/dlv_000000000099/redeliver`, undefined);
    expect(none.status).toBe(404);
  });

  it("is refused with all that is wrong with it", async () => {
    const wrong = await by.post("/webhooks", {
      name: "",
      types: ["record.exploded"],
      collections: [],
      include: "everything",
      strange: 1,
    });
    expect([wrong.status, codes(wrong)]).toEqual([
      422,
      expect.objectContaining({
        name: "too_short",
        url: "required",
        "types[0]": "not_an_option",
        strange: "unknown_field",
      }),
    ]);
    const nowhere = await by.post("/webhooks", {
      name: "x",
      url: "https://receiver.example",
      types: ["record.created"],
      collections: ["app:nowhere"],
    });
    expect(codes(nowhere)).toEqual({ "collections[0]": "not_an_option" });
  });
});
