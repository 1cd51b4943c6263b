import { beforeAll, describe, expect, it } from "vitest";
import { Client, everyItem, type Answer, type Json } from "../support/client";
import { admin, client, everything, issue, makeApp, makeForm } from "../support/service";
import { createWebhook, deliverNow, Receiver } from "../webhooks/receiver";
import { Deployment, restoreSnapshot, takeSnapshot } from "./time-travel";

/** The first version after one restore. */
const firstVersion = 2 ** 20;

const sentTitles = (receiver: Receiver) =>
  receiver.accepted.map(({ body }) => body.data.item?.data.title);

describe("After a restore of the database", () => {
  const restored = new Deployment({ RESTORE_EPOCH: "first", RESTORES: "1" });
  let integrator: Client;
  let before: Client;
  let app: string;
  let records: string;
  let kept: Json;
  let receiver: Receiver;
  let webhook: string;
  let edited: Json;
  let narrowed: Json;
  let lostToken: Json;
  let keptKey: Answer;
  let lostKey: Answer;
  let lostRecord: Answer;
  let lostEtags: string[];
  let cursors: { list: string; search: string; feed: string };
  let restorePoint: Awaited<ReturnType<typeof takeSnapshot>>;
  let lostState: typeof restorePoint;

  const create = (caller: Client, title: string, key?: string) =>
    caller.post(records, { data: { title } }, key ? { "Idempotency-Key": key } : {});
  const editing = (credential: Json, changes: object) => ({
    name: credential.name,
    permissions: everything,
    resources: "all",
    requests: 600,
    writes: 120,
    expires: "never",
    origins: [],
    ...changes,
  });

  beforeAll(async () => {
    before = await client();
    app = await makeApp(before);
    records = `/apps/${app}/records`;
    edited = await issue();
    narrowed = await issue();
    for (const { token } of [edited, narrowed]) await new Client(token).get("/me");
    receiver = new Receiver();
    webhook = (await createWebhook(before, receiver, { collections: [`app:${app}`] })).id;
    kept = (await create(before, "kept")).body;
    keptKey = await create(before, "kept key", "kept");
    await deliverNow(webhook);
    restorePoint = await takeSnapshot();

    for (const credential of [edited, narrowed])
      for (const name of ["one", "two", "three"]) {
        const answer = await admin(
          "POST",
          `/integrations/${credential.id}`,
          editing(credential, { name }),
        );
        if (answer.status !== 200) throw new Error(answer.text);
        await new Client(credential.token).get("/me");
      }
    lostToken = await issue();
    await new Client(lostToken.token).get("/me");
    lostEtags = [];
    for (const title of ["a", "b", "c"])
      lostEtags.push((await before.patch(`${records}/${kept.id}`, { data: { title } })).etag);
    lostKey = await create(before, "lost key", "lost");
    await deliverNow(webhook);
    lostRecord = await create(before, "lost, not delivered");
    const cursorOf = (answer: Answer) => answer.body.links.next;
    cursors = {
      list: cursorOf(await before.get(`${records}?limit=1`)),
      search: cursorOf(await before.post(`${records}/search`, { limit: 1 })),
      feed: cursorOf(await before.get(`/apps/${app}/changes`)),
    };
    await before.put(`/apps/${app}/schema`, {
      fields: [
        { key: "title", type: "text" },
        { key: "note", type: "text" },
      ],
    });
    await before.get(`${records}?limit=1`);
    lostState = await takeSnapshot();

    await restoreSnapshot(restorePoint);
    integrator = before.through(restored.fetch);
  });

  it("returns 401 to a revoked token, although its object knew later versions", async () => {
    const token = new Client(edited.token, restored.fetch);
    expect((await token.get("/me")).body.name).toBe("Test");
    expect((await restored.admin("POST", `/integrations/${edited.id}/revoke`)).status).toBe(204);
    expect((await token.get("/me")).status).toBe(401);
    expect((await token.post(records, { data: { title: "x" } })).status).toBe(401);
  });

  it("returns 403 to a narrowed token for what it lost", async () => {
    const token = new Client(narrowed.token, restored.fetch);
    const changes = editing(narrowed, { permissions: ["records:read"] });
    const answer = await restored.admin("POST", `/integrations/${narrowed.id}`, changes);
    expect(answer.status).toBe(200);
    expect((await token.post(records, { data: { title: "x" } })).status).toBe(403);
    expect((await token.get(records)).status).toBe(200);
  });

  it("returns 401 to a token that was issued after the restored moment", async () => {
    expect((await new Client(lostToken.token, restored.fetch).get("/me")).status).toBe(401);
    expect((await restored.admin("GET", `/integrations/${lostToken.id}`)).status).toBe(404);
  });

  it("returns 422 invalid_cursor to old cursors of lists and searches, and 410 to those of feeds", async () => {
    const list = await integrator.get(cursors.list);
    const search = await integrator.post(cursors.search, { limit: 1 });
    for (const answer of [list, search]) {
      expect(answer.status).toBe(422);
      expect(answer.body.errors[0].code).toBe("invalid_cursor");
    }
    const feed = await integrator.get(cursors.feed);
    expect([feed.status, feed.body.code]).toEqual([410, "changes_expired"]);
  });

  it("gives versions that no ETag of the lost time matches, and returns 412 to these", async () => {
    const path = `${records}/${kept.id}`;
    const [second = "", third = ""] = lostEtags;
    const late = await integrator.patch(path, { data: { title: "x" } }, { "If-Match": second });
    expect(late.status).toBe(412);
    const patched = await integrator.patch(path, { data: { title: "y" } });
    expect(patched.body.version).toBe(firstVersion);
    expect((await integrator.patch(path, { data: { title: "z" } })).body.version).toBe(
      firstVersion + 1,
    );
    const retry = await integrator.patch(path, { data: { title: "x" } }, { "If-Match": third });
    expect(retry.status).toBe(412);
    const batch = await integrator.post(`${records}/batch`, {
      operations: [
        { op: "update", id: kept.id, data: { title: "in a batch" } },
        { op: "create", data: { title: "in a batch" } },
      ],
    });
    expect(batch.body.results.map(({ etag }: Json) => etag)).toEqual([
      `"${firstVersion + 2}"`,
      `"${firstVersion}"`,
    ]);
  });

  it("gives a reused receipt number a new version", async () => {
    const { receipt_number: receipt } = lostKey.body;
    const path = `${records}/${receipt}`;
    if ((await integrator.get(path)).status === 404) await create(integrator, "another");
    const answer = await integrator.patch(path, { data: {} }, { "If-Match": lostKey.etag });
    expect(answer.status).toBe(412);
    expect((await integrator.get(path)).body.version).toBe(firstVersion);
  });

  it("gives a definition of the lost time's version another version and its own fields", async () => {
    const path = `/apps/${app}/schema`;
    const { body } = await integrator.get(path);
    expect([body.schema_version, body.fields.length]).toEqual([1, 1]);
    const fields = [...body.fields, { key: "other", type: "number" }];
    const saved = await integrator.put(path, { fields });
    expect([saved.status, saved.body.schema_version]).toEqual([200, firstVersion]);
    expect((await create(integrator, "with another field")).body.data).toHaveProperty("other");
  });

  it("replays a key that the database knows, and stores a create whose first success is undone", async () => {
    const replay = await create(integrator, "kept key", "kept");
    expect(replay.headers.get("Idempotent-Replayed")).toBe("true");
    expect([replay.body.id, replay.etag]).toEqual([keptKey.body.id, `"1"`]);
    const stored = await create(integrator, "lost key", "lost");
    expect([stored.status, stored.headers.get("Idempotent-Replayed")]).toEqual([201, null]);
    expect((await integrator.get(`${records}/${stored.body.id}`)).status).toBe(200);
    const again = await create(integrator, "lost key", "lost");
    expect([again.body.id, again.etag]).toEqual([stored.body.id, stored.etag]);
  });

  it("continues feeds and webhooks with every later change", async () => {
    const start = await integrator.get(`/apps/${app}/changes?cursor=now`);
    receiver.accepted.length = 0;
    await restored.deliver(webhook);
    receiver.accepted.length = 0;
    for (const title of ["new 1", "new 2", "new 3"]) await create(integrator, title);
    const page = await integrator.get(start.body.links.next);
    const titles = ["new 1", "new 2", "new 3"];
    expect(page.body.items.map(({ item }: Json) => item.data.title)).toEqual(titles);
    await restored.deliver(webhook);
    expect(sentTitles(receiver)).toEqual(titles);
    const ids = [...new Set(receiver.received.map(({ headers }) => headers.get("webhook-id")))];
    expect(ids).toHaveLength(receiver.received.length);
  });

  it("starts the feed of an empty collection without a 410", async () => {
    const form = await makeForm(before.through(restored.fetch));
    const start = await integrator.get(`/forms/${form}/changes`);
    await integrator.post(`/forms/${form}/submissions`, { data: { title: "first" } });
    const page = await integrator.get(start.body.links.next);
    expect(page.body.items).toHaveLength(1);
  });

  it("sends what was not delivered when the restore itself is undone", async () => {
    await restoreSnapshot(lostState);
    const undone = new Deployment({ RESTORE_EPOCH: "second", RESTORES: "2" });
    receiver.accepted.length = 0;
    await undone.deliver(webhook);
    expect(sentTitles(receiver)).toContain("lost, not delivered");
    const items = await everyItem(before.through(undone.fetch), records);
    expect(items.map(({ id }) => id)).toContain(lostRecord.body.id);
    const patched = await before
      .through(undone.fetch)
      .patch(`${records}/${kept.id}`, { data: { title: "again" } });
    expect(patched.body.version).toBe(2 * firstVersion);
    expect((await new Client(lostToken.token, undone.fetch).get("/me")).status).toBe(200);
  });
});

describe("A paused service", () => {
  it("returns 503 with Retry-After to every request", async () => {
    const paused = new Deployment({ PAUSED: "true" });
    const { bearer } = await client();
    const answers = [
      await new Client(bearer, paused.fetch).get("/me"),
      await new Client(bearer, paused.fetch).post("/apps/x/records", {}),
      await paused.admin("GET", "/forms"),
    ];
    for (const { status, headers, body } of answers)
      expect([status, headers.get("Retry-After"), body.code]).toEqual([503, "30", "try_again"]);
    expect((await paused.fetch(new Request("https://forms.example/health"))).status).toBe(503);
  });
});
