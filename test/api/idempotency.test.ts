import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { sweep } from "../../src/actions/sweep.ts";
import { Client, everyItem } from "../support/client";
import { accessToken } from "../support/oauth";
import { admin, client, issue, makeApp, makeForm } from "../support/service";

const key = (value: string) => ({ "Idempotency-Key": value });

describe("Idempotency-Key", () => {
  let integrator: Client;
  let form: string;
  let path: string;
  beforeAll(async () => {
    integrator = await client();
    form = await makeForm(integrator, [
      { key: "title", type: "text" },
      { key: "code", type: "text", unique: true },
    ]);
    path = `/forms/${form}/submissions`;
  });
  const post = (value: string, title = "x", by = integrator) =>
    by.post(path, { data: { title } }, key(value));

  it("works on both create routes, each with keys of its own", async () => {
    const app = await makeApp(integrator);
    const records = `/apps/${app}/records`;
    const record = await integrator.post(records, { data: { title: "x" } }, key("both"));
    const submission = await post("both");
    expect([record.status, submission.status]).toEqual([201, 201]);
    const again = await integrator.post(records, { data: { title: "x" } }, key("both"));
    expect([again.text, again.headers.get("Idempotent-Replayed")]).toEqual([record.text, "true"]);
    expect(await everyItem(integrator, records)).toHaveLength(1);
  });

  it("belongs to its credential: another one's same key is another key", async () => {
    const other = await client();
    const [mine, theirs] = [await post("shared"), await post("shared", "x", other)];
    expect(mine.body.id).not.toBe(theirs.body.id);
  });

  it("belongs to the client and not to its access token", async () => {
    const issued = await issue({ kind: "client" });
    const [one, other] = [await accessToken(issued), await accessToken(issued)];
    const first = await post("of-the-client", "x", new Client(one));
    const again = await post("of-the-client", "x", new Client(other));
    expect(again.text).toBe(first.text);
  });

  it("the same key with another body replays the first result and says so", async () => {
    const first = await post("mismatch", "one");
    const again = await post("mismatch", "two");
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect(again.headers.get("Idempotency-Key-Mismatch")).toBe("true");
    const same = await integrator.post(path, ' {"data": {"title": "one"}} ', key("mismatch"));
    expect(same.headers.has("Idempotency-Key-Mismatch")).toBe(false);
  });

  it("an invalid body under a used key replays too", async () => {
    const first = await post("then-invalid");
    const again = await integrator.post(path, { data: { zzz: 1 }, more: 1 }, key("then-invalid"));
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect((await integrator.post(path, "{", key("then-invalid"))).status).toBe(400);
  });

  it("the first success is replayed after the item has changed, been deleted, and the form closed or changed", async () => {
    const other = await makeForm(integrator);
    const there = `/forms/${other}/submissions`;
    const send = () => integrator.post(there, { data: { title: "x" } }, key("lasting"));
    const first = await send();
    const item = `/submissions/${first.body.id}`;
    await integrator.patch(item, { data: { title: "changed" } });
    expect((await send()).text).toBe(first.text);
    await integrator.delete(item);
    expect((await send()).text).toBe(first.text);
    await integrator.put(`/forms/${other}/schema`, {
      fields: [{ key: "renamed", type: "text", renamed_from: "title" }],
      acceptance: { state: "closed" },
    });
    const last = await send();
    expect([last.status, last.text, last.etag]).toEqual([201, first.text, '"1"']);
  });

  it("D1 alone replays when the cache has lost the answer", async () => {
    const first = await post("not-in-kv");
    const { keys } = await env.REPLAYS.list();
    await Promise.all(keys.map(({ name }) => env.REPLAYS.delete(name)));
    const again = await post("not-in-kv");
    expect([again.text, again.headers.get("Idempotent-Replayed")]).toEqual([first.text, "true"]);
  });

  it("failures are not remembered, so fix-and-retry works", async () => {
    const refused = await integrator.post(path, { data: { zzz: 1 } }, key("fixed"));
    expect(refused.status).toBe(422);
    const created = await post("fixed");
    expect([created.status, created.headers.has("Idempotent-Replayed")]).toEqual([201, false]);
    await integrator.post(path, { data: { code: "taken" } });
    const duplicate = await integrator.post(path, { data: { code: "taken" } }, key("after-409"));
    expect(duplicate.status).toBe(409);
    const other = await integrator.post(path, { data: { code: "free" } }, key("after-409"));
    expect(other.status).toBe(201);
  });

  it.each([
    ["", "too_short"],
    ["x".repeat(256), "too_long"],
    ["two words", "invalid_format"],
    ["naïve", "invalid_format"],
  ])("a key that is not 1 to 255 visible ASCII characters is 422: %s", async (value, code) => {
    const refused = await post(value);
    expect([refused.status, refused.body.errors[0]]).toMatchObject([
      422,
      { field: "Idempotency-Key", code },
    ]);
  });

  it("a key of 255 characters is good", async () => {
    expect((await post("x".repeat(255))).status).toBe(201);
  });

  it("a key whose 24 hours are over is a new key, also before the sweep has come by", async () => {
    const first = await post("expired");
    const { keys } = await env.REPLAYS.list();
    await Promise.all(keys.map(({ name }) => env.REPLAYS.delete(name)));
    await env.DB.prepare("UPDATE replay SET expires_at = ? WHERE item_id = ?")
      .bind(Date.now() - 1, first.body.id)
      .run();
    const second = await post("expired");
    expect(second.status).toBe(201);
    expect(second.body.id).not.toBe(first.body.id);
    expect((await post("expired")).text).toBe(second.text);
  });

  it("expired keys are swept in bounded steps, and no others", async () => {
    const kept = await post("kept");
    const rows = JSON.stringify(Array.from({ length: 2500 }, (_, i) => i));
    await env.DB.prepare(
      "INSERT INTO replay SELECT 'old' || value, '', '', 1, 1, '{}', 1 FROM json_each(?)",
    )
      .bind(rows)
      .run();
    await sweep(env.DB, Date.now());
    const { results } = await env.DB.prepare("SELECT key FROM replay WHERE key LIKE 'old%'").all();
    expect(results).toEqual([]);
    expect((await post("kept")).text).toBe(kept.text);
  });

  it("a revoked credential gets no replay", async () => {
    const issued = await issue();
    const soon = new Client(issued.token);
    await post("revoked-later", "x", soon);
    await admin("POST", `/integrations/${issued.id}/revoke`, {});
    expect((await post("revoked-later", "x", soon)).status).toBe(401);
  });
});
