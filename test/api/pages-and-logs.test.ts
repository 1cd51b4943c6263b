import { describe, expect, it, vi } from "vitest";
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { app } from "../../src/app";
import { problems } from "../../src/domain/problem/problem-catalogue";
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

  it("health tells that the service answers", async () => {
    expect((await anonymous("GET", "/health")).body).toEqual({ status: "ok" });
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
    const broken = {
      prepare: () => {
        throw new Error("a secret of the inside");
      },
    } as never;
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
