import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import worker from "../../src/index.ts";
import type { Client } from "../support/client";
import { counted } from "../support/counting";
import { client, makeApp } from "../support/service";
import { createWebhook, webhookObject, Receiver, waitUntil } from "./receiver";
import { dataDb, databases, homeDb } from "../support/databases";

const offHourMs = 5 * 60_000;
/** One run delivers the changes of this time. */
const burstMs = 1000;
const collectionId = "(SELECT id FROM collection WHERE key = ?)";
const alarmOf = (id: string) =>
  runInDurableObject(webhookObject(id), (_, state) => state.storage.getAlarm());

/** Runs the alarms of a webhook early, until its receiver has accepted this many messages. Wakes no webhook. */
const runAlarms = (id: string, { accepted }: Receiver, count: number) =>
  waitUntil(async () => {
    await runDurableObjectAlarm(webhookObject(id));
    return accepted.length === count;
  });

describe("Waking webhooks", () => {
  let integrator: Client;
  beforeAll(async () => {
    integrator = await client();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("costs a write no query without listeners, and one query per burst with a listener", async () => {
    const { fetch, counts, reset } = counted();
    const counting = integrator.through(fetch);
    const [quietApp, watchedApp] = [await makeApp(integrator), await makeApp(integrator)];
    const receiver = new Receiver();
    const { id } = await createWebhook(integrator, receiver, {
      collections: [`app:${watchedApp}`],
    });
    const cost = async (app: string) => {
      reset();
      await counting.post(`/apps/${app}/records`, { data: {} });
      return counts.d1;
    };
    vi.useFakeTimers({ toFake: ["Date"] });
    /** Delivers a burst, after which the isolate may wake webhooks again. */
    const endBurst = async (count: number) => {
      await runAlarms(id, receiver, count);
      vi.setSystemTime(Date.now() + burstMs);
    };
    await cost(quietApp);
    expect(await cost(quietApp)).toBe(1);
    await cost(watchedApp);
    expect(await cost(watchedApp)).toBe(1);
    await endBurst(2);
    expect(await cost(watchedApp)).toBe(2);
    await integrator.post(`/apps/${watchedApp}/records/batch`, {
      operations: [
        { op: "create", data: {} },
        { op: "create", data: {} },
      ],
    });
    await endBurst(5);
    await integrator.patch(`/webhooks/${id}`, { state: "paused" });
    expect(await cost(watchedApp)).toBe(1);
  });

  it("happens on schedule when the alarm was lost", async () => {
    const app = await makeApp(integrator);
    const receiver = new Receiver();
    const { id } = await createWebhook(integrator, receiver, { collections: [`app:${app}`] });
    await integrator.post(`/apps/${app}/records`, { data: {} });
    await runInDurableObject(webhookObject(id), (_, state) => state.storage.deleteAlarm());
    await worker.scheduled(
      { scheduledTime: Math.floor(Date.now() / 3_600_000) * 3_600_000 + offHourMs + 60_000 },
      env,
    );
    expect(await alarmOf(id)).not.toBeNull();
    await waitUntil(() => receiver.accepted.length === 1);
    expect(await alarmOf(id)).toBeNull();
  });

  // With one database nothing needs a repair, so the rule exists only with two.
  // oxlint-disable-next-line vitest/no-conditional-tests
  if (!databases.singleDatabase)
    it("happens on schedule when a collection of another database has no listener flag", async () => {
      const app = await makeApp(integrator);
      const receiver = new Receiver();
      await createWebhook(integrator, receiver, { collections: [`app:${app}`] });
      const listened = () =>
        dataDb.prepare("SELECT listened FROM collection WHERE key = ?").bind(app).first("listened");
      expect(await listened()).toBe(1);
      await dataDb.prepare("UPDATE collection SET listened = 0 WHERE key = ?").bind(app).run();
      await integrator.post(`/apps/${app}/records`, { data: {} });
      await worker.scheduled(
        { scheduledTime: Math.floor(Date.now() / 3_600_000) * 3_600_000 + offHourMs + 60_000 },
        env,
      );
      await waitUntil(() => receiver.accepted.length === 1);
      expect(await listened()).toBe(1);
    });

  it("happens on a recalculation, after the definition changed and on schedule", async () => {
    const app = await makeApp(integrator);
    const receiver = new Receiver();
    for (const title of ["a", "b"])
      await integrator.post(`/apps/${app}/records`, { data: { title } });
    const { id } = await createWebhook(integrator, receiver, { collections: [`app:${app}`] });
    const define = (formula: string) =>
      integrator.put(`/apps/${app}/schema`, {
        fields: [
          { key: "title", type: "text" },
          { key: "twice", type: "computed", formula, result: "text" },
        ],
      });
    await define("title + title");
    await runAlarms(id, receiver, 2);
    const twice = () => receiver.accepted.map(({ body }) => body.data.item.data.twice);
    expect(twice()).toEqual(["aa", "bb"]);
    // As if the background work of a request had stopped: the schedule continues it.
    await dataDb.batch([
      dataDb
        .prepare(
          `UPDATE item SET data = replace(data, 'aa', 'old') WHERE collection_id = ${collectionId}`,
        )
        .bind(app),
      dataDb
        .prepare(
          `INSERT INTO indexing (collection_id, fields, next, last, done, total)
          SELECT collection_id, '[2]', min(number), max(number), 0, 2 FROM item WHERE collection_id = ${collectionId}`,
        )
        .bind(app),
    ]);
    await worker.scheduled({ scheduledTime: offHourMs + 60_000 }, env);
    await runAlarms(id, receiver, 3);
    expect(twice()).toEqual(["aa", "bb", "aa"]);
  });

  it("deletes on schedule what an interrupted deletion left", async () => {
    const app = await makeApp(integrator);
    const { id } = await createWebhook(integrator, new Receiver(), { collections: [`app:${app}`] });
    await integrator.post(`/webhooks/${id}/test`, undefined);
    await homeDb.prepare("UPDATE webhook SET state = 'deleted' WHERE id = ?").bind(id).run();
    await worker.scheduled({ scheduledTime: offHourMs }, env);
    const row = await homeDb.prepare("SELECT 1 FROM webhook WHERE id = ?").bind(id).first();
    expect(row).toBeNull();
    expect((await webhookObject(id).report(null, 10)).deliveries).toEqual([]);
  });

  it("returns 422 `too_large` above 100 webhooks, also for simultaneous creates", async () => {
    const body = {
      name: "x",
      url: "https://receiver.example",
      types: ["record.created"],
      collections: "all",
    };
    const responses = await Promise.all(
      Array.from({ length: 110 }, () => integrator.post("/webhooks", body)),
    );
    const { results } = await homeDb.prepare("SELECT id FROM webhook").all<{ id: string }>();
    expect(results).toHaveLength(100);
    const rejected = responses.filter(({ status }) => status === 422);
    expect(rejected.length).toBeGreaterThanOrEqual(10);
    expect(rejected[0]?.body.errors).toMatchObject([{ code: "too_large", maximum: 100 }]);
    const first = await integrator.get("/webhooks?limit=60");
    const second = await integrator.get(first.body.links.next);
    expect([first.body.items.length, second.body.items.length, second.body.links.next]).toEqual([
      60,
      40,
      null,
    ]);
  });
});
