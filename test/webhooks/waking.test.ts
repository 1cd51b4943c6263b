import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { onSchedule } from "../../src/schedule.ts";
import type { Client } from "../support/client";
import { counted } from "../support/counting";
import { client, makeApp } from "../support/service";
import { hook, objectOf, Receiver, until } from "./receiver";

const notHour = 5 * 60_000;
const own = "(SELECT id FROM collection WHERE key = ?)";
const alarmOf = (id: string) =>
  runInDurableObject(objectOf(id), (_, state) => state.storage.getAlarm());

describe("What wakes a webhook", () => {
  let by: Client;
  beforeAll(async () => {
    by = await client();
  });

  it("a write asks nothing where no webhook listens; where one does it asks who, once in a burst", async () => {
    const { fetch, counts, reset } = counted();
    const through = by.through(fetch);
    const [quiet, heard] = [await makeApp(by), await makeApp(by)];
    const receiver = new Receiver();
    const { id } = await hook(by, receiver, { collections: [`app:${heard}`] });
    const cost = async (app: string) => {
      reset();
      await through.post(`/apps/${app}/records`, { data: {} });
      return counts.d1;
    };
    await cost(quiet);
    expect(await cost(quiet)).toBe(1);
    await cost(heard);
    expect(await cost(heard)).toBe(1);
    await until(() => receiver.taken.length === 2);
    expect(await cost(heard)).toBe(2);
    await by.post(`/apps/${heard}/records/batch`, {
      operations: [
        { op: "create", data: {} },
        { op: "create", data: {} },
      ],
    });
    await until(() => receiver.taken.length === 5);
    await by.patch(`/webhooks/${id}`, { state: "paused" });
    expect(await cost(heard)).toBe(1);
  });

  it("the schedule, where the call behind the answer was lost, or the alarm was", async () => {
    const app = await makeApp(by);
    const receiver = new Receiver();
    const { id } = await hook(by, receiver, { collections: [`app:${app}`] });
    await by.post(`/apps/${app}/records`, { data: {} });
    await runInDurableObject(objectOf(id), (_, state) => state.storage.deleteAlarm());
    await onSchedule(env, Math.floor(Date.now() / 3_600_000) * 3_600_000 + notHour + 60_000);
    expect(await alarmOf(id)).not.toBeNull();
    await until(() => receiver.taken.length === 1);
    expect(await alarmOf(id)).toBeNull();
  });

  it("a recalculation, behind the definition that asked for it and by the schedule", async () => {
    const app = await makeApp(by);
    const receiver = new Receiver();
    for (const title of ["a", "b"]) await by.post(`/apps/${app}/records`, { data: { title } });
    await hook(by, receiver, { collections: [`app:${app}`] });
    const define = (formula: string) =>
      by.put(`/apps/${app}/schema`, {
        fields: [
          { key: "title", type: "text" },
          { key: "twice", type: "computed", formula, result: "text" },
        ],
      });
    await define("title + title");
    await until(() => receiver.taken.length === 2);
    const twice = () => receiver.taken.map(({ body }) => body.data.item.data.twice);
    expect(twice()).toEqual(["aa", "bb"]);
    // What an answer left undone, the schedule does.
    await env.DB.batch([
      env.DB.prepare(
        `UPDATE item SET data = replace(data, 'aa', 'old') WHERE collection_id = ${own}`,
      ).bind(app),
      env.DB.prepare(
        `INSERT INTO indexing (collection_id, fields, next, last, done, total)
          SELECT collection_id, '[2]', min(number), max(number), 0, 2 FROM item WHERE collection_id = ${own}`,
      ).bind(app),
    ]);
    await onSchedule(env, notHour + 60_000);
    await until(() => receiver.taken.length === 3);
    expect(twice()).toEqual(["aa", "bb", "aa"]);
  });

  it("the schedule forgets what a deletion left of one", async () => {
    const app = await makeApp(by);
    const { id } = await hook(by, new Receiver(), { collections: [`app:${app}`] });
    await by.post(`/webhooks/${id}/test`, undefined);
    await env.DB.prepare("UPDATE webhook SET state = 'deleted' WHERE id = ?").bind(id).run();
    await onSchedule(env, notHour);
    const left = await env.DB.prepare("SELECT 1 FROM webhook WHERE id = ?").bind(id).first();
    expect(left).toBeNull();
    expect((await objectOf(id).report(null, 10)).deliveries).toEqual([]);
  });

  it("100 webhooks are the most there may be, however many are made at once", async () => {
    const body = {
      name: "x",
      url: "https://receiver.example",
      types: ["record.created"],
      collections: "all",
    };
    const made = await Promise.all(Array.from({ length: 110 }, () => by.post("/webhooks", body)));
    const { results } = await env.DB.prepare("SELECT id FROM webhook").all<{ id: string }>();
    expect(results).toHaveLength(100);
    const refused = made.filter(({ status }) => status === 422);
    expect(refused.length).toBeGreaterThanOrEqual(10);
    expect(refused[0]?.body.errors).toMatchObject([{ code: "too_large", maximum: 100 }]);
    const first = await by.get("/webhooks?limit=60");
    const rest = await by.get(first.body.links.next);
    expect([first.body.items.length, rest.body.items.length, rest.body.links.next]).toEqual([
      60,
      40,
      null,
    ]);
  });
});
