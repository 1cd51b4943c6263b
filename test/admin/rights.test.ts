import { gzipSync } from "node:zlib";
import { env, exports } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { findCredential } from "../../src/store/home/credentials.ts";
import { Client, host, type Answer, type Json } from "../support/client";
import { as, cookieOf, join, newMember, signIn } from "../support/members";
import { admin, client, issue, makeForm, ownerCookie } from "../support/service";
import { databases } from "../support/databases";
import { serve } from "../support/serve";

const choice = (kind: "token" | "client", permissions: string[]) => ({
  kind,
  name: "Test",
  permissions,
  resources: "all",
  expires: "30d",
});

describe("Member changes and their credentials", () => {
  it("revokes a removed member's tokens at once and permanently", async () => {
    const person = await join("editor", "gone@forms.example");
    const credential = await as(person.cookie)(
      "POST",
      "/integrations",
      choice("token", ["schema:read"]),
    );
    const token = new Client(credential.body.token);
    expect((await token.get("/me")).status).toBe(200);
    expect((await admin("POST", `/members/${person.id}`, { disabled: "true" })).status).toBe(204);
    expect((await token.get("/me")).status).toBe(401);
    await join("editor", "gone@forms.example");
    expect((await token.get("/me")).status).toBe(401);
    await env.GATE.getByName(credential.body.id).report();
    expect((await findCredential(databases.home, credential.body.id))?.revokedAt).not.toBeNull();
  });

  it("limits a demoted member's tokens to the new role at once, but not API clients", async () => {
    const person = await newMember("admin");
    const form = await makeForm(await client());
    const permissions = ["submissions:read", "submissions:write"];
    const { body } = await as(person.cookie)("POST", "/integrations", choice("token", permissions));
    const apiClient = await as(person.cookie)(
      "POST",
      "/integrations",
      choice("client", permissions),
    );
    const token = new Client(body.token);
    expect((await token.post(`/forms/${form}/submissions`, { data: {} })).status).toBe(201);
    await admin("POST", `/members/${person.id}`, { role: "viewer" });
    expect((await token.post(`/forms/${form}/submissions`, { data: {} })).status).toBe(403);
    const viewer = await newMember("viewer");
    expect((await as(viewer.cookie)("GET", `/integrations/${apiClient.body.id}`)).status).toBe(404);
    expect((await admin("GET", `/integrations/${apiClient.body.id}`)).body.permissions).toEqual(
      permissions,
    );
  });

  it("returns 422 when a demoted admin rotates an API client with more permissions than the role", async () => {
    const person = await newMember("admin");
    const apiClient = await as(person.cookie)(
      "POST",
      "/integrations",
      choice("client", ["records:write"]),
    );
    await admin("POST", `/members/${person.id}`, { role: "viewer" });
    const send = as(cookieOf(await signIn(person.email, person.password)));
    const rotated = await send("POST", `/integrations/${apiClient.body.id}/rotate`, {});
    expect([rotated.status, rotated.text.includes("efs_")]).toEqual([422, false]);
    const revocation = await send("POST", `/integrations/${apiClient.body.id}/revoke`, {});
    expect(revocation.status).toBe(204);
  });

  it("limits an admin's edit of a viewer's token to the viewer's role", async () => {
    const person = await newMember("viewer");
    const { body } = await as(person.cookie)(
      "POST",
      "/integrations",
      choice("token", ["schema:read"]),
    );
    const token = new Client(body.token);
    await token.get("/me");
    const edit = await admin("POST", `/integrations/${body.id}`, {
      permissions: ["schema:read", "schema:write"],
    });
    expect(edit.body.permissions).toEqual(["schema:read"]);
    expect((await token.get("/me")).body.permissions).toEqual(["schema:read"]);
    expect((await token.put("/forms/mine/schema", { fields: [] })).status).toBe(403);
  });
});

describe("Changes of credentials", () => {
  it("return 409 to one of two concurrent edits, and lose nothing", async () => {
    for (let round = 0; round < 10; round += 1) {
      const { id } = await issue({ permissions: ["records:read", "records:write"] });
      const responses = await Promise.all([
        admin("POST", `/integrations/${id}`, { permissions: ["records:read"], version: 1 }),
        admin("POST", `/integrations/${id}`, { name: "Renamed", version: 1 }),
      ]);
      expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 409]);
      const { body } = await admin("GET", `/integrations/${id}`);
      const firstEditWon = responses[0]?.status === 200;
      expect([body.version, body.permissions.length, body.name]).toEqual(
        firstEditWon ? [2, 1, "Test"] : [2, 2, "Renamed"],
      );
    }
  });

  it("keep the newest state in the object when messages arrive out of order", async () => {
    const credential = await issue();
    const token = new Client(credential.token);
    await token.get("/me");
    const before = await findCredential(databases.home, credential.id);
    await admin("POST", `/integrations/${credential.id}/revoke`, {});
    expect((await token.get("/me")).status).toBe(401);
    if (before) await env.GATE.getByName(credential.id).change(before);
    expect((await token.get("/me")).status).toBe(401);
  });

  it("return 204 to a repeated revocation, and 404 to edits and rotations after it", async () => {
    const { id } = await issue();
    for (const _ of [1, 2]) {
      expect((await admin("POST", `/integrations/${id}/revoke`, {})).status).toBe(204);
    }
    expect((await admin("POST", `/integrations/${id}`, { name: "Back" })).status).toBe(404);
    expect((await admin("POST", `/integrations/${id}/rotate`, {})).status).toBe(404);
  });
});

/** Guesses until the limit is reached. A new minute in between allows thirty more guesses. */
async function guessUntilLimited(guess: (i: number) => Promise<Answer>): Promise<number> {
  let status = 0;
  for (let i = 1; i <= 65 && status !== 429; i += 1) ({ status } = await guess(i));
  return status;
}

describe("Password guesses", () => {
  beforeAll(async () => {
    await admin("GET", "/");
  });

  it("return 429 in the password form of a session too", async () => {
    const person = await newMember("viewer");
    const guess = (i: number) =>
      as(person.cookie)("POST", "/account/password", {
        current: `guess ${i}`,
        password: "another password",
      });
    expect((await guess(0)).status).toBe(422);
    expect(await guessUntilLimited(guess)).toBe(429);
  }, 60_000);

  it("do not block sign-in from an address that the member has used before", async () => {
    const person = await newMember("viewer");
    const addressHeader = (address: string) => ({ "CF-Connecting-IP": address });
    await signIn(person.email, person.password, addressHeader("192.0.2.1"));
    const guess = (i: number) => signIn(person.email, "wrong", addressHeader(`198.51.100.${i}`));
    expect(await guessUntilLimited(guess)).toBe(429);
    expect((await signIn(person.email, person.password, addressHeader("192.0.2.1"))).status).toBe(
      200,
    );
  }, 60_000);
});

describe("Untrusted request data", () => {
  it("stores the caller's request ID next to the service's own", async () => {
    const form = await makeForm(await client());
    const headers = { "X-Request-Id": "mine-1" };
    const answer = await admin("POST", `/forms/${form}/items`, { data: {} }, headers);
    const requestId = answer.headers.get("X-Request-Id");
    expect(requestId).toMatch(/^[\da-f-]{36}$/);
    const { body } = await admin("GET", "/audit?action=submission.create");
    expect(body.items[0]).toMatchObject({ request_id: requestId, sent_request_id: "mine-1" });
  });

  it("ignores the Host header in links when an origin is configured", async () => {
    const request = new Request(
      `${host.replace("forms.", "evil.")}/.well-known/oauth-authorization-server`,
    );
    const response = await exports.default.fetch(request);
    expect(((await response.json()) as Json).issuer).toBe("https://evil.example");
    const configuredResponse = await serve(request, { ORIGIN: "https://forms.example/x" });
    expect(((await configuredResponse.json()) as Json).issuer).toBe("https://forms.example");
  });

  it("returns 422 to an invalid date or position in the audit filter", async () => {
    for (const query of ["from=garbage", "until=2026-02-30", "before=x"]) {
      expect([query, (await admin("GET", `/audit?${query}`)).status]).toEqual([query, 422]);
    }
  });

  it.each(["null", "[]", "1", '"x"', "true", ""])(
    "returns a 4xx from the administration to the body %s",
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
        `/integrations/${id}/expire`,
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

  it("returns 400 invalid_request from /oauth/token to other charsets and long bodies", async () => {
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
    const utf16 = await send(bytes, `${form}; charset=utf-16`);
    expect([utf16.status, ((await utf16.json()) as Json).error]).toEqual([400, "invalid_request"]);
    const longBody = await send("a=".padEnd(20_000, "x"), form);
    expect([longBody.status, ((await longBody.json()) as Json).error]).toEqual([
      400,
      "invalid_request",
    ]);
  });

  it("refuses compressed bodies with 415 in the administration area and with 400 invalid_request at /oauth/token", async () => {
    const type = "application/x-www-form-urlencoded";
    const cookie = await ownerCookie();
    for (const path of ["/admin/sign-in", "/admin/preferences"]) {
      for (const [coding, body] of [
        ["gzip", gzipSync("grant_type=client_credentials")],
        ["br", "grant_type=client_credentials"],
      ] as const) {
        const headers = {
          Accept: "application/json",
          Cookie: cookie,
          Origin: host,
          "Content-Type": type,
          "Content-Encoding": coding,
        };
        const request = new Request(host + path, { method: "POST", body, headers });
        const answer = await exports.default.fetch(request);
        const { code } = (await answer.json()) as Json;
        expect([path, coding, answer.status, code]).toEqual([
          path,
          coding,
          415,
          "unsupported_media_type",
        ]);
        expect(answer.headers.get("Accept-Encoding")).toBe("identity");
      }
    }
    const headers = { "Content-Type": type, "Content-Encoding": " Identity " };
    const compressed = new Request(`${host}/oauth/token`, {
      method: "POST",
      body: gzipSync("grant_type=client_credentials"),
      headers: { "Content-Type": type, "Content-Encoding": "gzip" },
    });
    const refusal = await exports.default.fetch(compressed);
    expect([refusal.status, ((await refusal.json()) as Json).error]).toEqual([
      400,
      "invalid_request",
    ]);
    const plain = new Request(`${host}/oauth/token`, { method: "POST", body: "a=b", headers });
    expect((await exports.default.fetch(plain)).status).toBe(401);
  });
});

async function adminRaw(path: string, body: string): Promise<Answer> {
  return admin("POST", path, undefined, {}, body);
}
