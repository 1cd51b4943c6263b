import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { beforeAll, describe, expect, it } from "vitest";
import { everyItem, type Client, type Fetch } from "../support/client";
import { admin, client, makeApp, makeForm } from "../support/service";
import { dataDb, withDataDb } from "../support/databases";
import { reportsAtOnce, serve } from "../support/serve";

/**
 * The service on a database that loses results: the next `batches` are stored, then fail. `afterLoss` runs before each
 * failure.
 */
function losingResults(): {
  fetch: Fetch;
  lose: (batches: number, afterLoss?: () => Promise<unknown>) => void;
} {
  let batchesToLose = 0;
  let runAfterLoss: (() => Promise<unknown>) | undefined;
  let hasWritten = false;
  const withLosses = <T extends D1Database | D1DatabaseSession>(database: T): T =>
    new Proxy(database, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (name === "withSession") {
          return (from: string) => withLosses((target as D1Database).withSession(from));
        }
        if (name === "batch") {
          return async (statements: D1PreparedStatement[]) => {
            const results = await target.batch(statements);
            // With several databases, reads are batches too. A repeated write writes nothing.
            hasWritten ||= results.some(({ meta }) => meta.rows_written > 0);
            if (!hasWritten) return results;
            batchesToLose -= 1;
            if (batchesToLose < 0) return results;
            await runAfterLoss?.();
            throw new Error("D1_ERROR: Network connection lost.");
          };
        }
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  const db = withLosses(dataDb);
  const fetch: Fetch = async (request) => {
    const ctx = createExecutionContext();
    const bindings = withDataDb({ TIMEOUTS: reportsAtOnce }, db);
    const response = await serve(request, bindings, ctx);
    await waitOnExecutionContext(ctx);
    return response;
  };
  return {
    fetch,
    lose: (batches, afterLoss) => {
      batchesToLose = batches;
      runAfterLoss = afterLoss;
      hasWritten = false;
    },
  };
}

describe("Writes whose result the database loses", () => {
  const { fetch, lose } = losingResults();
  let integrator: Client;
  beforeAll(async () => {
    integrator = (await client()).through(fetch);
  });

  it("retries a create and stores it once, with one receipt number and its unique value", async () => {
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
    const items = await everyItem(integrator, records);
    expect(items.map((record) => record.receipt_number)).toEqual(["000001", "000002"]);
  });

  it("returns 503 `try_again` when every retry of a create fails, and replays it for the same key", async () => {
    const path = `/forms/${await makeForm(integrator)}/submissions`;
    const headers = { "Idempotency-Key": "unanswered" };
    lose(4);
    const failed = await integrator.post(path, { data: { title: "x" } }, headers);
    expect([failed.status, failed.body.code]).toEqual([503, "try_again"]);
    expect(failed.headers.get("Retry-After")).toBe("1");
    const replay = await integrator.post(path, { data: { title: "x" } }, headers);
    expect([replay.status, replay.headers.get("Idempotent-Replayed")]).toEqual([201, "true"]);
    expect(await everyItem(integrator, path)).toHaveLength(1);
  });

  it("returns 503, not 404, for a create or batch whose form a member then deletes", async () => {
    const create = { data: { title: "x" } };
    const batch = { operations: [{ op: "create", ...create }] };
    for (const [name, body] of [
      ["submissions", create],
      ["submissions/batch", batch],
    ] as const) {
      const form = await makeForm(integrator);
      lose(1, () => admin("POST", `/forms/${form}/delete`, { confirm: form }));
      const response = await integrator.post(`/forms/${form}/${name}`, body);
      expect([name, response.status, response.body.code]).toEqual([name, 503, "try_again"]);
    }
  });

  it("returns 503 for a PATCH without retrying it", async () => {
    const path = `/apps/${await makeApp(integrator)}/records`;
    const { body } = await integrator.post(path, { data: {} });
    lose(1);
    const response = await integrator.patch(`${path}/${body.id}`, { data: { title: "x" } });
    expect(response.status).toBe(503);
    expect((await integrator.get(`${path}/${body.id}`)).body.version).toBe(2);
  });
});
