import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { eraseExpired } from "../../src/actions/retention.ts";
import { erase, sweepStorage } from "../../src/schedule.ts";
import { Client } from "../support/client";
import { dataDb, homeDb } from "../support/databases";
import { upload } from "../support/files";
import { background } from "../support/serve";
import { admin, issue, makeApp, makeForm } from "../support/service";
import { createWebhook, deliverNow, Receiver } from "../webhooks/receiver";

/**
 * Plants unique markers in every type of field, erases them in each of the three ways, and searches all tables, KV,
 * R2, and the deliveries and the storage of the webhook for them.
 */

const day = 24 * 60 * 60 * 1000;

const texts = [
  { key: "short", type: "text", unique: true },
  { key: "long", type: "multiline_text" },
  { key: "mail", type: "email", unique: true },
  { key: "site", type: "url" },
  { key: "tel", type: "phone" },
];
const fields = [
  ...texts,
  { key: "amount", type: "number" },
  { key: "yes", type: "boolean" },
  { key: "day", type: "date" },
  { key: "at", type: "datetime" },
  { key: "one", type: "select", options: [{ value: "a" }, { value: "b" }] },
  { key: "many", type: "multi_select", options: [{ value: "a" }, { value: "b" }] },
  { key: "rows", type: "line_items", fields: [{ key: "cell", type: "text" }] },
  { key: "sum", type: "computed", formula: "amount * 2", result: "number" },
  { key: "invoices", type: "files" },
  { key: "retired", type: "text", unique: true },
];

let planted = 0;

/** Values that occur nowhere else, and the texts by which they are found. */
function plant() {
  planted += 1;
  const word = `Qz${crypto.randomUUID().slice(0, 8)}${planted}`;
  const number = 739_184_000 + planted * 17;
  const year = 2300 + planted;
  // The year alone occurs in random IDs.
  const times = [`${year}-07`, String(Date.parse(`${year}-07-14T01:02:03Z`))];
  const data = {
    short: `${word} short`,
    long: `a\n${word} long`,
    mail: `${word}@example.com`,
    site: `https://example.com/${word}`,
    tel: `+49${number}`,
    amount: number + 0.25,
    yes: true,
    day: `${year}-07-13`,
    at: `${year}-07-14T01:02:03Z`,
    one: "a",
    many: ["a", "b"],
    rows: [{ cell: `${word} cell` }],
    retired: `${word} retired`,
  };
  return {
    data,
    markers: [word, word.toLowerCase(), String(number), String(number * 2), ...times],
  };
}

const tablesOf = async (db: D1Database) => {
  const { results } = await db
    .prepare(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'",
    )
    .all<{ name: string }>();
  return results.map(({ name }) => name);
};

/** Where a marker is found. Definitions and audit entries have no values of items, and are searched too. */
async function traces(markers: readonly string[]): Promise<string[]> {
  // It has the IDs of removed files for half a day, and nothing else.
  return (await placesWith(markers)).filter((place) => place !== "removed_file");
}

async function placesWith(markers: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  const look = (place: string, content: unknown) => {
    const text = JSON.stringify(content);
    if (markers.some((marker) => text.includes(marker))) found.push(place);
  };
  for (const db of new Set([homeDb, dataDb])) {
    for (const table of await tablesOf(db))
      look(table, (await db.prepare(`SELECT * FROM ${table}`).all()).results);
  }
  const { keys } = await env.REPLAYS.list();
  for (const { name } of keys) look("KV", await env.REPLAYS.get(name));
  const { objects } = await env.FILES.list({ include: ["customMetadata", "httpMetadata"] });
  for (const { key, customMetadata, httpMetadata } of objects)
    look("R2", [key, customMetadata, httpMetadata, await (await env.FILES.get(key))?.text()]);
  return found;
}

let integrator: Client;
let credential: string;
beforeAll(async () => {
  const { id, token } = await issue();
  credential = id;
  integrator = new Client(token);
});

/** Stores an item with former values, retired fields, former unique values and stored responses. */
async function store(kind: "app" | "form", settings: object = {}) {
  const key = await (kind === "app" ? makeApp : makeForm)(integrator, fields, settings);
  const base = `/${kind}s/${key}`;
  const items = kind === "app" ? `${base}/records` : `${base}/submissions`;
  const receiver = new Receiver();
  const { id: webhook } = await createWebhook(integrator, receiver, {
    collections: [`${kind}:${key}`],
  });
  const first = plant();
  const last = plant();
  const attach = async ([word = ""]: readonly string[]) => {
    const content = new TextEncoder().encode(`%PDF-1.7 ${word} content`);
    return upload(integrator, `${kind}:${key}`, content, `${word} name.pdf`);
  };
  const files = [await attach(first.markers), await attach(last.markers)];
  // A file that was never attached expires by itself.
  const abandoned = await attach(first.markers);
  expect((await integrator.delete(`/files/${abandoned}`)).status).toBe(204);
  const body = { data: { ...first.data, invoices: files.slice(0, 1) } };
  const { body: item } = await integrator.post(items, body, { "Idempotency-Key": key });
  const path = kind === "app" ? `${items}/${item.id}` : `/submissions/${item.id}`;
  await integrator.patch(path, { data: { ...last.data, invoices: files.slice(1) } });
  const { yes: _, ...more } = plant().data;
  await integrator.patch(path, { data: { ...more, rows: [] } });
  const upsert = { op: "upsert", by: "short", data: { ...last.data, short: more.short } };
  const operations = { operations: [upsert] };
  const batch = await integrator.post(`${items}/batch`, operations, {
    "Idempotency-Key": `${key}-2`,
  });
  expect(batch.status).toBe(200);
  const left = fields.filter(({ key: field }) => field !== "retired");
  const notUnique = left.map((field) => ({
    ...field,
    ...(field.key === "mail" ? { unique: false } : {}),
  }));
  expect((await integrator.put(`${base}/schema`, { fields: notUnique })).status).toBe(200);
  await deliverNow(webhook);
  const markers = [...first.markers, ...last.markers, more.short, more.mail, String(more.amount)];
  return { key, id: item.id as string, path, markers: [...markers, ...files], webhook };
}

/** Runs the schedule until everything that may be erased by then is erased. */
async function runSchedule(days: number): Promise<void> {
  const now = () => Date.now() + days * day;
  const ctx = { ...background(), now, objects: { wake: async () => 0 } };
  for (let run = 0; run < 3; run += 1) {
    await erase(ctx);
    await sweepStorage(ctx, now());
  }
}

/** What the objects of the webhook and of the credential keep with a marker: queues, deliveries and calls. */
async function rowsInObjects({ webhook, markers }: { webhook: string; markers: string[] }) {
  const rows = await runInDurableObject<DurableObject, string[]>(
    env.HOOKS.getByName(webhook),
    rowsOf,
  );
  const { calls } = (await admin("GET", `/integrations/${credential}`)).body;
  expect([rows.length > 0, calls.length > 0]).toEqual([true, true]);
  // The path of a call names items and files.
  const values = markers.filter((marker) => !marker.startsWith("fil_"));
  return [...rows, JSON.stringify(calls)].filter((row) =>
    values.some((marker) => row.includes(marker)),
  );
}

function rowsOf(_: unknown, { storage }: DurableObjectState): string[] {
  const tables = [
    ...storage.sql.exec<{ name: string }>(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'",
    ),
  ];
  const rows = tables.flatMap(({ name }) => [...storage.sql.exec(`SELECT * FROM ${name}`)]);
  return [...rows, ...storage.kv.list()].map((row) => JSON.stringify(row));
}

describe("Nothing is left", () => {
  it("of erased items, in any table, in KV or in deliveries, within a minute", async () => {
    for (const kind of ["form", "app"] as const) {
      const stored = await store(kind);
      const { key, id, markers } = stored;
      const { body: search } = await admin("POST", "/people", { text: markers[0] });
      expect(await traces(markers)).toEqual(
        expect.arrayContaining([
          "item",
          "search_entry",
          "unique_value",
          "change",
          "replay",
          "file",
          "R2",
          "person_search",
        ]),
      );
      expect((await admin("POST", `/${kind}s/${key}/items/${id}/erase`, {})).status).toBe(204);
      await admin("POST", `/people/${search.id}/delete`, {});
      await runSchedule(0.001);
      expect(await traces(markers)).toEqual([]);
      expect(await rowsInObjects(stored)).toEqual([]);
    }
  });

  it("of expired submissions", async () => {
    const stored = await store("form", { retain: { days: 1, only: "all" } });
    const { markers, path } = stored;
    await eraseExpired({ ...background(), now: () => Date.now() + 8 * day });
    expect((await integrator.get(path)).status).toBe(404);
    await runSchedule(0.001);
    expect(await traces(markers)).toEqual([]);
    expect(await rowsInObjects(stored)).toEqual([]);
  });

  it("of deleted apps and forms, after 7 days", async () => {
    const kinds = ["form", "app"] as const;
    const stored = [await store("form"), await store("app")];
    const markers = stored.flatMap((each) => each.markers);
    for (const [index, { key }] of stored.entries())
      await admin("POST", `/${kinds[index]}s/${key}/delete`, { confirm: key });
    const { keys } = await env.REPLAYS.list();
    const expirations = keys.map(({ expiration = Infinity }) => expiration * 1000);
    expect(Math.max(...expirations)).toBeLessThan(Date.now() + 2 * day);
    for (const { name } of keys) await env.REPLAYS.delete(name);
    await runSchedule(6.9);
    expect(await traces(markers)).toContain("item");
    await runSchedule(7.1);
    expect(await traces(markers)).toEqual([]);
    await runSchedule(7.7);
    expect(await placesWith(markers)).toEqual([]);
    const { results } = await dataDb.prepare("SELECT key FROM collection WHERE id < 0").all();
    expect(results).toEqual([]);
  });
});
