import { env, exports } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { findCredential } from "../../src/store/home/credentials.ts";
import { Client, host, type Answer, type Json } from "../support/client";
import { as, cookieOf, join, signIn } from "../support/members";
import { admin, client, issue, makeForm } from "../support/service";

const choice = (kind: "token" | "client", permissions: string[]) => ({
  kind,
  name: "Test",
  permissions,
  resources: "all",
  expires: "30d",
});

describe("Changes of members reach the credentials that they made, before they are answered", () => {
  it("a removed member's tokens end at once, and joining again revives none of them", async () => {
    const person = await join("editor", "gone@forms.example");
    const issued = await as(person.cookie)(
      "POST",
      "/integrations",
      choice("token", ["schema:read"]),
    );
    const token = new Client(issued.body.token);
    expect((await token.get("/me")).status).toBe(200);
    expect((await admin("POST", `/members/${person.id}`, { disabled: "true" })).status).toBe(204);
    expect((await token.get("/me")).status).toBe(401);
    await join("editor", "gone@forms.example");
    expect((await token.get("/me")).status).toBe(401);
    await env.GATE.getByName(issued.body.id).report();
    expect((await findCredential(env.DB, issued.body.id))?.revokedAt).not.toBeNull();
  });

  it("a demoted member's tokens lose what the role lost, at once; API clients stay as they are", async () => {
    const person = await join("admin");
    const form = await makeForm(await client());
    const all = ["submissions:read", "submissions:write"];
    const { body } = await as(person.cookie)("POST", "/integrations", choice("token", all));
    const made = await as(person.cookie)("POST", "/integrations", choice("client", all));
    const token = new Client(body.token);
    expect((await token.post(`/forms/${form}/submissions`, { data: {} })).status).toBe(201);
    await admin("POST", `/members/${person.id}`, { role: "viewer" });
    expect((await token.post(`/forms/${form}/submissions`, { data: {} })).status).toBe(403);
    const other = await join("viewer");
    expect((await as(other.cookie)("GET", `/integrations/${made.body.id}`)).status).toBe(404);
    expect((await admin("GET", `/integrations/${made.body.id}`)).body.permissions).toEqual(all);
  });

  it("whoever may not issue a credential may not rotate it: a demoted admin's client keeps its secret", async () => {
    const person = await join("admin");
    const made = await as(person.cookie)(
      "POST",
      "/integrations",
      choice("client", ["records:write"]),
    );
    await admin("POST", `/members/${person.id}`, { role: "viewer" });
    const act = as(cookieOf(await signIn(person.email, person.password)));
    const rotated = await act("POST", `/integrations/${made.body.id}/rotate`, {});
    expect([rotated.status, rotated.text.includes("efs_")]).toEqual([422, false]);
    const revoked = await act("POST", `/integrations/${made.body.id}/revoke`, {});
    expect(revoked.status).toBe(204);
  });

  it("an admin's edit of a viewer's token gives it no more than the viewer's role", async () => {
    const person = await join("viewer");
    const { body } = await as(person.cookie)(
      "POST",
      "/integrations",
      choice("token", ["schema:read"]),
    );
    const token = new Client(body.token);
    await token.get("/me");
    const edited = await admin("POST", `/integrations/${body.id}`, {
      permissions: ["schema:read", "schema:write"],
    });
    expect(edited.body.permissions).toEqual(["schema:read"]);
    expect((await token.get("/me")).body.permissions).toEqual(["schema:read"]);
    expect((await token.put("/forms/mine/schema", { fields: [] })).status).toBe(403);
  });
});

describe("Changes of credentials", () => {
  it("of two edits at once one is told, and nothing that it would have lost comes back", async () => {
    for (let round = 0; round < 10; round += 1) {
      const { id } = await issue({ permissions: ["records:read", "records:write"] });
      const answers = await Promise.all([
        admin("POST", `/integrations/${id}`, { permissions: ["records:read"], version: 1 }),
        admin("POST", `/integrations/${id}`, { name: "Renamed", version: 1 }),
      ]);
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
      const { body } = await admin("GET", `/integrations/${id}`);
      const narrowed = answers[0]?.status === 200;
      expect([body.version, body.permissions.length, body.name]).toEqual(
        narrowed ? [2, 1, "Test"] : [2, 2, "Renamed"],
      );
    }
  });

  it("an object takes the newest state, in whatever order messages arrive", async () => {
    const issued = await issue();
    const token = new Client(issued.token);
    await token.get("/me");
    const before = await findCredential(env.DB, issued.id);
    await admin("POST", `/integrations/${issued.id}/revoke`, {});
    expect((await token.get("/me")).status).toBe(401);
    if (before) await env.GATE.getByName(issued.id).change(before);
    expect((await token.get("/me")).status).toBe(401);
  });

  it("revoking again is done again, and no revoked credential is edited or rotated", async () => {
    const { id } = await issue();
    for (const _ of [1, 2]) {
      expect((await admin("POST", `/integrations/${id}/revoke`, {})).status).toBe(204);
    }
    expect((await admin("POST", `/integrations/${id}`, { name: "Back" })).status).toBe(404);
    expect((await admin("POST", `/integrations/${id}/rotate`, {})).status).toBe(404);
  });
});

/** Guesses until one is refused; a minute may end in between, which gives thirty more. */
async function untilRefused(guess: (i: number) => Promise<Answer>): Promise<number> {
  let status = 0;
  for (let i = 1; i <= 65 && status !== 429; i += 1) ({ status } = await guess(i));
  return status;
}

describe("Guesses", () => {
  beforeAll(async () => {
    await admin("GET", "/");
  });

  it("of a member's own password are limited too", async () => {
    const person = await join("viewer");
    const guess = (i: number) =>
      as(person.cookie)("POST", "/account/password", {
        current: `guess ${i}`,
        password: "another password",
      });
    expect((await guess(0)).status).toBe(422);
    expect(await untilRefused(guess)).toBe(429);
  }, 60_000);

  it("made elsewhere do not lock an account out where its owner signed in before", async () => {
    const person = await join("viewer");
    const from = (address: string) => ({ "CF-Connecting-IP": address });
    await signIn(person.email, person.password, from("192.0.2.1"));
    const guess = (i: number) => signIn(person.email, "wrong", from(`198.51.100.${i}`));
    expect(await untilRefused(guess)).toBe(429);
    expect((await signIn(person.email, person.password, from("192.0.2.1"))).status).toBe(200);
  }, 60_000);
});

describe("What callers choose decides nothing", () => {
  it("a request id that is sent is kept beside our own", async () => {
    const form = await makeForm(await client());
    const sent = { "X-Request-Id": "mine-1" };
    const answer = await admin("POST", `/forms/${form}/items`, { data: {} }, sent);
    const own = answer.headers.get("X-Request-Id");
    expect(own).toMatch(/^[\da-f-]{36}$/);
    const { body } = await admin("GET", "/audit?action=submission.create");
    expect(body.items[0]).toMatchObject({ request_id: own, sent_request_id: "mine-1" });
  });

  it("the Host header makes no link where an origin is configured", async () => {
    const request = new Request(
      `${host.replace("forms.", "evil.")}/.well-known/oauth-authorization-server`,
    );
    const asked = await exports.default.fetch(request);
    expect(((await asked.json()) as Json).issuer).toBe("https://evil.example");
    const { app } = await import("../../src/app.ts");
    const configured = await app.request(
      request,
      {},
      { ...env, ORIGIN: "https://forms.example/x" },
    );
    expect(((await configured.json()) as Json).issuer).toBe("https://forms.example");
  });

  it("an unreadable day in the audit's filter is 422, and so is a place that is none", async () => {
    for (const query of ["from=garbage", "until=2026-02-30", "before=x"]) {
      expect([query, (await admin("GET", `/audit?${query}`)).status]).toEqual([query, 422]);
    }
  });

  it.each(["null", "[]", "1", '"x"', "true", ""])(
    "the administration answers a body of %s with what is wrong",
    async (body) => {
      const { id } = await issue();
      const form = await makeForm(await client());
      for (const path of [
        "/sign-in",
        "/setup",
        "/account/password",
        "/integrations",
        `/integrations/${id}`,
        `/integrations/${id}/rotate`,
        "/members",
        "/members/nobody",
        "/forms",
        `/forms/${form}/settings`,
        `/forms/${form}/fields`,
        `/forms/${form}/items`,
        `/forms/${form}/items/selected`,
        `/forms/${form}/items/sub_x`,
        "/join/x",
      ]) {
        const answer = await adminRaw(path, body);
        expect([path, answer.status < 500 && answer.status >= 400]).toEqual([path, true]);
      }
    },
  );

  it("/oauth/token answers other charsets and long bodies with an error of its own", async () => {
    const form = "application/x-www-form-urlencoded";
    const send = (body: BodyInit, type: string) =>
      exports.default.fetch(
        new Request(`${host}/oauth/token`, {
          method: "POST",
          body,
          headers: { "Content-Type": type },
        }),
      );
    const bytes = new Uint8Array([0xff, 0xfe, 0x67, 0x00, 0x3d, 0x00]);
    const other = await send(bytes, `${form}; charset=utf-16`);
    expect([other.status, ((await other.json()) as Json).error]).toEqual([400, "invalid_request"]);
    const long = await send("a=".padEnd(20_000, "x"), form);
    expect([long.status, ((await long.json()) as Json).error]).toEqual([400, "invalid_request"]);
  });
});

async function adminRaw(path: string, body: string): Promise<Answer> {
  return admin("POST", path, undefined, {}, body);
}
