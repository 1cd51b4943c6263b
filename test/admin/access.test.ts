import { env } from "cloudflare:workers";
import { createExecutionContext } from "cloudflare:test";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { app } from "../../src/app.ts";
import { account, ownerCookie } from "../support/service";

const team = "https://example.cloudflareaccess.com";
const audience = "the audience of the application";
const algorithm = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
const text = (value: object | ArrayBuffer) => {
  const bytes =
    value instanceof ArrayBuffer
      ? new Uint8Array(value)
      : new TextEncoder().encode(JSON.stringify(value));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
};

describe("Cloudflare Access in place of passwords", () => {
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

  async function token(email: string, rest: object = {}, key = keys.privateKey): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    const payload = { email, iss: team, aud: [audience], iat: now, exp: now + 60, ...rest };
    const signed = `${text({ alg: "RS256", kid: "one", typ: "JWT" })}.${text(payload)}`;
    const signature = await crypto.subtle.sign(algorithm, key, new TextEncoder().encode(signed));
    return `${signed}.${text(signature)}`;
  }

  async function ask(assertion?: string, cookie = "") {
    const bindings = {
      ...env,
      ACCESS_TEAM: team,
      ACCESS_AUDIENCE: audience,
    };
    const headers = {
      Accept: "application/json",
      ...(cookie ? { Cookie: cookie } : {}),
      ...(assertion ? { "Cf-Access-Jwt-Assertion": assertion } : {}),
    };
    const request = new Request("https://forms.example/admin/account", { headers });
    return app.fetch(request, bindings, createExecutionContext());
  }

  it("a member whom Access signed in is in, with the role that it has here", async () => {
    const answer = await ask(await token(account.email));
    expect([answer.status, (await answer.json<{ role: string }>()).role]).toEqual([200, "owner"]);
  });

  it("nobody else is: no assertion, another signature, audience or issuer, one that expired, no member; nor a password's session", async () => {
    const other = (await crypto.subtle.generateKey(
      { ...algorithm, modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) },
      true,
      ["sign", "verify"],
    )) as CryptoKeyPair;
    const assertions = [
      undefined,
      "not.a.token",
      await token(account.email, {}, other.privateKey),
      await token(account.email, { aud: ["another"] }),
      await token(account.email, { iss: "https://another.cloudflareaccess.com" }),
      await token(account.email, { exp: 1 }),
      await token("stranger@forms.example"),
    ];
    for (const assertion of assertions) expect((await ask(assertion)).status).toBe(401);
    expect((await ask(undefined, await ownerCookie())).status).toBe(401);
  });
});
