import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it, vi } from "vitest";
import type { Gate } from "../../src/gate/gate.ts";
import type { Client, Json } from "../support/client";
import { client, freshKey, makeForm } from "../support/service";
import { detachedContext } from "./execution-context";
import { copyAll, LaggingDatabase } from "./lagging-database";
import { reportsAtOnce, serve } from "../support/serve";
import { dataDb, withDataDb } from "../support/databases";

const bindings = env as unknown as Bindings & {
  REPLICA_A: D1Database;
  REPLICA_B: D1Database;
  MIGRATIONS: Parameters<typeof applyD1Migrations>[1];
};

describe("Reads from a replica", () => {
  /** Location 0 has a replica that catches up only on request. Location 1 has one without tables. */
  let lagging: LaggingDatabase;
  let versions: number[];
  let writer: Client;
  let reader: Client;
  beforeAll(async () => {
    const throughReplica = (caller: Client) => caller.through((request) => fetchAt(0, request));
    [writer, reader] = [throughReplica(await client()), throughReplica(await client())];
    await applyD1Migrations(bindings.REPLICA_A, bindings.MIGRATIONS);
    await copyAll(dataDb, bindings.REPLICA_A);
    lagging = new LaggingDatabase(dataDb, [bindings.REPLICA_A, bindings.REPLICA_B], () => 0);
  });

  async function fetchAt(
    location: number,
    request: Request,
    changeDatabase = (db: D1Database) => db,
  ) {
    const binding = lagging.bindingAt(location);
    ({ versions } = binding);
    // Isolates report writes to the object at once.
    const replaced = withDataDb({ TIMEOUTS: reportsAtOnce }, changeDatabase(binding.db));
    return serve(request, replaced, detachedContext);
  }

  const fields = [
    { key: "a", type: "text" },
    { key: "b", type: "text" },
  ];
  const noCache = { "Cache-Control": "no-cache" };

  /** Creates an item on the replica, then changes it on the primary only. */
  async function newChangedItem(): Promise<{ list: string; path: string; etag: string }> {
    const key = freshKey("near");
    await writer.put(`/forms/${key}/schema`, { fields });
    const list = `/forms/${key}/submissions`;
    const { body } = await writer.post(list, { data: { a: "old" } });
    await writer.post(list, { data: { a: "another" } });
    const path = `/submissions/${body.id}`;
    await lagging.catchUp(0);
    const { etag } = await writer.patch(path, { data: { a: "new" } });
    return { list, path, etag };
  }

  const valueOf = async (caller: Client, path: string, headers = {}): Promise<Json> => {
    const { status, body } = await caller.get(path, headers);
    return status === 200 ? body.data.a : status;
  };

  it("return the old value to others, and the new one to the writer and with no-cache", async () => {
    const { path } = await newChangedItem();
    expect(await valueOf(reader, path)).toBe("old");
    expect(await valueOf(reader, path, noCache)).toBe("new");
    expect(await valueOf(writer, path)).toBe("new");
  });

  it("never show a narrow credential what its view has just stopped to show", async () => {
    const key = freshKey("near");
    const view = { key: "shown", name: "Shown", fields: ["a", "b"] };
    await writer.put(`/forms/${key}/schema`, { fields, views: [view] });
    const list = `/forms/${key}/submissions`;
    const { body } = await writer.post(list, { data: { a: "a", b: "hidden soon" } });
    const resources = [`form:${key}/shown`];
    const partner = (await client({ resources, permissions: ["submissions:read"] })).through(
      (request) => fetchAt(0, request),
    );
    const read = async () => [
      await partner.get(`/submissions/${body.id}`),
      await partner.get(list),
      await partner.post(`${list}/search`, {}),
      await partner.get(list, { Accept: "text/csv" }),
      await partner.get(`/forms/${key}/changes`),
    ];
    await lagging.catchUp(0);
    // Issuing the credential gave the definition a new revision, not through the lagging database.
    await copyAll(dataDb, bindings.REPLICA_A);
    for (const { text } of await read()) expect(text).toContain("hidden soon");
    await writer.patch(`/forms/${key}/schema`, { views: [{ ...view, fields: ["a"] }] });
    for (const { text } of await read()) expect(text).not.toContain("hidden soon");
  });

  it("ask the primary before they return 404", async () => {
    const { list } = await newChangedItem();
    const { body } = await writer.post(list, { data: { a: "newest" } });
    expect(await valueOf(reader, `/submissions/${body.id}`)).toBe("newest");
    const missing = await reader.get("/submissions/sub_0123456789ABCDEFGHJKMNPQRS");
    expect(missing.status).toBe(404);
  });

  it("do not decide about 412 and unchanged items: the primary does", async () => {
    const { path, etag } = await newChangedItem();
    const first = await reader.patch(path, { data: { b: "x" } }, { "If-Match": etag });
    expect(first.status).toBe(200);
    const item = await newChangedItem();
    // On the replica, this PATCH would change nothing.
    const second = await reader.patch(item.path, { data: { a: "old" } });
    expect([second.status, second.body.version]).toEqual([200, 3]);
    expect(await valueOf(writer, item.path, noCache)).toBe("old");
  });

  it("follow links.next without going back to an older version", async () => {
    const { list } = await newChangedItem();
    const first = await reader.get(`${list}?limit=1`, noCache);
    const [version = 0] = versions;
    expect(first.body.items[0].data.a).toBe("new");
    const next = await reader.get(first.body.links.next);
    expect(next.body.items[0].data.a).toBe("another");
    expect(versions.at(-1)).toBeGreaterThanOrEqual(version);
  });

  it("fall back to the primary without the tables, and with an unknown bookmark", async () => {
    const { path, list } = await newChangedItem();
    const otherReader = reader.through((request) => fetchAt(1, request));
    expect(await valueOf(otherReader, path)).toBe("new");
    const first = await reader.get(`${list}?limit=1`);
    const asRestored = (db: D1Database) =>
      ({ withSession: (from: string) => restoredSession(db, from) }) as unknown as D1Database;
    const restoredReader = reader.through((request) => fetchAt(0, request, asRestored));
    const next = await restoredReader.get(first.body.links.next);
    expect([next.status, next.body.items.length]).toEqual([200, 1]);
  });

  it("ask the primary before they return 404 for a webhook that the replica shows as hidden", async () => {
    const [visible, hidden] = await Promise.all([
      makeForm(writer, fields),
      makeForm(writer, fields),
    ]);
    const limited = (await client({ resources: [`form:${visible}`] })).through((request) =>
      fetchAt(0, request),
    );
    const { body } = await writer.post("/webhooks", {
      name: "moved",
      url: "https://receiver.example/hook",
      types: ["submission.created"],
      collections: [`form:${hidden}`],
    });
    await lagging.catchUp(0);
    const path = `/webhooks/${body.id}`;
    expect((await limited.get(path)).status).toBe(404);
    await writer.patch(path, { collections: [`form:${visible}`] });
    expect((await limited.get(path)).status).toBe(200);
  });

  it("report what the primary contained after a write that nothing has reported", async () => {
    const { path } = await newChangedItem();
    const reports: Report["told"] = [];
    const afterLostReport = (await client()).through((request) => {
      const gate = afterUnreportedWrite(bindings.GATE, reports);
      const { db } = lagging.bindingAt(0);
      return serve(
        request,
        withDataDb({ TIMEOUTS: reportsAtOnce, GATE: gate }, db),
        detachedContext,
      );
    });
    // The early read of the replica is not new enough, so the primary responds.
    expect(await valueOf(afterLostReport, path)).toBe("new");
    await vi.waitFor(() => expect(reports).toHaveLength(1));
    expect(reports[0]).toMatchObject({ overdue: startOfWrite, bookmark: expect.any(String) });
  });

  it("include every write in the changes feed", async () => {
    const { list } = await newChangedItem();
    const feed = await reader.get(list.replace("submissions", "changes"));
    expect(feed.body.items.map(({ type }: Json) => type)).toEqual(
      ["created", "created"].toSorted(),
    );
    expect(feed.body.items.some(({ item }: Json) => item.data.a === "new")).toBe(true);
  });
});

type Report = Parameters<Gate["note"]>[0];
const startOfWrite = 1;

/** Admits requests as if a write of the credential had ended without a report. Collects the reports. */
function afterUnreportedWrite(gate: Bindings["GATE"], reports: Report["told"]): Bindings["GATE"] {
  const seen = { bookmark: null, untold: true, confirmed: [], overdue: startOfWrite };
  const getByName = (name: string) => {
    const stub = gate.getByName(name);
    return {
      note: (report: Report) => {
        reports.push(...report.told);
        return stub.note(report);
      },
      admit: async (...args: Parameters<typeof stub.admit>) => ({
        ...(await stub.admit(...args)),
        seen,
      }),
    };
  };
  return { getByName } as unknown as Bindings["GATE"];
}

/** A session of a restored database, which rejects older bookmarks. */
function restoredSession(db: D1Database, from: string) {
  if (from.startsWith("first-")) return db.withSession(from);
  const rejectQuery = () => Promise.reject(new Error("D1_ERROR: unknown bookmark"));
  const statement = { bind: () => statement, all: rejectQuery, raw: rejectQuery };
  return { prepare: () => statement, batch: rejectQuery, getBookmark: () => null };
}
