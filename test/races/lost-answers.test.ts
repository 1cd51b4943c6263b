import { env } from "cloudflare:workers";
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { beforeAll, describe, expect, it } from "vitest";
import { app } from "../../src/app.ts";
import { everyItem, type Client, type Fetch } from "../support/client";
import { client, makeApp, makeForm } from "../support/service";

/** The service on a database whose answers to the next `losing` batches are lost after they were stored. */
function losing(): { fetch: Fetch; lose: (batches: number) => void } {
  let left = 0;
  const losingOn = <T extends D1Database | D1DatabaseSession>(database: T): T =>
    new Proxy(database, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (name === "withSession") {
          return (from: string) => losingOn((target as D1Database).withSession(from));
        }
        if (name === "batch") {
          return async (statements: D1PreparedStatement[]) => {
            const results = await target.batch(statements);
            left -= 1;
            if (left >= 0) throw new Error("D1_ERROR: Network connection lost.");
            return results;
          };
        }
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  const db = losingOn(env.DB);
  const fetch: Fetch = async (request) => {
    const ctx = createExecutionContext();
    const response = await app.fetch(request, { ...env, DB: db }, ctx);
    await waitOnExecutionContext(ctx);
    return response;
  };
  return { fetch, lose: (batches) => (left = batches) };
}

describe("When the database's answer is lost after it has stored", () => {
  const { fetch, lose } = losing();
  let integrator: Client;
  beforeAll(async () => {
    integrator = (await client()).through(fetch);
  });

  it("a create is sent again and stored once, with one receipt number and its unique value", async () => {
    const records = `/apps/${await makeApp(integrator, [{ key: "u", type: "text", unique: true }])}/records`;
    for (const headers of [undefined, { "Idempotency-Key": "lost" }]) {
      lose(2);
      const created = await integrator.post(
        records,
        { data: { u: `${headers ? 1 : 2}` } },
        headers,
      );
      expect(created.status).toBe(201);
      expect(created.headers.has("Idempotent-Replayed")).toBe(false);
    }
    const listed = await everyItem(integrator, records);
    expect(listed.map((record) => record.receipt_number)).toEqual(["000001", "000002"]);
  });

  it("a create that stays unanswered is 503; sent again with its key it is there once", async () => {
    const path = `/forms/${await makeForm(integrator)}/submissions`;
    const headers = { "Idempotency-Key": "unanswered" };
    lose(4);
    const failed = await integrator.post(path, { data: { title: "x" } }, headers);
    expect([failed.status, failed.body.code]).toEqual([503, "try_again"]);
    expect(failed.headers.get("Retry-After")).toBe("1");
    const again = await integrator.post(path, { data: { title: "x" } }, headers);
    expect([again.status, again.headers.get("Idempotent-Replayed")]).toEqual([201, "true"]);
    expect(await everyItem(integrator, path)).toHaveLength(1);
  });

  it("a PATCH is not blindly sent again: 503, for the caller to look", async () => {
    const path = `/apps/${await makeApp(integrator)}/records`;
    const { body } = await integrator.post(path, { data: {} });
    lose(1);
    const answer = await integrator.patch(`${path}/${body.id}`, { data: { title: "x" } });
    expect(answer.status).toBe(503);
    expect((await integrator.get(`${path}/${body.id}`)).body.version).toBe(2);
  });
});
