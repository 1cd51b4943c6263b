import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { app } from "../../src/app.ts";
import { bodyPatience } from "../../src/http/body.ts";
import { Client, answerOf, host, type Answer } from "../support/client";
import { admin, client, freshKey, issue, makeForm, ownerCookie } from "../support/service";
import { somebody } from "./people";

/** A request whose body stops after its first bytes, until `finish` sends the rest. */
function held(
  method: string,
  path: string,
  body: object | string,
  headers: Record<string, string>,
): { answer: Promise<Answer>; finish: () => Promise<void> } {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const bytes = new TextEncoder().encode(text);
  const sent = { "Content-Type": "application/json", Accept: "application/json", ...headers };
  const request = new Request(host + path, { method, headers: sent, body: readable });
  const answer = exports.default.fetch(request).then(answerOf);
  const begun = writer.write(bytes.slice(0, 10));
  const finish = async () => {
    await begun;
    await writer.write(bytes.slice(10));
    await writer.close();
  };
  // Whoever was refused already takes no more.
  return { answer, finish: () => finish().catch(() => undefined) };
}

const pause = () => scheduler.wait(300);
const backDoor = {
  kind: "client",
  name: "Back door",
  permissions: ["records:read"],
  resources: "all",
  expires: "never",
};

beforeAll(async () => {
  await ownerCookie();
});

describe("Rights are asked for once the whole body is here", () => {
  it("a member who is removed while its request is under way changes nothing any more", async () => {
    const email = `${freshKey("guest")}@forms.example`;
    const acts = [
      ["/admin/integrations", backDoor],
      ["/admin/members", { email, role: "editor" }],
    ] as const;
    for (const [path, body] of acts) {
      const person = await somebody("admin");
      const { answer, finish } = held("POST", path, body, { Cookie: person.cookie });
      await pause();
      expect((await admin("POST", `/members/${person.id}`, { disabled: "true" })).status).toBe(204);
      await finish();
      expect([path, (await answer).status]).toEqual([path, 401]);
    }
    const { items, invitations } = (await admin("GET", "/members")).body;
    expect(JSON.stringify([items, invitations])).not.toContain(email);
    expect((await admin("GET", "/integrations")).text).not.toContain("Back door");
  });

  it("a credential that is revoked while its request is under way stores nothing any more", async () => {
    const form = await makeForm(await client());
    const issued = await issue();
    const path = `/api/v1/forms/${form}/submissions`;
    const headers = { Authorization: `Bearer ${issued.token}` };
    const { answer, finish } = held("POST", path, { data: { title: "late" } }, headers);
    await pause();
    expect((await admin("POST", `/integrations/${issued.id}/revoke`, {})).status).toBe(204);
    await finish();
    expect((await answer).status).toBe(401);
    const { body } = await (await client()).get(`/forms/${form}/submissions`);
    expect(body.items).toEqual([]);
  });

  it("what is wrong with a body is told after all that stands before it, as ever", async () => {
    const form = await makeForm(await client());
    const path = `/forms/${form}/submissions`;
    const large = JSON.stringify({ data: { title: "x".repeat(1024 * 1024) } });
    const status = async (by: Client, at: string, headers = {}) =>
      (await by.send("POST", at, large, headers)).status;
    expect(await status(new Client("efp_unknown"), path)).toBe(401);
    expect(await status(await client({ permissions: ["records:read"] }), path)).toBe(403);
    expect(await status(await client(), "/forms/not_there/submissions")).toBe(404);
    const once = await client({ requests: 1 });
    expect(await status(once, path)).toBe(413);
    expect(await status(once, path)).toBe(429);
    const chunked = held("POST", `/api/v1${path}`, large, {
      Authorization: `Bearer ${(await client()).bearer}`,
    });
    await chunked.finish();
    expect((await chunked.answer).status).toBe(413);
  });

  it("a bearer that is none is refused before anything of its body is waited for", async () => {
    const form = await makeForm(await client());
    const headers = { Authorization: "Bearer efp_unknown" };
    const { answer, finish } = held("POST", `/api/v1/forms/${form}/submissions`, {}, headers);
    expect((await answer).status).toBe(401);
    await finish();
  });
});

describe("A body that does not arrive", () => {
  const { milliseconds } = bodyPatience;
  afterEach(() => {
    bodyPatience.milliseconds = milliseconds;
  });

  it("is given up after a while, in the API, the area and the token endpoint", async () => {
    bodyPatience.milliseconds = 100;
    const integrator = await client();
    const form = await makeForm(integrator);
    const waiting = [
      held("POST", `/api/v1/forms/${form}/submissions`, "{}", {
        Authorization: `Bearer ${integrator.bearer}`,
      }),
      held("POST", "/admin/integrations", "{}", { Cookie: await ownerCookie() }),
      held("POST", "/admin/sign-in", "{}", {}),
      held("POST", "/oauth/token", "grant_type=x", {
        "Content-Type": "application/x-www-form-urlencoded",
      }),
    ];
    for (const { answer } of waiting) expect((await answer).status).toBe(400);
  });
});

describe("A member who is removed while its act is under way", () => {
  const acts: [method: string, path: (id: string) => string, body: object][] = [
    ["POST", () => "/integrations", backDoor],
    ["POST", (id) => `/integrations/${id}`, { name: "Renamed" }],
    ["POST", (id) => `/integrations/${id}/rotate`, {}],
    ["POST", (id) => `/integrations/${id}/revoke`, {}],
    ["POST", () => "/members", { email: "late@forms.example", role: "editor" }],
  ];

  it.each(acts)("%s %s: is refused by the batch itself, and nothing is stored", async (...row) => {
    const [method, path, body] = row;
    const person = await somebody("admin");
    const { id } = await issue({ name: "Before" });
    const before = await counts();
    const request = new Request(`${host}/admin${path(id)}`, {
      method,
      headers: {
        Accept: "application/json",
        "Content-Type": "application/json",
        Cookie: person.cookie,
      },
      body: JSON.stringify(body),
    });
    const ctx = createExecutionContext();
    const response = await app.fetch(request, { ...env, DB: removing(person.id) }, ctx);
    await waitOnExecutionContext(ctx);
    expect(response.status).toBe(401);
    expect(await counts()).toEqual(before);
    expect((await admin("GET", `/integrations/${id}`)).body).toMatchObject({
      version: 1,
      name: "Before",
    });
  });

  it("nor changes another member", async () => {
    const [person, other] = [await somebody("admin"), await somebody("viewer")];
    const request = new Request(`${host}/admin/members/${other.id}`, {
      method: "POST",
      headers: {
        Accept: "application/json",
        "Content-Type": "application/json",
        Cookie: person.cookie,
      },
      body: JSON.stringify({ role: "editor" }),
    });
    const ctx = createExecutionContext();
    const response = await app.fetch(request, { ...env, DB: removing(person.id) }, ctx);
    await waitOnExecutionContext(ctx);
    expect(response.status).toBe(401);
    expect((await other.ask("GET", "/account")).body.role).toBe("viewer");
  });
});

/** A database that removes this member before each batch. */
function removing(memberId: string): D1Database {
  const remove = "UPDATE member SET disabled_at = 1, version = version + 1 WHERE id = ?";
  return new Proxy(env.DB, {
    get(db, name) {
      if (name === "batch") {
        return async (statements: D1PreparedStatement[]) => {
          await db.prepare(remove).bind(memberId).run();
          return db.batch(statements);
        };
      }
      const value: unknown = Reflect.get(db, name);
      return typeof value === "function" ? value.bind(db) : value;
    },
  });
}

const counts = () =>
  env.DB.prepare(
    `SELECT (SELECT count(*) FROM credential) credentials, (SELECT count(*) FROM invitation) invitations,
      (SELECT count(*) FROM audit_entry) acts`,
  ).first();
