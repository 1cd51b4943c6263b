import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { Client, host, type Json } from "../support/client";
import { admin, ownerCookie } from "../support/service";
import { createMember, type Person } from "./people";
import { homeDb } from "../support/databases";
import { serve } from "../support/serve";

const choice = {
  kind: "token",
  name: "Mine",
  permissions: ["records:read"],
  resources: "all",
  expires: "30d",
};
const issue = (member: Person, settings: object = {}) =>
  member.send("POST", "/integrations", { ...choice, ...settings });

beforeAll(async () => {
  await ownerCookie();
});

describe("Credentials of a member", () => {
  it("returns 409 to more than 100 live credentials, even to concurrent requests", async () => {
    const person = await createMember("viewer");
    const first = await issue(person);
    await homeDb
      .prepare(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 96)
        INSERT INTO credential (id, version, kind, name, permissions, resources, requests, writes, secrets, member_id, created_at)
        SELECT 'c' || i || id, 1, kind, name, permissions, resources, requests, writes, secrets, member_id, created_at
          FROM n, credential WHERE id = ?`,
      )
      .bind(first.body.id)
      .run();
    const responses = await Promise.all(Array.from({ length: 6 }, () => issue(person)));
    expect(responses.map(({ status }) => status).toSorted()).toEqual([
      201, 201, 201, 409, 409, 409,
    ]);
    expect(responses.find(({ status }) => status === 409)?.body.detail).toMatch(/100/);
    // Revoked and expired credentials do not count.
    await person.send("POST", `/integrations/${first.body.id}/revoke`, {});
    expect((await issue(person)).status).toBe(201);
    expect((await issue(person)).status).toBe(409);
    await homeDb
      .prepare("UPDATE credential SET expires_at = 1 WHERE id = ?")
      .bind(`c1${first.body.id}`)
      .run();
    expect((await issue(person)).status).toBe(201);
    expect((await issue(await createMember("viewer"))).status).toBe(201);
    // A new expiry makes an expired one count again.
    const renew = () => person.send("POST", `/integrations/c1${first.body.id}`, { expires: "30d" });
    const refused = await renew();
    expect([refused.status, refused.body.detail]).toEqual([409, expect.stringMatching(/100/)]);
    await person.send("POST", `/integrations/c2${first.body.id}/revoke`, {});
    expect((await renew()).status).toBe(200);
    expect((await renew()).status).toBe(200);
  });

  it("ends with the member at once, however many expired ones are newer", async () => {
    const person = await createMember("viewer");
    const { id, token } = (await issue(person)).body;
    await homeDb
      .prepare(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1001)
        INSERT INTO credential (id, version, kind, name, permissions, resources, requests, writes, secrets, member_id, created_at, expires_at)
        SELECT 'Z' || i || id, 1, kind, name, permissions, resources, requests, writes, secrets, member_id, created_at, 1
          FROM n, credential WHERE id = ?`,
      )
      .bind(id)
      .run();
    const partner = new Client(token);
    expect((await partner.get("/apps")).status).toBe(200);
    await admin("POST", `/members/${person.id}`, { disabled: "true" });
    expect((await partner.get("/apps")).status).toBe(401);
  });

  it("returns 422 to limits above the defaults unless the member manages credentials", async () => {
    const fieldsOf = ({ body }: { body: Json }) => body.errors?.map((error: Json) => error.field);
    for (const role of ["viewer", "editor"]) {
      const person = await createMember(role);
      const rejection = await issue(person, { requests: 100_000, writes: 121 });
      expect([rejection.status, fieldsOf(rejection)]).toEqual([422, ["requests", "writes"]]);
      const { body } = await issue(person, { requests: 600, writes: 120 });
      expect(body.limits).toEqual({ requests: 600, writes: 120 });
      const edit = await person.send("POST", `/integrations/${body.id}`, { requests: 601 });
      expect([edit.status, fieldsOf(edit)]).toEqual([422, ["requests"]]);
      // The member's own edits keep the limits that an admin has set.
      await admin("POST", `/integrations/${body.id}`, { requests: 5000 });
      const rename = await person.send("POST", `/integrations/${body.id}`, { name: "Other" });
      expect(rename.body.limits.requests).toBe(5000);
      const rotated = await person.send("POST", `/integrations/${body.id}/rotate`, {});
      expect(rotated.status).toBe(200);
    }
    expect((await issue(await createMember("admin"), { requests: 100_000 })).status).toBe(201);
  });
});

describe("The rate limit on changes", () => {
  const sendWithLimiter = async (person: Person, method: string, path: string, limiter: object) => {
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
    const response = await serve(request, { ...env, CHANGES: limiter as RateLimit }, ctx);
    await waitOnExecutionContext(ctx);
    return response;
  };

  it("returns 429 to changes per member, but not to reads", async () => {
    const person = await createMember("editor");
    const keys: string[] = [];
    const limiter = {
      async limit({ key }: { key: string }) {
        keys.push(key);
        return { success: false };
      },
    };
    const rejection = await sendWithLimiter(person, "POST", "/integrations", limiter);
    expect([rejection.status, rejection.headers.get("Retry-After")]).toEqual([429, "60"]);
    expect((await sendWithLimiter(person, "GET", "/integrations", limiter)).status).toBe(200);
    expect(keys).toEqual([person.id]);
  });

  it("allows changes while the limiter fails", async () => {
    const brokenLimiter = { limit: () => Promise.reject(new Error("out of reach")) };
    expect(
      (await sendWithLimiter(await createMember("editor"), "POST", "/integrations", brokenLimiter))
        .status,
    ).toBe(201);
  });
});
