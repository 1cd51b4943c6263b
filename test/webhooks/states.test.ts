import { runDurableObjectAlarm } from "cloudflare:test";
import { beforeAll, describe, expect, it } from "vitest";
import { Client } from "../support/client";
import { homeDb } from "../support/databases";
import { admin, client, issue, makeApp } from "../support/service";
import { createWebhook, deliverNow, Receiver, webhookObject } from "./receiver";

const endedReason =
  "The credential or member that created this webhook was revoked, removed or has expired.";

describe("State of a webhook", () => {
  let integrator: Client;
  beforeAll(async () => {
    integrator = await client();
  });
  const setUp = async () => {
    const app = await makeApp(integrator);
    const maker = await issue();
    const receiver = new Receiver();
    const { id } = await createWebhook(new Client(maker.token), receiver, {
      collections: [`app:${app}`],
    });
    const path = `/webhooks/${id}`;
    const write = (title: string) => integrator.post(`/apps/${app}/records`, { data: { title } });
    return { maker, receiver, id: id as string, path, write };
  };
  const disabled = { state: "disabled", reason: endedReason, next_attempt_at: null };

  it("is disabled with the reason as soon as the maker is revoked, without any change", async () => {
    const { maker, path, id } = await setUp();
    const before = await integrator.get(path);
    expect(before.body).toMatchObject({ state: "active", reason: null });
    await admin("POST", `/integrations/${maker.id}/revoke`, {});
    const after = await integrator.get(path, { "If-None-Match": before.headers.get("ETag") ?? "" });
    expect([after.status, after.body]).toEqual([200, expect.objectContaining(disabled)]);
    const { body } = await integrator.get("/webhooks?limit=200");
    expect(body.items.find((hook: { id: string }) => hook.id === id)).toMatchObject(disabled);
    const page = (await admin("GET", `/webhooks/${id}`, undefined, { Accept: "text/html" })).text;
    expect(page).toContain(endedReason);
    expect(page).not.toContain(">Resume<");
    const overview = await admin("GET", "", undefined, { Accept: "text/html" });
    expect(overview.text).toContain(`/admin/webhooks/${id}`);
    const resumed = await integrator.patch(path, { state: "active" });
    expect(resumed.body).toMatchObject(disabled);
    const taken = await integrator.patch(
      path,
      { include: "ids", state: "active" },
      { "If-Match": resumed.headers.get("ETag") ?? "" },
    );
    expect([taken.status, taken.body.state, taken.body.reason]).toEqual([200, "active", null]);
    expect((await integrator.get(path)).body).toMatchObject({ state: "active", reason: null });
  });

  it.each([
    ["the maker has expired", "UPDATE credential SET expires_at = 1 WHERE id = ?1"],
    [
      "the member of the maker's token is removed",
      "UPDATE member SET disabled_at = 1 WHERE id = (SELECT member_id FROM credential WHERE id = ?1)",
    ],
  ])("is disabled when %s, and active once that is undone", async (_, sql) => {
    const { maker, path } = await setUp();
    await homeDb.prepare(sql).bind(maker.id).run();
    const during = await integrator.get(path);
    await homeDb.prepare("UPDATE member SET disabled_at = null").run();
    await homeDb
      .prepare("UPDATE credential SET expires_at = null WHERE id = ?")
      .bind(maker.id)
      .run();
    expect(during.body).toMatchObject(disabled);
    expect((await integrator.get(path)).body.state).toBe("active");
  });

  it("stays active when the member of a client that made it is removed", async () => {
    const { maker, path } = await setUp();
    await homeDb.prepare("UPDATE credential SET kind = 'client' WHERE id = ?").bind(maker.id).run();
    const setMember = (sql: string) =>
      homeDb.prepare(`UPDATE member SET ${sql} WHERE id = ?`).bind(maker.created_by).run();
    await setMember("disabled_at = 1");
    const { body } = await integrator.get(path);
    await setMember("disabled_at = null");
    expect(body.state).toBe("active");
  });

  it("is retrying with the last error and the next attempt until a message is accepted", async () => {
    const { receiver, path, id, write } = await setUp();
    receiver.respond = () => new Response("no", { status: 503 });
    await write("1");
    const before = Date.now();
    await deliverNow(id);
    const retrying = await integrator.get(path);
    expect(retrying.body).toMatchObject({
      state: "retrying",
      reason: null,
      last_error: "The receiver answered 503.",
      version: 1,
    });
    const nextAttemptAt = Date.parse(retrying.body.next_attempt_at);
    expect(nextAttemptAt - before).toBeGreaterThanOrEqual(10_000);
    const etag = retrying.headers.get("ETag") ?? "";
    expect((await integrator.get(path, { "If-None-Match": etag })).status).toBe(304);
    const page = await admin("GET", `/webhooks/${id}`, undefined, { Accept: "text/html" });
    expect(page.text).toContain("Retrying");
    const renamed = await integrator.patch(path, { name: "New" }, { "If-Match": etag });
    expect([renamed.status, renamed.body.state]).toEqual([200, "retrying"]);
    receiver.recover();
    await webhookObject(id).resume(id);
    await runDurableObjectAlarm(webhookObject(id));
    const after = await integrator.get(path, {
      "If-None-Match": renamed.headers.get("ETag") ?? "",
    });
    expect([after.status, after.body]).toEqual([
      200,
      expect.objectContaining({ state: "active", last_error: null, next_attempt_at: null }),
    ]);
  });

  it("is paused or active again without a retry after a pause", async () => {
    const { receiver, path, id, write } = await setUp();
    receiver.respond = () => new Response("no", { status: 503 });
    await write("1");
    await deliverNow(id);
    const shown = { last_error: null, next_attempt_at: null };
    expect((await integrator.patch(path, { state: "paused" })).body).toMatchObject({
      ...shown,
      state: "paused",
    });
    receiver.recover();
    expect((await integrator.patch(path, { state: "active" })).body).toMatchObject({
      ...shown,
      state: "active",
    });
  });
});
