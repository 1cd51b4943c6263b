import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { app } from "../../src/app.ts";
import { waiting } from "../../src/http/gate-reports.ts";
import type { Client, Json } from "../support/client";
import { client, freshKey, makeForm } from "../support/service";
import { behind } from "./behind";
import { copyAll, Lagging } from "./lagging";

const bindings = env as unknown as Bindings & {
  REPLICA_A: D1Database;
  REPLICA_B: D1Database;
  MIGRATIONS: Parameters<typeof applyD1Migrations>[1];
};

describe("Where a replica answers", () => {
  /** Beside a replica that gets nothing by itself, and beside one that has no tables. */
  let lagging: Lagging;
  let versions: number[];
  let writer: Client;
  let other: Client;
  beforeAll(async () => {
    // The object is told at once what was written.
    Object.assign(waiting, { refused: 0, served: 0 });
    const through = (by: Client) => by.through((request) => at(0, request));
    [writer, other] = [through(await client()), through(await client())];
    await applyD1Migrations(bindings.REPLICA_A, bindings.MIGRATIONS);
    await copyAll(env.DB, bindings.REPLICA_A);
    lagging = new Lagging(env.DB, [bindings.REPLICA_A, bindings.REPLICA_B], () => 0);
  });

  async function at(place: number, request: Request, change = (db: D1Database) => db) {
    const view = lagging.at(place);
    ({ versions } = view);
    return app.fetch(request, { ...env, DB: change(view.db) }, behind);
  }

  const fields = [
    { key: "a", type: "text" },
    { key: "b", type: "text" },
  ];
  const fresh = { "Cache-Control": "no-cache" };

  /** A form with an item that the replica has, and a change of it that the replica lacks. */
  async function changed(): Promise<{ list: string; path: string; etag: string }> {
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

  const valueOf = async (by: Client, path: string, headers = {}): Promise<Json> => {
    const { status, body } = await by.get(path, headers);
    return status === 200 ? body.data.a : status;
  };

  it("others may see what was, the writer sees what is, and no-cache asks the primary", async () => {
    const { path } = await changed();
    expect(await valueOf(other, path)).toBe("old");
    expect(await valueOf(other, path, fresh)).toBe("new");
    expect(await valueOf(writer, path)).toBe("new");
  });

  it("what it lacks is not missing: the primary is asked before a 404 is said", async () => {
    const { list } = await changed();
    const { body } = await writer.post(list, { data: { a: "newest" } });
    expect(await valueOf(other, `/submissions/${body.id}`)).toBe("newest");
    const missing = await other.get("/submissions/sub_0123456789ABCDEFGHJKMNPQRS");
    expect(missing.status).toBe(404);
  });

  it("a 412 and a change that changes nothing are the primary's word", async () => {
    const { path, etag } = await changed();
    const kept = await other.patch(path, { data: { b: "x" } }, { "If-Match": etag });
    expect(kept.status).toBe(200);
    const again = await changed();
    // As the replica has it, this changes nothing.
    const back = await other.patch(again.path, { data: { a: "old" } });
    expect([back.status, back.body.version]).toEqual([200, 3]);
    expect(await valueOf(writer, again.path, fresh)).toBe("old");
  });

  it("a walk never goes back, whoever walks and wherever", async () => {
    const { list } = await changed();
    const first = await other.get(`${list}?limit=1`, fresh);
    const [version = 0] = versions;
    expect(first.body.items[0].data.a).toBe("new");
    const next = await other.get(first.body.links.next);
    expect(next.body.items[0].data.a).toBe("another");
    expect(versions.at(-1)).toBeGreaterThanOrEqual(version);
  });

  it("a database behind a migration, and a bookmark that it does not know, lead to the primary", async () => {
    const { path, list } = await changed();
    const elsewhere = other.through((request) => at(1, request));
    expect(await valueOf(elsewhere, path)).toBe("new");
    const first = await other.get(`${list}?limit=1`);
    const restored = (db: D1Database) =>
      ({ withSession: (from: string) => session(db, from) }) as unknown as D1Database;
    const walking = other.through((request) => at(0, request, restored));
    const next = await walking.get(first.body.links.next);
    expect([next.status, next.body.items.length]).toEqual([200, 1]);
  });

  it("a webhook that it shows as another's is asked for at the primary before a 404 is said", async () => {
    const [seen, hidden] = await Promise.all([makeForm(writer, fields), makeForm(writer, fields)]);
    const narrow = (await client({ resources: [`form:${seen}`] })).through((request) =>
      at(0, request),
    );
    const { body } = await writer.post("/webhooks", {
      name: "moved",
      url: "https://receiver.example/hook",
      types: ["submission.created"],
      collections: [`form:${hidden}`],
    });
    await lagging.catchUp(0);
    const path = `/webhooks/${body.id}`;
    expect((await narrow.get(path)).status).toBe(404);
    await writer.patch(path, { collections: [`form:${seen}`] });
    expect((await narrow.get(path)).status).toBe(200);
  });

  it("the changes feed tells all that was written, whatever the replica has", async () => {
    const { list } = await changed();
    const feed = await other.get(list.replace("submissions", "changes"));
    expect(feed.body.items.map(({ type }: Json) => type)).toEqual(
      ["created", "created"].toSorted(),
    );
    expect(feed.body.items.some(({ item }: Json) => item.data.a === "new")).toBe(true);
  });
});

/** A session of a database that was restored, and knows no bookmark of before. */
function session(db: D1Database, from: string) {
  if (from.startsWith("first-")) return db.withSession(from);
  const unknown = () => Promise.reject(new Error("D1_ERROR: unknown bookmark"));
  const statement = { bind: () => statement, all: unknown, raw: unknown };
  return { prepare: () => statement, batch: unknown, getBookmark: () => null };
}
