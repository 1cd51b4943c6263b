import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, vi } from "vitest";
import { Sender } from "../../src/delivery/sender.ts";
import type { Client, Json } from "../support/client";
import { admin, client, issue, makeApp, makeForm } from "../support/service";
import { Client as Caller } from "../support/client";
import { createWebhook, webhookObject, Receiver, deliverNow, waitUntil } from "./receiver";
import { dataDb, homeDb } from "../support/databases";
import { serviceWith } from "../support/serve";
import { fullSize, unsized } from "../support/size";

const { it } = unsized;

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
/** The retry schedule that the documentation promises. */
const pauses = [
  10 * second,
  minute,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
];

/** How many changes to deliver while the receiver fails and recovers. `WEBHOOK_CHANGES=10000` takes a few minutes. */
const changes = Number((env as { WEBHOOK_CHANGES?: string }).WEBHOOK_CHANGES);

const alarmOf = (id: string) =>
  runInDurableObject(webhookObject(id), (_, state) => state.storage.getAlarm());
const runAlarm = (id: string) => runDurableObjectAlarm(webhookObject(id));
const respondWith = (code: number) => () => new Response(`says ${code}`, { status: code });
const versions = (receiver: Receiver) => receiver.accepted.map(({ body }) => body.data.version);

/** Whole numbers from `first` to `last`. */
const integers = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, i) => first + i);

describe("Webhook receiver", () => {
  let integrator: Client;
  let app: string;
  let record: string;
  beforeAll(async () => {
    integrator = await client({ expires: "never" });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  const setUp = async (settings: object = {}) => {
    app = await makeApp(integrator);
    record = `/apps/${app}/records/${(await integrator.post(`/apps/${app}/records`, { data: {} })).body.id}`;
    const receiver = new Receiver();
    const { id } = await createWebhook(integrator, receiver, {
      collections: [`app:${app}`],
      ...settings,
    });
    return { receiver, id: id as string, path: `/webhooks/${id}` };
  };
  const change = (title: string) => integrator.patch(record, { data: { title } });
  /** Stops the clock. The test runs each alarm at its time. */
  const stopClock = () => vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 1000 * hour });
  const lastAttempt = async (path: string): Promise<Json> =>
    (await integrator.get(`${path}/deliveries?limit=1`)).body.items[0];

  it("that returns 500 gets 11 attempts on schedule, then the webhook is failing until resumed, and skips nothing", async () => {
    const { receiver, id, path } = await setUp();
    receiver.respond = respondWith(500);
    stopClock();
    for (const title of ["a", "b", "c"]) await change(title);
    await deliverNow(id);
    for (const [failures, pause] of pauses.entries()) {
      expect(receiver.received).toHaveLength(failures + 1);
      const attemptAt = Date.now();
      expect([failures, await alarmOf(id)]).toEqual([failures, attemptAt + pause]);
      // Further changes and wakes do not move the next attempt forward.
      await change(`meanwhile ${failures}`);
      await webhookObject(id).wake(id);
      expect(await alarmOf(id)).toBe(attemptAt + pause);
      vi.setSystemTime(attemptAt + pause);
      await runAlarm(id);
    }
    expect(receiver.received).toHaveLength(pauses.length + 1);
    expect(await alarmOf(id)).toBeNull();
    const { body } = await integrator.get(path);
    expect([body.state, body.reason]).toEqual(["failing", expect.stringContaining("500")]);
    expect(await lastAttempt(path)).toMatchObject({ attempt: 11, status: 500, answer: "says 500" });
    await deliverNow(id);
    expect(receiver.received).toHaveLength(pauses.length + 1);
    receiver.recover();
    await integrator.patch(path, { state: "active" });
    await waitUntil(async () => receiver.accepted.length === 13 || (await runAlarm(id), false));
    expect(versions(receiver)).toEqual(integers(2, 14));
    expect((await integrator.get(path)).body).toMatchObject({ state: "active", reason: null });
  });

  it("is in the list of the administration with its success rate, its queue and its next attempt", async () => {
    const { receiver, id } = await setUp({ types: ["record.updated"] });
    const listed = async (): Promise<Json> =>
      (await admin("GET", "/webhooks")).body.items.find((each: Json) => each.id === id);
    await change("a");
    await deliverNow(id);
    const healthy = { last_24_hours: { attempts: 1, delivered: 1 }, queued: 0 };
    await expect.poll(listed).toMatchObject({ ...healthy, next_attempt_at: null });
    receiver.respond = respondWith(500);
    for (const title of ["b", "c", "d"]) await change(title);
    // The webhook does not report this one, so it is not in the queue.
    await integrator.post(`/apps/${app}/records`, { data: {} });
    await deliverNow(id);
    const failing = { last_24_hours: { attempts: 2, delivered: 1 }, queued: 3 };
    await expect.poll(listed).toMatchObject({ ...failing, state: "retrying" });
    expect((await listed()).next_attempt_at).toEqual(expect.any(String));
    const { text } = await admin("GET", "/webhooks", undefined, { Accept: "text/html" });
    expect(text).toContain("50% of 2 attempts");
    expect(text).toContain("Next attempt <time");
  });

  it("that returns 500 for an hour accepts every change in order and once after it recovers", async () => {
    const { receiver, id } = await setUp();
    receiver.respond = respondWith(500);
    stopClock();
    const recoveryAt = Date.now() + hour;
    for (let index = 0; index < 60; index += 1) {
      await change(`${index}`);
      const due = (await alarmOf(id)) ?? Infinity;
      vi.setSystemTime(Date.now() + minute);
      if (Date.now() >= recoveryAt) receiver.recover();
      if (due <= Date.now()) await runAlarm(id);
    }
    receiver.recover();
    for (let run = 0; run < 20 && receiver.accepted.length < 60; run += 1) {
      vi.setSystemTime(Math.max(Date.now(), (await alarmOf(id)) ?? 0));
      await runAlarm(id);
    }
    expect(versions(receiver)).toEqual(integers(2, 61));
    const ids = receiver.accepted.map(({ headers }) => headers.get("webhook-id"));
    expect(new Set(ids).size).toBe(60);
    const [first] = receiver.received;
    expect(first?.headers.get("webhook-id")).toBe(ids[0]);
  });

  it("that returns 410 disables the webhook until it is resumed", async () => {
    const { receiver, id, path } = await setUp();
    receiver.respond = respondWith(410);
    await change("x");
    await deliverNow(id);
    expect((await integrator.get(path)).body).toMatchObject({
      state: "disabled",
      reason: expect.stringContaining("410"),
    });
    expect(await alarmOf(id)).toBeNull();
    const { results } = await homeDb
      .prepare("SELECT action FROM audit_entry WHERE subject = ? ORDER BY id")
      .bind(`webhook:${id}`)
      .all();
    expect(results).toEqual([{ action: "webhook.create" }, { action: "webhook.disable" }]);
    receiver.recover();
    await change("y");
    await deliverNow(id);
    expect(receiver.received).toHaveLength(1);
    await integrator.patch(path, { state: "active" });
    await waitUntil(() => receiver.accepted.length === 2);
    expect(versions(receiver)).toEqual([2, 3]);
  });

  it("that redirects gets no second request", async () => {
    const { receiver, id, path } = await setUp();
    const redirectTarget = new Receiver();
    receiver.respond = () =>
      new Response(null, { status: 302, headers: { Location: redirectTarget.url } });
    await change("x");
    await deliverNow(id);
    expect([receiver.received.length, redirectTarget.received.length]).toEqual([1, 0]);
    expect(await lastAttempt(path)).toMatchObject({
      delivered: false,
      status: 302,
      error: "Redirects are not followed.",
    });
  });

  it("that times out or closes the connection gets another attempt", async () => {
    const { receiver, id, path } = await setUp();
    receiver.respond = () => new Promise<never>(() => {});
    await change("x");
    const impatient = serviceWith({ TIMEOUTS: { receiverMs: 200 } });
    await webhookObject(id).wake(id);
    await runInDurableObject(webhookObject(id), async (_, state) => {
      await state.storage.deleteAlarm();
      await new Sender(state, impatient).alarm();
    });
    expect(await lastAttempt(path)).toMatchObject({
      status: null,
      answer: null,
      error: expect.stringContaining("did not respond within"),
    });
    receiver.respond = () => Promise.reject(new Error("Network connection lost."));
    await integrator.post(`${path}/test`, undefined);
    expect(await lastAttempt(path)).toMatchObject({
      status: null,
      error: expect.stringContaining("closed the connection"),
    });
    receiver.recover();
    await webhookObject(id).resume(id);
    await waitUntil(() => receiver.accepted.length === 1);
  });

  it("that sends an endless body is read to 1 KiB and cancelled", async () => {
    const { receiver, id, path } = await setUp();
    let chunks = 0;
    let isCancelled = false;
    receiver.respond = () =>
      new Response(
        new ReadableStream({
          pull(controller) {
            chunks += 1;
            controller.enqueue(new TextEncoder().encode("x".repeat(500)));
          },
          cancel() {
            isCancelled = true;
          },
        }),
      );
    await change("x");
    await deliverNow(id);
    expect(await lastAttempt(path)).toMatchObject({ status: 200, answer: "x".repeat(1024) });
    expect(chunks).toBeLessThan(10);
    await waitUntil(() => isCancelled);
  });

  it("gets each message once from two simultaneous alarms, and from one after an eviction", async () => {
    const { receiver, id } = await setUp();
    for (const title of ["a", "b", "c"]) await change(title);
    await Promise.all([
      runInDurableObject(webhookObject(id), (object) => object.alarm()),
      runInDurableObject(webhookObject(id), (object) => object.alarm()),
      deliverNow(id),
    ]);
    expect(versions(receiver)).toEqual([2, 3, 4]);
    await evictDurableObject(webhookObject(id));
    await change("d");
    await deliverNow(id);
    expect(versions(receiver)).toEqual([2, 3, 4, 5]);
  });

  it("that fails at times accepts all 60 writes to four forms, in order for each form", async () => {
    const forms: string[] = [];
    for (let i = 0; i < 4; i += 1) forms.push(await makeForm(integrator));
    const receiver = new Receiver();
    const collections = forms.map((key) => `form:${key}`);
    const { id } = await createWebhook(integrator, receiver, { collections, include: "ids" });
    receiver.respond = (_, count) => new Response(null, { status: count % 7 === 0 ? 503 : 204 });
    const idsByForm = await Promise.all(
      forms.map(async (key) => {
        const ids: string[] = [];
        for (let i = 0; i < 15; i += 1) {
          ids.push((await integrator.post(`/forms/${key}/submissions`, { data: {} })).body.id);
          if (i === 10) await evict(id);
        }
        return [`form:${key}`, ids] as const;
      }),
    );
    await deliverUntil(id, receiver, 60);
    for (const [name, ids] of idsByForm) expect(acceptedIds(receiver, name)).toEqual(ids);
  });

  fullSize.it(
    `that fails at times accepts all ${changes} changes in order`,
    async () => {
      const { receiver, id } = await setUp({ include: "ids" });
      const { results } = await dataDb
        .prepare(
          `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
      INSERT INTO change (number, at, actor, action, item, item_id, version, fields, request_id)
        SELECT c.number + i, c.at, c.actor, 'record.update', c.item, 'rec_' || i, i, '[]', ''
        FROM change c, n WHERE c.number =
          (SELECT max(number) FROM change x JOIN collection o ON o.key = ?1 AND x.number / 4294967296 = o.id)
        RETURNING item_id`,
        )
        .bind(app, changes)
        .all<{ item_id: string }>();
      expect(results).toHaveLength(changes);
      receiver.respond = (_, count) =>
        new Response(null, { status: Math.floor(count / 30) % 3 === 1 ? 500 : 200 });
      await deliverUntil(id, receiver, changes);
      expect(acceptedIds(receiver, `app:${app}`)).toEqual(results.map(({ item_id }) => item_id));
      // The webhook repeats failed messages only.
      expect(receiver.accepted).toHaveLength(changes);
      const deliveries = await integrator.get(`/webhooks/${id}/deliveries?limit=200`);
      expect(deliveries.body.items).toHaveLength(200);
    },
    Math.max(300_000, changes * 200),
  );

  const evict = (id: string) =>
    evictDurableObject(webhookObject(id)).catch(() => "already evicted");

  /** Runs alarms until `count` messages are accepted. Skips the retry pauses, and evicts the object now and then. */
  async function deliverUntil(id: string, receiver: Receiver, count: number) {
    for (let runs = 0; receiver.accepted.length < count && runs < count; runs += 1) {
      await webhookObject(id).resume(id);
      if (runs % 10 === 9) await evict(id);
      await runAlarm(id);
    }
  }

  /** The item ids in the order in which the receiver first accepted their messages. */
  function acceptedIds(receiver: Receiver, name: string) {
    const distinct = new Map(
      receiver.accepted.map(
        (message) => [message.headers.get("webhook-id"), message.body] as const,
      ),
    );
    return [...distinct.values()]
      .filter(({ collection }) => collection === name)
      .map(({ data }) => data.id);
  }
});

unsized.describe("Webhook with the permissions of its maker", () => {
  let integrator: Client;
  beforeAll(async () => {
    integrator = await client();
  });
  const setUp = async (choice: object = {}) => {
    const app = await makeApp(integrator);
    const issued = await issue({ kind: "client", ...choice });
    const maker = await issue(choice);
    const receiver = new Receiver();
    const { id } = await createWebhook(new Caller(maker.token), receiver, {
      collections: [`app:${app}`],
    });
    const write = (title: string) => integrator.post(`/apps/${app}/records`, { data: { title } });
    const edit = (change: object) => admin("POST", `/integrations/${maker.id}`, change);
    return { app, issued, maker, receiver, id: id as string, write, edit };
  };
  const titles = (receiver: Receiver) =>
    receiver.accepted.map(({ body }) => body.data.item.data.title);

  it("holds back changes that the maker can no longer read, and delivers them once access is restored", async () => {
    const { app, receiver, id, write, edit } = await setUp();
    receiver.respond = respondWith(500);
    await write("1");
    await deliverNow(id);
    await edit({ permissions: ["webhooks:manage", "submissions:read"] });
    receiver.recover();
    await webhookObject(id).resume(id);
    await runAlarm(id);
    expect(receiver.accepted).toEqual([]);
    await edit({ permissions: ["webhooks:manage", "records:read"], resources: ["app:other"] });
    await write("2");
    await deliverNow(id);
    expect(receiver.accepted).toEqual([]);
    await edit({ resources: [`app:${app}`] });
    await deliverNow(id);
    expect(titles(receiver)).toEqual(["1", "2"]);
  });

  it("is disabled when the maker is revoked, until another credential sets its URL", async () => {
    const { receiver, maker, id, write } = await setUp();
    receiver.respond = respondWith(500);
    await write("1");
    await deliverNow(id);
    await admin("POST", `/integrations/${maker.id}/revoke`, {});
    receiver.recover();
    await webhookObject(id).resume(id);
    await waitUntil(
      async () => (await integrator.get(`/webhooks/${id}`)).body.state === "disabled",
    );
    expect(receiver.accepted).toEqual([]);
    await integrator.patch(`/webhooks/${id}`, { url: receiver.url, state: "active" });
    await waitUntil(() => receiver.accepted.length === 1);
    expect(titles(receiver)).toEqual(["1"]);
  });

  it("redelivers no message that the maker can no longer read", async () => {
    const { receiver, id, write, edit } = await setUp();
    await write("1");
    await deliverNow(id);
    await edit({ permissions: ["webhooks:manage"] });
    const path = `/webhooks/${id}/deliveries`;
    const [first] = (await integrator.get(path)).body.items;
    const redelivery = await integrator.post(`${path}/${first.id}/redeliver`, undefined);
    expect(redelivery.body).toMatchObject({
      delivered: false,
      status: null,
      message: first.message,
    });
    expect(receiver.received).toHaveLength(1);
  });

  it("is disabled when the member who owns the token is disabled", async () => {
    const { maker, receiver, id, write } = await setUp();
    const setMember = (sql: string) =>
      homeDb.prepare(`UPDATE member SET ${sql} WHERE id = ?`).bind(maker.created_by).run();
    await write("1");
    await setMember("disabled_at = 1");
    await deliverNow(id);
    await setMember("disabled_at = null");
    expect(receiver.received).toEqual([]);
    expect((await integrator.get(`/webhooks/${id}`)).body.state).toBe("disabled");
  });

  it("takes the permissions of a credential that changes its URL", async () => {
    const { receiver, id, write } = await setUp();
    const manager = await client({ permissions: ["webhooks:manage"] });
    const managerReceiver = new Receiver();
    await manager.patch(`/webhooks/${id}`, { url: managerReceiver.url });
    await write("1");
    await deliverNow(id);
    expect([managerReceiver.received, receiver.received]).toEqual([[], []]);
  });
});
