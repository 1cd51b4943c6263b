import { describe, expect, it, vi } from "vitest";
import { env } from "cloudflare:workers";
import { createExecutionContext } from "cloudflare:test";
import type { HealthReport } from "../../src/http/health.ts";
import { fieldErrorCodes } from "../../src/domain/problem/field-errors.ts";
import { problems } from "../../src/domain/problem/catalogue.ts";
import { Client, codes, host } from "../support/client";
import { anonymous, client, issue, makeForm } from "../support/service";
import { databases, homeDb, withEveryDb } from "../support/databases";
import { serve, serviceWith } from "../support/serve";
import { app } from "../../src/app.ts";

describe("The root of the service", () => {
  it("redirects browsers to the administration, and names its addresses to programs", async () => {
    const page = await anonymous("GET", "/", undefined, { Accept: "text/html,*/*;q=0.8" });
    expect([page.status, page.headers.get("Location")]).toEqual([302, "/admin"]);
    const { status, body } = await anonymous("GET", "/", undefined, { Accept: "*/*" });
    expect([status, body]).toEqual([
      200,
      {
        name: "Edge Forms",
        api: `${host}/api/v1`,
        openapi: `${host}/openapi.json`,
        docs: `${host}/docs/contents`,
        administration: `${host}/admin`,
      },
    ]);
    const posted = await anonymous("POST", "/", {});
    expect([posted.status, posted.headers.get("Allow")]).toEqual([405, "GET, HEAD"]);
  });
});

describe("Problem and health pages", () => {
  it("explain every problem code", async () => {
    for (const [code, { title }] of Object.entries(problems)) {
      const { status, text, headers } = await anonymous("GET", `/problems/${code}`);
      expect([code, status]).toEqual([code, 200]);
      expect(headers.get("Content-Type")).toContain("text/html");
      expect(text).toMatch(/^<!doctype html><html lang="en">/);
      expect(text).toContain(title);
      expect(text).toContain(`<code>${code}</code>`);
    }
    expect((await anonymous("GET", "/problems/constructor")).status).toBe(404);
    expect((await anonymous("POST", "/problems/constructor", {})).status).toBe(404);
    const posted = await anonymous("POST", "/problems/not_found", {});
    expect([posted.status, posted.headers.get("Allow")]).toEqual([405, "GET, HEAD"]);
    expect((await anonymous("GET", "/problems")).text).toContain("rate_limited");
  });

  it("list every field error code on the page of invalid_input", async () => {
    const { text } = await anonymous("GET", "/problems/invalid_input");
    for (const code of fieldErrorCodes) expect(text).toContain(`<code>${code}</code>`);
  });

  it("return status ok from /health", async () => {
    expect((await anonymous("GET", "/health")).body).toEqual({ status: "ok" });
  });

  it.each([
    ["/health", '"deep"'],
    ["/openapi.json", '"version"'],
    ["/.well-known/oauth-authorization-server", "none"],
    ["/.well-known/oauth-protected-resource/mcp", "none"],
  ])("return 422 unknown_parameter to unknown parameters of %s", async (path, allowed) => {
    const answer = await anonymous("GET", `${path}?zz=1`);
    expect([answer.status, codes(answer)]).toEqual([422, { zz: "unknown_parameter" }]);
    expect(answer.body.errors[0].reason).toContain(allowed);
    expect((await anonymous("HEAD", `${path}?zz=1`)).status).toBe(422);
    expect((await anonymous("GET", path)).status).toBe(200);
  });

  it("report each storage from /health?deep, cache the result, and time out when storage hangs", async () => {
    const queries: string[] = [];
    const storage = (state: "hangs" | "fails" | "works") =>
      ({
        prepare: (sql: string) => {
          queries.push(state);
          if (state === "fails") throw new Error("D1 is away");
          return state === "hangs"
            ? { all: () => new Promise(() => undefined) }
            : homeDb.prepare(sql);
        },
      }) as unknown as D1Database;
    let timeouts = {};
    const check = async (state: "hangs" | "fails" | "works") => {
      const request = new Request(`${host}/health?deep`);
      const answer = await serve(request, { DB: storage(state), TIMEOUTS: timeouts });
      return { status: answer.status, body: await answer.json<HealthReport>() };
    };
    const healthy = await check("works");
    expect(healthy).toEqual({
      status: 200,
      body: {
        status: "ok",
        checked_at: expect.any(String),
        checks: {
          database: { status: "ok", milliseconds: expect.any(Number) },
          replays: { status: "ok", milliseconds: expect.any(Number) },
          files: { status: "ok", milliseconds: expect.any(Number) },
          objects: { status: "ok", milliseconds: expect.any(Number) },
        },
        databases: {
          DB: { status: "ok", percent_full: 0 },
          ...(databases.singleDatabase ? {} : { DATA_01: { status: "ok", percent_full: 0 } }),
        },
        warnings: [],
      },
    });
    // The cached report answers repeated requests, even though storage fails now.
    const repeats = await Promise.all(Array.from({ length: 50 }, () => check("fails")));
    expect([...new Set(repeats.map(({ status }) => status))]).toEqual([200]);
    // Only the first request read the size of the database and the placements.
    expect(queries).toEqual(["works", "works"]);

    timeouts = { healthCacheMs: 50, healthMs: 100 };
    for (const state of ["fails", "hangs"] as const) {
      await new Promise((resolve) => setTimeout(resolve, 150));
      const unhealthy = await check(state);
      expect([unhealthy.status, unhealthy.body.checks.database.status]).toEqual([503, "failing"]);
    }
    expect((await anonymous("GET", "/health")).status).toBe(200);
  });
});

describe("A service that is not set up", () => {
  const withoutSecrets = { TOKEN_SECRET: "", SETUP_SECRET: "" };
  // Like a local database before its first migration.
  const failure = Promise.reject(new Error("D1_ERROR: no such table: member: SQLITE_ERROR"));
  failure.catch(() => undefined);
  const prepared = { bind: () => prepared, all: () => failure, raw: () => failure };
  const emptyDatabase = { prepare: () => prepared, batch: () => failure };
  const withoutTables = { DB: { ...emptyDatabase, withSession: () => emptyDatabase } as never };

  it.each([
    ["secrets", "/admin/sign-in", withoutSecrets, "it lacks the secrets TOKEN_SECRET"],
    ["secrets", "/", withoutSecrets, "it lacks the secrets TOKEN_SECRET"],
    ["secrets", "/api/v1/me", withoutSecrets, "it lacks the secrets TOKEN_SECRET"],
    ["tables", "/admin/sign-in", withoutTables, "its database lacks tables"],
    ["tables", "/admin/setup", withoutTables, "its database lacks tables"],
  ])("returns 503 with the missing %s and the command to %s", async (_, path, replaced, reason) => {
    const lines: string[] = [];
    vi.spyOn(console, "error").mockImplementation((line) => void lines.push(String(line)));
    const service = serviceWith(replaced);
    const request = new Request(`${host}${path}`, { headers: { Accept: "text/html" } });
    const answer = await app.fetch(request, service, createExecutionContext());
    await app.fetch(request, service, createExecutionContext());
    vi.restoreAllMocks();
    expect([answer.status, answer.headers.get("Retry-After")]).toEqual([503, "60"]);
    const text = await answer.text();
    expect(text).toContain(reason);
    expect(text).toContain("npm run dev");
    expect(lines.filter((line) => line.includes("not_set_up"))).toHaveLength(1);
  });

  it.each([
    ["secrets", withoutSecrets, "it lacks the secrets TOKEN_SECRET"],
    ["tables", withoutTables, "its database lacks tables"],
  ])("returns 503 with the missing %s from /health?deep", async (_, replaced, reason) => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const request = new Request(`${host}/health?deep`);
    const answer = await app.fetch(request, serviceWith(replaced), createExecutionContext());
    vi.restoreAllMocks();
    expect(answer.status).toBe(503);
    const report = await answer.json<HealthReport>();
    expect(report.status).toBe("failing");
    expect(report.reason).toContain(reason);
  });
});

describe("Logs", () => {
  it("contain one JSON line per request, without secrets or values", async () => {
    const integrator = await client();
    const form = await makeForm(integrator);
    const { id, token } = await issue();
    const lines: string[] = [];
    const spy = vi
      .spyOn(console, "log")
      .mockImplementation((line: string) => void lines.push(line));
    const created = await new Client(token).post(`/forms/${form}/submissions`, {
      data: { title: "a private value" },
    });
    spy.mockRestore();
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      {
        event: "request",
        request_id: created.headers.get("X-Request-Id"),
        method: "POST",
        route: "/api/v1/forms/:key/submissions",
        status: 201,
        milliseconds: expect.any(Number),
        credential: id,
      },
    ]);
    expect(lines.join()).not.toContain(token);
    expect(lines.join()).not.toContain("private");
  });

  it("contain the error under the request ID that the caller gets in the 500", async () => {
    const { token } = await issue();
    const fail = () => {
      throw new Error("a secret of the inside");
    };
    const brokenDatabase = { prepare: fail, withSession: fail } as never;
    const lines: string[] = [];
    const spy = vi
      .spyOn(console, "log")
      .mockImplementation((line: string) => void lines.push(line));
    const fetch = async (request: Request) =>
      serve(
        request,
        withEveryDb(env, () => brokenDatabase),
        createExecutionContext(),
      );
    const answer = await new Client(token, fetch).get("/forms/some/schema");
    spy.mockRestore();
    expect([answer.status, answer.body.code]).toEqual([500, "internal"]);
    expect(answer.headers.get("Content-Type")).toBe("application/problem+json");
    expect(answer.text).not.toContain("inside");
    const events = lines.map((line) => JSON.parse(line));
    const entry = events.find((line) => line.event === "error");
    expect(events.find((line) => line.event === "fault")).toEqual({ ...entry, event: "fault" });
    expect(entry.request_id).toBe(answer.body.request_id);
    expect(entry.error).toContain("a secret of the inside");
  });

  it("the public OpenAPI document returns 304 to its ETag", async () => {
    const first = await anonymous("GET", "/openapi.json");
    expect([first.status, first.body.openapi]).toEqual([200, "3.1.0"]);
    const notModified = await anonymous("GET", "/openapi.json", undefined, {
      "If-None-Match": first.headers.get("ETag") ?? "",
    });
    expect([notModified.status, notModified.text]).toEqual([304, ""]);
  });
});
