import { env } from "cloudflare:workers";
import { createExecutionContext } from "cloudflare:test";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { deleteMembers } from "../faults/world";
import { answerOf, host, type Json } from "../support/client";
import { homeDb } from "../support/databases";
import { account, admin, anonymous, freshKey, ownerCookie } from "../support/service";
import { serve } from "../support/serve";

const team = "https://example.cloudflareaccess.com";
const audience = "the audience of the application";
const algorithm = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
const base64Url = (value: object | ArrayBuffer) => {
  const bytes =
    value instanceof ArrayBuffer
      ? new Uint8Array(value)
      : new TextEncoder().encode(JSON.stringify(value));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
};

describe("Sign-in with Cloudflare Access", () => {
  let keys: CryptoKeyPair;
  beforeAll(async () => {
    await ownerCookie();
    const parameters = {
      ...algorithm,
      modulusLength: 2048,
      publicExponent: new Uint8Array([1, 0, 1]),
    };
    keys = (await crypto.subtle.generateKey(parameters, true, ["sign", "verify"])) as CryptoKeyPair;
    const jwk = await crypto.subtle.exportKey("jwk", keys.publicKey);
    vi.spyOn(globalThis, "fetch").mockImplementation(async () =>
      Response.json({ keys: [Object.assign({ kid: "one", use: "sig" }, jwk)] }),
    );
  });

  async function token(email: string, claims: object = {}, key = keys.privateKey): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    const payload = { email, iss: team, aud: [audience], iat: now, exp: now + 60, ...claims };
    const signingInput = `${base64Url({ alg: "RS256", kid: "one", typ: "JWT" })}.${base64Url(payload)}`;
    const signature = await crypto.subtle.sign(
      algorithm,
      key,
      new TextEncoder().encode(signingInput),
    );
    return `${signingInput}.${base64Url(signature)}`;
  }

  async function fetchAccount(
    assertion?: string,
    cookie = "",
    access = { ACCESS_TEAM: team, ACCESS_AUDIENCE: audience },
    accept = "application/json",
  ) {
    const bindings = { ...env, ...access };
    const headers = {
      Accept: accept,
      ...(cookie ? { Cookie: cookie } : {}),
      ...(assertion ? { "Cf-Access-Jwt-Assertion": assertion } : {}),
    };
    const request = new Request("https://forms.example/admin/account", { headers });
    return serve(request, bindings, createExecutionContext());
  }

  it("signs in a member with a valid assertion, with the role of the member", async () => {
    const answer = await fetchAccount(await token(account.email));
    expect([answer.status, (await answer.json<{ role: string }>()).role]).toEqual([200, "owner"]);
  });

  it("returns 401 to missing, forged, foreign and expired assertions, to non-members and to password sessions", async () => {
    const otherKeys = (await crypto.subtle.generateKey(
      { ...algorithm, modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) },
      true,
      ["sign", "verify"],
    )) as CryptoKeyPair;
    const assertions = [
      undefined,
      "not.a.token",
      await token(account.email, {}, otherKeys.privateKey),
      await token(account.email, { aud: ["another"] }),
      await token(account.email, { iss: "https://another.cloudflareaccess.com" }),
      await token(account.email, { exp: 1 }),
      await token("stranger@forms.example"),
    ];
    for (const assertion of assertions) expect((await fetchAccount(assertion)).status).toBe(401);
    expect((await fetchAccount(undefined, await ownerCookie())).status).toBe(401);
  });

  it.each([
    ["ACCESS_AUDIENCE", { ACCESS_TEAM: team, ACCESS_AUDIENCE: "" }],
    ["ACCESS_AUDIENCE", { ACCESS_TEAM: team, ACCESS_AUDIENCE: " " }],
    ["ACCESS_TEAM", { ACCESS_TEAM: "", ACCESS_AUDIENCE: audience }],
    ["ACCESS_TEAM", { ACCESS_TEAM: "example.cloudflareaccess.com", ACCESS_AUDIENCE: audience }],
  ])(
    "returns 401 to everybody and names %s, in the log too, while the settings are %o",
    async (name, access) => {
      const log = vi.spyOn(console, "log").mockImplementation(() => undefined);
      const assertion = await token(account.email);
      const [document, page] = [
        await fetchAccount(assertion, await ownerCookie(), access),
        await fetchAccount(assertion, "", access, "text/html"),
      ];
      const { detail } = await document.json<{ detail: string }>();
      expect([document.status, page.status]).toEqual([401, 401]);
      expect(detail).toContain(name);
      expect(await page.text()).toContain(detail);
      const logged = log.mock.calls.map(([line]) => String(line));
      expect(logged.filter((line) => line.includes('"misconfigured"')).join()).toContain(name);
      log.mockRestore();
    },
  );

  describe("without passwords", () => {
    // Hashing with these settings fails, so a request that succeeds hashed nothing.
    const bindings = {
      ...env,
      ACCESS_TEAM: team,
      ACCESS_AUDIENCE: audience,
      PASSWORD_COST: { N: 3, r: 1, p: 1 },
    };
    async function send(method: string, path: string, body?: object, assertion = "") {
      const request = new Request(host + path, {
        method,
        redirect: "manual",
        headers: {
          Accept: body ? "application/json" : "text/html",
          "Content-Type": "application/json",
          "Cf-Access-Jwt-Assertion": assertion,
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      return answerOf(await serve(request, bindings, createExecutionContext()));
    }
    const passwordInput = 'name="password"';

    it("creates an invited member without hashing, who signs in with Access and never with a password", async () => {
      const email = `${freshKey("guest")}@forms.example`;
      const invited = await admin("POST", "/members", { email, role: "editor" });
      const path = new URL(invited.body.link).pathname;
      const page = await send("GET", path);
      expect([page.status, page.text.includes(passwordInput)]).toEqual([200, false]);
      expect((await send("POST", path, { name: "Mia" })).status).toBe(201);
      const response = await fetchAccount(await token(email));
      expect([response.status, (await response.json<{ role: string }>()).role]).toEqual([
        200,
        "editor",
      ]);
      const { results } = await homeDb
        .prepare("select password from member where email = ?")
        .bind(email)
        .all();
      expect(results).toEqual([{ password: "" }]);
      for (const password of ["a", account.password, "$", "scrypt$16$1$1$$"])
        expect((await anonymous("POST", "/admin/sign-in", { email, password })).status).toBe(401);
    });

    it("lets a member without a password set one with a reset link after Access is switched off", async () => {
      const email = `${freshKey("guest")}@forms.example`;
      const invited = await admin("POST", "/members", { email, role: "viewer" });
      await send("POST", new URL(invited.body.link).pathname, { name: "Mia" });
      const { items } = (await admin("GET", "/members")).body;
      const { id } = items.find((member: Json) => member.email === email);
      const { link } = (await admin("POST", `/members/${id}/reset`)).body;
      const password = "a password of some length";
      await anonymous("POST", new URL(link).pathname, { password });
      expect((await anonymous("POST", "/admin/sign-in", { email, password })).status).toBe(200);
    });

    it("returns 401 to a sign-in with a password without hashing, and its page asks for none", async () => {
      expect((await send("POST", "/admin/sign-in", account)).status).toBe(401);
      const page = await send("GET", "/admin/sign-in");
      expect([page.status, page.text.includes(passwordInput)]).toEqual([200, false]);
    });

    it("creates the first owner without hashing", async () => {
      const owner = { secret: "set-up secret of the tests", email: "first@forms.example" };
      await deleteMembers();
      const page = await send("GET", "/admin/setup");
      expect([page.status, page.text.includes(passwordInput)]).toEqual([200, false]);
      expect((await send("POST", "/admin/setup", owner)).status).toBe(201);
      const response = await fetchAccount(await token(owner.email));
      expect([response.status, (await response.json<{ role: string }>()).role]).toEqual([
        200,
        "owner",
      ]);
    });
  });
});
