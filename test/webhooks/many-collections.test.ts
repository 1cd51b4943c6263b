import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { beforeAll, describe, expect, it } from "vitest";
import { itemNumberRange } from "../../src/domain/item/item.ts";
import { Client as Caller, type Client } from "../support/client";
import { dataDb, placeCollections } from "../support/databases";
import { admin, client, everything, issue, makeApp } from "../support/service";
import { createWebhook, deliverNow, Receiver, webhookObject } from "./receiver";

/** Inserts changes of items that no longer exist: `count` in each of these collections. */
async function insertChanges(ids: readonly number[], count: number): Promise<void> {
  const numbers = ids.flatMap((id) =>
    Array.from({ length: count }, (_, i) => itemNumberRange(id).above + 1 + i),
  );
  await dataDb
    .prepare(
      `INSERT INTO change (number, at, actor, action, item, item_id, version, fields, request_id)
        SELECT value, ?1, 'system', 'record.create', 0, 'rec_' || value, 1, '[]', 'x' FROM json_each(?2)`,
    )
    .bind(Date.now(), JSON.stringify(numbers))
    .run();
}

/** Copies an app, without its items. Returns the ids of the copies. */
async function copyApp(app: string, count: number): Promise<number[]> {
  const { results } = await dataDb
    .prepare(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
      INSERT INTO collection (kind, key, version, revision, name, description, time_zone, receipt_prefix,
        state, fields, fields_version, created_at, updated_at)
        SELECT kind, key || '_copy' || i, 1, 1, name, '', time_zone, '', state, fields, 1, 0, 0
          FROM n, collection WHERE key = ?2 RETURNING id`,
    )
    .bind(count, app)
    .all<{ id: number }>();
  await placeCollections();
  return results.map(({ id }) => id);
}

const alarmOf = (id: string) =>
  runInDurableObject(webhookObject(id), (_, state) => state.storage.getAlarm());
const keysOf = (receiver: Receiver) => receiver.accepted.map(({ body }) => body.collection);

describe("A webhook that listens to everything", () => {
  let owner: Client;
  beforeAll(async () => {
    owner = await client();
  });

  it("delivers what its maker may read, and sleeps, with 500 changed apps that it may not read", async () => {
    const hidden = await copyApp(await makeApp(owner), 500);
    const readable = await makeApp(owner);
    const maker = await client({ permissions: everything, resources: [`app:${readable}`] });
    const receiver = new Receiver();
    const { id } = await createWebhook(maker, receiver, { collections: "all" });
    await insertChanges(hidden, 1);
    await owner.post(`/apps/${readable}/records`, { data: { title: "x" } });
    await deliverNow(id);
    expect(keysOf(receiver)).toEqual([`app:${readable}`]);
    expect(await alarmOf(id)).toBeNull();
    await webhookObject(id).resume(id);
    await runDurableObjectAlarm(webhookObject(id));
    expect(await alarmOf(id)).toBeNull();
    await owner.patch(`/webhooks/${id}`, { state: "paused" });
  });

  it("delivers changes of every app, although the first four have more than one run can send", async () => {
    const copies = await copyApp(await makeApp(owner), 24);
    const receiver = new Receiver();
    receiver.respond = (_, count) => new Response("", { status: count > 80 ? 500 : 200 });
    const { id } = await createWebhook(owner, receiver, { collections: "all" });
    await insertChanges(copies.slice(0, 4), 200);
    await insertChanges(copies.slice(4), 1);
    await deliverNow(id);
    expect(new Set(keysOf(receiver)).size).toBe(24);
    const sent = receiver.accepted.map(({ body }) => body.data.id);
    expect(new Set(sent).size).toBe(sent.length);
    await owner.patch(`/webhooks/${id}`, { state: "paused" });
  });

  it("sleeps when its maker can no longer read the app of a failed message", async () => {
    const app = await makeApp(owner);
    const credential = await issue({ resources: [`app:${app}`] });
    const receiver = new Receiver();
    receiver.respond = () => new Response("no", { status: 500 });
    const { id } = await createWebhook(new Caller(credential.token), receiver, {
      collections: "all",
    });
    await owner.post(`/apps/${app}/records`, { data: { title: "x" } });
    await deliverNow(id);
    expect(receiver.received).toHaveLength(1);
    await admin("POST", `/integrations/${credential.id}`, { resources: ["app:other"] });
    await runInDurableObject(webhookObject(id), (_, state) => {
      const failure = state.storage.kv.get<{ nextAt: number }>("failure");
      state.storage.kv.put("failure", { ...failure, nextAt: Date.now() });
      return state.storage.setAlarm(Date.now());
    });
    await runDurableObjectAlarm(webhookObject(id));
    expect([receiver.received.length, await alarmOf(id)]).toEqual([1, null]);
  });
});
