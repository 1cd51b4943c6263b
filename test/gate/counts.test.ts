import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { waiting } from "../../src/http/answers/news";
import { Client, type Json } from "../support/client";
import { admin, issue } from "../support/service";

// What is told in seconds need not be waited for.
Object.assign(waiting, { served: 500 });

const day = 24 * 60 * 60 * 1000;

async function counted(id: string) {
  const { items } = (await admin("GET", "/integrations?state=all")).body;
  return items.find((each: Json) => each.id === id).last_24_hours;
}

/** So many calls are in the log of the object, and stored. */
async function logged(id: string, count: number): Promise<void> {
  await expect
    .poll(
      () =>
        runInDurableObject(env.GATE.getByName(id), async (_, state) => {
          const log = await state.storage.get<{ calls: unknown[] }>("log");
          return log?.calls.length;
        }),
      { timeout: 8000 },
    )
    .toBe(count);
}

describe("How many calls there were", () => {
  it("is told to lists in full, though the object was evicted before the minute was over", async () => {
    const { id, token } = await issue();
    const caller = new Client(token);
    await caller.get("/me");
    await expect.poll(() => counted(id), { timeout: 8000 }).toEqual({ requests: 1, refusals: 0 });
    await caller.get("/me");
    await logged(id, 2);
    await evictDurableObject(env.GATE.getByName(id));
    expect(await runDurableObjectAlarm(env.GATE.getByName(id))).toBe(true);
    expect(await counted(id)).toEqual({ requests: 2, refusals: 0 });
  }, 30_000);

  it("and the calls themselves are forgotten 30 days after a revocation", async () => {
    const { id, token } = await issue();
    await new Client(token).get("/me");
    await logged(id, 1);
    await admin("POST", `/integrations/${id}/revoke`, {});
    const gate = env.GATE.getByName(id);
    await runDurableObjectAlarm(gate);
    expect((await admin("GET", `/integrations/${id}`)).body.calls).toHaveLength(1);
    const alarm = await runInDurableObject(gate, (_, state) => state.storage.getAlarm());
    expect(Math.abs((alarm ?? 0) - Date.now() - 30 * day)).toBeLessThan(day);
    await env.DB.prepare(
      "UPDATE credential SET revoked_at = revoked_at - ?1, version = version + 1 WHERE id = ?2",
    )
      .bind(31 * day, id)
      .run();
    await admin("POST", `/integrations/${id}/revoke`, {});
    await runDurableObjectAlarm(gate);
    expect((await admin("GET", `/integrations/${id}`)).body.calls).toEqual([]);
  }, 30_000);
});
