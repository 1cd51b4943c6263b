import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { receiver as limits } from "../../src/delivery/send.ts";
import type { Client, Json } from "../support/client";
import { admin, client, issue, makeApp, makeForm } from "../support/service";
import { Client as Caller } from "../support/client";
import { hook, objectOf, Receiver, tell, until } from "./receiver";

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
/** The contract's schedule. */
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

/** As many as are told while the receiver fails and recovers; `WEBHOOK_CHANGES=10000` takes a few minutes. */
const changes = Number((env as { WEBHOOK_CHANGES?: string }).WEBHOOK_CHANGES);

const nextAt = (id: string) =>
  runInDurableObject(objectOf(id), (_, state) => state.storage.getAlarm());
const run = (id: string) => runDurableObjectAlarm(objectOf(id));
const status = (code: number) => () => new Response(`says ${code}`, { status: code });
const versions = (receiver: Receiver) => receiver.taken.map(({ body }) => body.data.version);

/** Whole numbers from `first` to `last`. */
const from = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, i) => first + i);

describe("A receiver", () => {
  let by: Client;
  let app: string;
  let record: string;
  beforeAll(async () => {
    by = await client({ expires: "never" });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  const begin = async (rest: object = {}) => {
    app = await makeApp(by);
    record = `/apps/${app}/records/${(await by.post(`/apps/${app}/records`, { data: {} })).body.id}`;
    const receiver = new Receiver();
    const { id } = await hook(by, receiver, { collections: [`app:${app}`], ...rest });
    return { receiver, id: id as string, path: `/webhooks/${id}` };
  };
  const change = (title: string) => by.patch(record, { data: { title } });
  /** Stops the clock; alarms are run by the test, at the times that they are set to. */
  const stopClock = () => vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 1000 * hour });
  const lastTry = async (path: string): Promise<Json> =>
    (await by.get(`${path}/deliveries?limit=1`)).body.items[0];

  it("that answers 500 is tried by the schedule, then the webhook is failing, keeps its place, and goes on when resumed", async () => {
    const { receiver, id, path } = await begin();
    receiver.answers = status(500);
    stopClock();
    for (const title of ["a", "b", "c"]) await change(title);
    await tell(id);
    for (const [failed, pause] of pauses.entries()) {
      expect(receiver.all).toHaveLength(failed + 1);
      const at = Date.now();
      expect([failed, await nextAt(id)]).toEqual([failed, at + pause]);
      // Whatever else happens meanwhile does not hasten it.
      await change(`meanwhile ${failed}`);
      await objectOf(id).wake(id);
      expect(await nextAt(id)).toBe(at + pause);
      vi.setSystemTime(at + pause);
      await run(id);
    }
    expect(receiver.all).toHaveLength(pauses.length + 1);
    expect(await nextAt(id)).toBeNull();
    const { body } = await by.get(path);
    expect([body.state, body.reason]).toEqual(["failing", expect.stringContaining("500")]);
    expect(await lastTry(path)).toMatchObject({ attempt: 11, status: 500, answer: "says 500" });
    await tell(id);
    expect(receiver.all).toHaveLength(pauses.length + 1);
    receiver.recover();
    await by.patch(path, { state: "active" });
    await until(async () => receiver.taken.length === 13 || (await run(id), false));
    expect(versions(receiver)).toEqual(from(2, 14));
    expect((await by.get(path)).body).toMatchObject({ state: "active", reason: null });
  });

  it("that answers 500 for an hour has been told of everything, in order and once, soon after it recovers", async () => {
    const { receiver, id } = await begin();
    receiver.answers = status(500);
    stopClock();
    const recovers = Date.now() + hour;
    for (let made = 0; made < 60; made += 1) {
      await change(`${made}`);
      const due = (await nextAt(id)) ?? Infinity;
      vi.setSystemTime(Date.now() + minute);
      if (Date.now() >= recovers) receiver.recover();
      if (due <= Date.now()) await run(id);
    }
    receiver.recover();
    for (let left = 0; left < 20 && receiver.taken.length < 60; left += 1) {
      vi.setSystemTime(Math.max(Date.now(), (await nextAt(id)) ?? 0));
      await run(id);
    }
    expect(versions(receiver)).toEqual(from(2, 61));
    const ids = receiver.taken.map(({ headers }) => headers.get("webhook-id"));
    expect(new Set(ids).size).toBe(60);
    const [first] = receiver.all;
    expect(first?.headers.get("webhook-id")).toBe(ids[0]);
  });

  it("that answers 410 is told no more until somebody resumes it", async () => {
    const { receiver, id, path } = await begin();
    receiver.answers = status(410);
    await change("x");
    await tell(id);
    expect((await by.get(path)).body).toMatchObject({
      state: "disabled",
      reason: expect.stringContaining("410"),
    });
    expect(await nextAt(id)).toBeNull();
    const { results } = await env.DB.prepare(
      "SELECT action FROM audit_entry WHERE subject = ? ORDER BY id",
    )
      .bind(`webhook:${id}`)
      .all();
    expect(results).toEqual([{ action: "webhook.create" }, { action: "webhook.disable" }]);
    receiver.recover();
    await change("y");
    await tell(id);
    expect(receiver.all).toHaveLength(1);
    await by.patch(path, { state: "active" });
    await until(() => receiver.taken.length === 2);
    expect(versions(receiver)).toEqual([2, 3]);
  });

  it("that redirects is not followed", async () => {
    const { receiver, id, path } = await begin();
    const other = new Receiver();
    receiver.answers = () => new Response(null, { status: 302, headers: { Location: other.url } });
    await change("x");
    await tell(id);
    expect([receiver.all.length, other.all.length]).toEqual([1, 0]);
    expect(await lastTry(path)).toMatchObject({
      delivered: false,
      status: 302,
      error: "Redirects are not followed.",
    });
  });

  it("that is slow, or closes the connection, is a failure and is tried again", async () => {
    const { receiver, id, path } = await begin();
    limits.milliseconds = 200;
    receiver.answers = () => new Promise<never>(() => {});
    await change("x");
    await tell(id);
    limits.milliseconds = 10_000;
    expect(await lastTry(path)).toMatchObject({
      status: null,
      answer: null,
      error: expect.stringContaining("no answer within"),
    });
    receiver.answers = () => Promise.reject(new Error("Network connection lost."));
    await by.post(`${path}/test`, undefined);
    expect(await lastTry(path)).toMatchObject({
      status: null,
      error: expect.stringContaining("closed the connection"),
    });
    receiver.recover();
    await objectOf(id).resume(id);
    await until(() => receiver.taken.length === 1);
  });

  it("that answers without an end is read to 1 KiB and cut off", async () => {
    const { receiver, id, path } = await begin();
    let sent = 0;
    let cut = false;
    receiver.answers = () =>
      new Response(
        new ReadableStream({
          pull(controller) {
            sent += 1;
            controller.enqueue(new TextEncoder().encode("x".repeat(500)));
          },
          cancel() {
            cut = true;
          },
        }),
      );
    await change("x");
    await tell(id);
    expect(await lastTry(path)).toMatchObject({ status: 200, answer: "x".repeat(1024) });
    expect(sent).toBeLessThan(10);
    await until(() => cut);
  });

  it("is told once by two alarms at once, and by one that comes after an eviction", async () => {
    const { receiver, id } = await begin();
    for (const title of ["a", "b", "c"]) await change(title);
    await Promise.all([
      runInDurableObject(objectOf(id), (object) => object.alarm()),
      runInDurableObject(objectOf(id), (object) => object.alarm()),
      tell(id),
    ]);
    expect(versions(receiver)).toEqual([2, 3, 4]);
    await evictDurableObject(objectOf(id));
    await change("d");
    await tell(id);
    expect(versions(receiver)).toEqual([2, 3, 4, 5]);
  });

  it("that comes and goes is told of 120 writes of four forms: none is lost, each form's are in order", async () => {
    const forms: string[] = [];
    for (let i = 0; i < 4; i += 1) forms.push(await makeForm(by));
    const receiver = new Receiver();
    const collections = forms.map((key) => `form:${key}`);
    const { id } = await hook(by, receiver, { collections, include: "ids" });
    receiver.answers = (_, count) => new Response(null, { status: count % 7 === 0 ? 503 : 204 });
    const made = await Promise.all(
      forms.map(async (key) => {
        const ids: string[] = [];
        for (let i = 0; i < 30; i += 1) {
          ids.push((await by.post(`/forms/${key}/submissions`, { data: {} })).body.id);
          if (i === 20) await evict(id);
        }
        return [`form:${key}`, ids] as const;
      }),
    );
    await tellUntil(id, receiver, 120);
    for (const [name, ids] of made) expect(toldOf(receiver, name)).toEqual(ids);
  });

  it(
    `that comes and goes is told of ${changes} changes: none is lost, and they are in order`,
    async () => {
      const { receiver, id } = await begin({ include: "ids" });
      const { results } = await env.DB.prepare(
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
      receiver.answers = (_, count) =>
        new Response(null, { status: Math.floor(count / 30) % 3 === 1 ? 500 : 200 });
      await tellUntil(id, receiver, changes);
      expect(toldOf(receiver, `app:${app}`)).toEqual(results.map(({ item_id }) => item_id));
      // Each of those that succeeded was told once: what is told again is what failed.
      expect(receiver.taken).toHaveLength(changes);
      const kept = await by.get(`/webhooks/${id}/deliveries?limit=200`);
      expect(kept.body.items).toHaveLength(200);
    },
    Math.max(300_000, changes * 200),
  );

  const evict = (id: string) =>
    evictDurableObject(objectOf(id)).catch(() => "it has left memory already");

  /** As often as it takes, each time with its failures forgotten; it loses its memory now and then. */
  async function tellUntil(id: string, receiver: Receiver, count: number) {
    for (let tries = 0; receiver.taken.length < count && tries < count; tries += 1) {
      await objectOf(id).resume(id);
      if (tries % 10 === 9) await evict(id);
      await run(id);
    }
  }

  /** The ids of the items, in the order in which each message was taken first. */
  function toldOf(receiver: Receiver, name: string) {
    const distinct = new Map(
      receiver.taken.map((each) => [each.headers.get("webhook-id"), each.body] as const),
    );
    return [...distinct.values()]
      .filter(({ collection }) => collection === name)
      .map(({ data }) => data.id);
  }
});

describe("What a webhook tells is bounded by what its maker may read when it is told", () => {
  let by: Client;
  beforeAll(async () => {
    by = await client();
  });
  const begin = async (choice: object = {}) => {
    const app = await makeApp(by);
    const issued = await issue({ kind: "client", ...choice });
    const maker = await issue(choice);
    const receiver = new Receiver();
    const { id } = await hook(new Caller(maker.token), receiver, { collections: [`app:${app}`] });
    const write = (title: string) => by.post(`/apps/${app}/records`, { data: { title } });
    const edit = (change: object) => admin("POST", `/integrations/${maker.id}`, change);
    return { app, issued, maker, receiver, id: id as string, write, edit };
  };
  const titles = (receiver: Receiver) =>
    receiver.taken.map(({ body }) => body.data.item.data.title);

  it("a permission or an app that was taken away while it failed is not told, and is told from its place when given back", async () => {
    const { app, receiver, id, write, edit } = await begin();
    receiver.answers = status(500);
    await write("1");
    await tell(id);
    await edit({ permissions: ["webhooks:manage", "submissions:read"] });
    receiver.recover();
    await objectOf(id).resume(id);
    await run(id);
    expect(receiver.taken).toEqual([]);
    await edit({ permissions: ["webhooks:manage", "records:read"], resources: ["app:other"] });
    await write("2");
    await tell(id);
    expect(receiver.taken).toEqual([]);
    await edit({ resources: [`app:${app}`] });
    await tell(id);
    expect(titles(receiver)).toEqual(["1", "2"]);
  });

  it("revocation while it failed disables it; another credential takes it over by saying where it goes", async () => {
    const { receiver, maker, id, write } = await begin();
    receiver.answers = status(500);
    await write("1");
    await tell(id);
    await admin("POST", `/integrations/${maker.id}/revoke`, {});
    receiver.recover();
    await objectOf(id).resume(id);
    await until(async () => (await by.get(`/webhooks/${id}`)).body.state === "disabled");
    expect(receiver.taken).toEqual([]);
    await by.patch(`/webhooks/${id}`, { url: receiver.url, state: "active" });
    await until(() => receiver.taken.length === 1);
    expect(titles(receiver)).toEqual(["1"]);
  });

  it("a message is sent again only if its maker may still read it", async () => {
    const { receiver, id, write, edit } = await begin();
    await write("1");
    await tell(id);
    await edit({ permissions: ["webhooks:manage"] });
    const path = `/webhooks/${id}/deliveries`;
    const [first] = (await by.get(path)).body.items;
    const again = await by.post(`${path}/${first.id}/redeliver`, undefined);
    expect(again.body).toMatchObject({ delivered: false, status: null, message: first.message });
    expect(receiver.all).toHaveLength(1);
  });

  it("a member's role bounds it: webhooks are for owners and admins, and their tokens die with them", async () => {
    const { maker, receiver, id, write } = await begin();
    const setMember = (sql: string) =>
      env.DB.prepare(`UPDATE member SET ${sql} WHERE id = ?`).bind(maker.created_by).run();
    await write("1");
    await setMember("disabled_at = 1");
    await tell(id);
    await setMember("disabled_at = null");
    expect(receiver.all).toEqual([]);
    expect((await by.get(`/webhooks/${id}`)).body.state).toBe("disabled");
  });

  it("whoever changes what it tells becomes its maker, so that nobody reads by way of another's", async () => {
    const { receiver, id, write } = await begin();
    const manager = await client({ permissions: ["webhooks:manage"] });
    const mine = new Receiver();
    await manager.patch(`/webhooks/${id}`, { url: mine.url });
    await write("1");
    await tell(id);
    expect([mine.all, receiver.all]).toEqual([[], []]);
  });
});
