import { describe, expect, it, vi } from "vitest";
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { app } from "../../src/app.ts";
import { bounds, type Checked } from "../../src/pages/health.ts";
import { fieldErrorCodes } from "../../src/domain/problem/problem.ts";
import { problems } from "../../src/domain/problem/catalogue.ts";
import { Client } from "../support/client";
import { anonymous, client, issue, makeForm } from "../support/service";

describe("Pages", () => {
  it("every problem has a page that explains it", async () => {
    for (const [code, { title }] of Object.entries(problems)) {
      const { status, text, headers } = await anonymous("GET", `/problems/${code}`);
      expect([code, status]).toEqual([code, 200]);
      expect(headers.get("Content-Type")).toContain("text/html");
      expect(text).toMatch(/^<!doctype html><html lang="en">/);
      expect(text).toContain(title);
      expect(text).toContain(`<code>${code}</code>`);
    }
    expect((await anonymous("GET", "/problems/constructor")).status).toBe(404);
    expect((await anonymous("GET", "/problems")).text).toContain("rate_limited");
  });

  it("every code of a field stands on the page of invalid_input", async () => {
    const { text } = await anonymous("GET", "/problems/invalid_input");
    for (const code of fieldErrorCodes) expect(text).toContain(`<code>${code}</code>`);
  });

  it("health tells that the service answers", async () => {
    expect((await anonymous("GET", "/health")).body).toEqual({ status: "ok" });
  });

  it("deep health tells storage apart, asks it seldom whoever asks, and does not wait for what hangs", async () => {
    const asked: string[] = [];
    const storage = (broken: "hangs" | "fails" | "works") => ({
      ...env,
      DB: {
        prepare: (sql: string) => {
          asked.push(broken);
          if (broken === "fails") throw new Error("D1 is away");
          return broken === "hangs"
            ? { all: () => new Promise(() => undefined) }
            : env.DB.prepare(sql);
        },
      },
    });
    const ask = async (broken: "hangs" | "fails" | "works") => {
      const answer = await app.request(
        "/health?deep",
        {},
        storage(broken),
        createExecutionContext(),
      );
      return { status: answer.status, body: await answer.json<Checked>() };
    };
    const frequent = { ...bounds };
    const well = await ask("works");
    expect(well).toEqual({
      status: 200,
      body: {
        status: "ok",
        checked_at: expect.any(String),
        checks: {
          database: { status: "ok", milliseconds: expect.any(Number) },
          replays: { status: "ok", milliseconds: expect.any(Number) },
          objects: { status: "ok", milliseconds: expect.any(Number) },
        },
      },
    });
    // Whatever happens meanwhile, it is not asked again so soon.
    const flood = await Promise.all(Array.from({ length: 50 }, () => ask("fails")));
    expect([...new Set(flood.map(({ status }) => status))]).toEqual([200]);
    expect(asked).toEqual(["works"]);

    Object.assign(bounds, { keptFor: 50, patience: 100 });
    for (const broken of ["fails", "hangs"] as const) {
      await new Promise((resolve) => setTimeout(resolve, 150));
      const ill = await ask(broken);
      expect([ill.status, ill.body.checks.database.status]).toEqual([503, "failing"]);
    }
    Object.assign(bounds, frequent);
    expect((await anonymous("GET", "/health")).status).toBe(200);
  });
});

describe("Logs", () => {
  it("are one JSON line a request, without secrets or values", async () => {
    const maker = await client();
    const form = await makeForm(maker);
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

  it("a fault is logged under the id that the caller is given, who sees nothing of the inside", async () => {
    const { token } = await issue();
    const fail = () => {
      throw new Error("a secret of the inside");
    };
    const broken = { prepare: fail, withSession: fail } as never;
    const lines: string[] = [];
    const spy = vi
      .spyOn(console, "log")
      .mockImplementation((line: string) => void lines.push(line));
    const fetch = async (request: Request) =>
      app.fetch(request, { ...env, DB: broken }, createExecutionContext());
    const answer = await new Client(token, fetch).get("/forms/some/schema");
    spy.mockRestore();
    expect([answer.status, answer.body.code]).toEqual([500, "internal"]);
    expect(answer.headers.get("Content-Type")).toBe("application/problem+json");
    expect(answer.text).not.toContain("inside");
    const fault = lines.map((line) => JSON.parse(line)).find((line) => line.event === "fault");
    expect(fault.request_id).toBe(answer.body.request_id);
    expect(fault.error).toContain("a secret of the inside");
  });

  it("the document of the service is public, has a tag, and is not sent twice", async () => {
    const first = await anonymous("GET", "/openapi.json");
    expect([first.status, first.body.openapi]).toEqual([200, "3.1.0"]);
    const again = await anonymous("GET", "/openapi.json", undefined, {
      "If-None-Match": first.headers.get("ETag") ?? "",
    });
    expect([again.status, again.text]).toEqual([304, ""]);
  });
});
