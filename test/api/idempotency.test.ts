import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { sweepStorage } from "../../src/schedule.ts";
import { Client, everyItem } from "../support/client";
import { accessToken } from "../support/oauth";
import { admin, client, issue, makeApp, makeForm } from "../support/service";
import { dataDb } from "../support/databases";
import { background } from "../support/serve";

const key = (value: string) => ({ "Idempotency-Key": value });

describe("Idempotency keys", () => {
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
  const post = (value: string, title = "x", caller = integrator) =>
    caller.post(path, { data: { title } }, key(value));

  it("keep records and submissions apart", async () => {
    const app = await makeApp(integrator);
    const records = `/apps/${app}/records`;
    const record = await integrator.post(records, { data: { title: "x" } }, key("both"));
    const submission = await post("both");
    expect([record.status, submission.status]).toEqual([201, 201]);
    const replay = await integrator.post(records, { data: { title: "x" } }, key("both"));
    expect([replay.text, replay.headers.get("Idempotent-Replayed")]).toEqual([record.text, "true"]);
    expect(await everyItem(integrator, records)).toHaveLength(1);
  });

  it("keep credentials apart", async () => {
    const otherClient = await client();
    const [first, second] = [await post("shared"), await post("shared", "x", otherClient)];
    expect(first.body.id).not.toBe(second.body.id);
  });

  it("are shared by the access tokens of one API client", async () => {
    const apiClient = await issue({ kind: "client" });
    const [firstToken, secondToken] = [await accessToken(apiClient), await accessToken(apiClient)];
    const first = await post("of-the-client", "x", new Client(firstToken));
    const replay = await post("of-the-client", "x", new Client(secondToken));
    expect(replay.text).toBe(first.text);
  });

  it("replay the first result to another body, with Idempotency-Key-Mismatch", async () => {
    const first = await post("mismatch", "one");
    const replay = await post("mismatch", "two");
    expect([replay.status, replay.text]).toEqual([201, first.text]);
    expect(replay.headers.get("Idempotency-Key-Mismatch")).toBe("true");
    const sameBody = await integrator.post(path, ' {"data": {"title": "one"}} ', key("mismatch"));
    expect(sameBody.headers.has("Idempotency-Key-Mismatch")).toBe(false);
  });

  it("replay the first result to an invalid body, but return 400 to malformed JSON", async () => {
    const first = await post("then-invalid");
    const replay = await integrator.post(path, { data: { zzz: 1 }, more: 1 }, key("then-invalid"));
    expect([replay.status, replay.text]).toEqual([201, first.text]);
    expect((await integrator.post(path, "{", key("then-invalid"))).status).toBe(400);
  });

  it("replay the first success after the item is changed or deleted, and the form renamed and closed", async () => {
    const otherForm = await makeForm(integrator);
    const otherPath = `/forms/${otherForm}/submissions`;
    const send = () => integrator.post(otherPath, { data: { title: "x" } }, key("lasting"));
    const first = await send();
    const item = `/submissions/${first.body.id}`;
    await integrator.patch(item, { data: { title: "changed" } });
    expect((await send()).text).toBe(first.text);
    await integrator.delete(item);
    expect((await send()).text).toBe(first.text);
    await integrator.put(`/forms/${otherForm}/schema`, {
      fields: [{ key: "renamed", type: "text", renamed_from: "title" }],
      acceptance: { state: "closed" },
    });
    const last = await send();
    expect([last.status, last.text, last.etag]).toEqual([201, first.text, '"1"']);
  });

  it("replay from D1 when the cache has lost the response", async () => {
    const first = await post("not-in-kv");
    const { keys } = await env.REPLAYS.list();
    await Promise.all(keys.map(({ name }) => env.REPLAYS.delete(name)));
    const replay = await post("not-in-kv");
    expect([replay.text, replay.headers.get("Idempotent-Replayed")]).toEqual([first.text, "true"]);
  });

  it("accept a corrected retry after a 422 or a 409", async () => {
    const rejection = await integrator.post(path, { data: { zzz: 1 } }, key("fixed"));
    expect(rejection.status).toBe(422);
    const created = await post("fixed");
    expect([created.status, created.headers.has("Idempotent-Replayed")]).toEqual([201, false]);
    await integrator.post(path, { data: { code: "taken" } });
    const duplicate = await integrator.post(path, { data: { code: "taken" } }, key("after-409"));
    expect(duplicate.status).toBe(409);
    const retry = await integrator.post(path, { data: { code: "free" } }, key("after-409"));
    expect(retry.status).toBe(201);
  });

  it.each([
    ["", "too_short"],
    ["x".repeat(256), "too_long"],
    ["two words", "invalid_format"],
    ["naïve", "invalid_format"],
  ])("return 422 unless they have 1 to 255 visible ASCII characters: %s", async (value, code) => {
    const rejection = await post(value);
    expect([rejection.status, rejection.body.errors[0]]).toMatchObject([
      422,
      { field: "Idempotency-Key", code },
    ]);
  });

  it("may have 255 characters", async () => {
    expect((await post("x".repeat(255))).status).toBe(201);
  });

  it("are new again after 24 hours, even before the sweep", async () => {
    const first = await post("expired");
    const { keys } = await env.REPLAYS.list();
    await Promise.all(keys.map(({ name }) => env.REPLAYS.delete(name)));
    await dataDb
      .prepare("UPDATE replay SET expires_at = ? WHERE item_id = ?")
      .bind(Date.now() - 1, first.body.id)
      .run();
    const second = await post("expired");
    expect(second.status).toBe(201);
    expect(second.body.id).not.toBe(first.body.id);
    expect((await post("expired")).text).toBe(second.text);
  });

  it("are swept in bounded steps once they have expired, and no earlier", async () => {
    const unexpired = await post("kept");
    const rows = JSON.stringify(Array.from({ length: 2500 }, (_, i) => i));
    await dataDb
      .prepare("INSERT INTO replay SELECT 'old' || value, '', '', 1, 1, '{}', 1 FROM json_each(?)")
      .bind(rows)
      .run();
    await sweepStorage(background(), Date.now());
    const { results } = await dataDb.prepare("SELECT key FROM replay WHERE key LIKE 'old%'").all();
    expect(results).toEqual([]);
    expect((await post("kept")).text).toBe(unexpired.text);
  });

  it("return 401 instead of a replay to a revoked credential", async () => {
    const credential = await issue();
    const revokedClient = new Client(credential.token);
    await post("revoked-later", "x", revokedClient);
    await admin("POST", `/integrations/${credential.id}/revoke`, {});
    expect((await post("revoked-later", "x", revokedClient)).status).toBe(401);
  });
});
