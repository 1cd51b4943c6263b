import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { app } from "../../src/app.ts";
import { host, type Json } from "../support/client";
import { admin, ownerCookie } from "../support/service";
import { somebody, type Person } from "./people";

const choice = {
  kind: "token",
  name: "Mine",
  permissions: ["records:read"],
  resources: "all",
  expires: "30d",
};
const issue = (by: Person, rest: object = {}) =>
  by.ask("POST", "/integrations", { ...choice, ...rest });

beforeAll(async () => {
  await ownerCookie();
});

describe("A member", () => {
  it("has at most 100 live credentials, however many are asked for at once", async () => {
    const person = await somebody("viewer");
    const first = await issue(person);
    await env.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 96)
        INSERT INTO credential (id, version, kind, name, permissions, resources, requests, writes, secrets, member_id, created_at)
        SELECT 'c' || i || id, 1, kind, name, permissions, resources, requests, writes, secrets, member_id, created_at
          FROM n, credential WHERE id = ?`,
    )
      .bind(first.body.id)
      .run();
    const answers = await Promise.all(Array.from({ length: 6 }, () => issue(person)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, 409, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.body.detail).toMatch(/100/);
    // Those that ended are none.
    await person.ask("POST", `/integrations/${first.body.id}/revoke`, {});
    expect((await issue(person)).status).toBe(201);
    expect((await issue(person)).status).toBe(409);
    await env.DB.prepare("UPDATE credential SET expires_at = 1 WHERE id = ?")
      .bind(`c1${first.body.id}`)
      .run();
    expect((await issue(person)).status).toBe(201);
    expect((await issue(await somebody("viewer"))).status).toBe(201);
  });

  it("gives its tokens more than the default limits only where it manages credentials", async () => {
    const fieldsOf = ({ body }: { body: Json }) => body.errors?.map((each: Json) => each.field);
    for (const role of ["viewer", "editor"]) {
      const person = await somebody(role);
      const refused = await issue(person, { requests: 100_000, writes: 121 });
      expect([refused.status, fieldsOf(refused)]).toEqual([422, ["requests", "writes"]]);
      const { body } = await issue(person, { requests: 600, writes: 120 });
      expect(body.limits).toEqual({ requests: 600, writes: 120 });
      const raised = await person.ask("POST", `/integrations/${body.id}`, { requests: 601 });
      expect([raised.status, fieldsOf(raised)]).toEqual([422, ["requests"]]);
      // What an admin gave stays, whatever else its member changes.
      await admin("POST", `/integrations/${body.id}`, { requests: 5000 });
      const renamed = await person.ask("POST", `/integrations/${body.id}`, { name: "Other" });
      expect(renamed.body.limits.requests).toBe(5000);
      const rotated = await person.ask("POST", `/integrations/${body.id}/rotate`, {});
      expect(rotated.status).toBe(200);
    }
    expect((await issue(await somebody("admin"), { requests: 100_000 })).status).toBe(201);
  });
});

describe("What a member changes", () => {
  const asked = async (person: Person, method: string, path: string, limiter: object) => {
    const request = new Request(`${host}/admin${path}`, {
      method,
      headers: {
        Accept: "application/json",
        "Content-Type": "application/json",
        Cookie: person.cookie,
      },
      ...(method === "GET" ? {} : { body: JSON.stringify(choice) }),
    });
    const ctx = createExecutionContext();
    const response = await app.fetch(request, { ...env, CHANGES: limiter as RateLimit }, ctx);
    await waitOnExecutionContext(ctx);
    return response;
  };

  it("is limited for each member; what it looks at is not", async () => {
    const person = await somebody("editor");
    const keys: string[] = [];
    const limiter = {
      async limit({ key }: { key: string }) {
        keys.push(key);
        return { success: false };
      },
    };
    const refused = await asked(person, "POST", "/integrations", limiter);
    expect([refused.status, refused.headers.get("Retry-After")]).toEqual([429, "60"]);
    expect((await asked(person, "GET", "/integrations", limiter)).status).toBe(200);
    expect(keys).toEqual([person.id]);
  });

  it("goes on while it cannot be counted", async () => {
    const broken = { limit: () => Promise.reject(new Error("out of reach")) };
    expect((await asked(await somebody("editor"), "POST", "/integrations", broken)).status).toBe(
      201,
    );
  });
});
