import { exports } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { host } from "../support/client";
import { admin, issue, makeForm, client } from "../support/service";

const shop = "https://shop.example";

async function send(method: string, path: string, headers: Record<string, string>, body?: object) {
  const request = new Request(`${host}/api/v1${path}`, {
    method,
    headers: { "Content-Type": "application/json", ...headers },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return exports.default.fetch(request);
}

const preflight = (path: string, method = "POST", origin = shop) =>
  send("OPTIONS", path, { Origin: origin, "Access-Control-Request-Method": method });

describe("Cross-origin requests", () => {
  let form: string;
  let token: string;
  let id: string;
  beforeAll(async () => {
    form = await makeForm(await client());
    const choice = {
      permissions: ["submissions:create"],
      resources: [`form:${form}`],
      origins: [shop],
    };
    ({ token, id } = await issue(choice));
  });
  const from = (origin: string) => ({ Origin: origin, Authorization: `Bearer ${token}` });
  const submission = { data: { title: "x" } };

  it("returns 204 with the path's methods to a preflight, without checking that the form exists", async () => {
    for (const path of [`/forms/${form}/submissions`, "/forms/nowhere/submissions"]) {
      const answer = await preflight(path, "POST", "https://anybody.example");
      expect(answer.status).toBe(204);
      expect(answer.headers.get("Access-Control-Allow-Origin")).toBe("https://anybody.example");
      expect(answer.headers.get("Access-Control-Allow-Methods")).toBe("GET, POST");
      expect(answer.headers.get("Access-Control-Allow-Headers")).toContain("Idempotency-Key");
      expect(answer.headers.get("Access-Control-Allow-Headers")).toContain("Cache-Control");
    }
    const batch = await preflight("/apps/orders/records/batch");
    expect(batch.headers.get("Access-Control-Allow-Methods")).toBe("POST");
    expect((await preflight("/nothing")).status).toBe(401);
    expect((await send("OPTIONS", "/me", {})).status).toBe(401);
  });

  it("sends Access-Control-Allow-Origin only to the origins of the credential, with errors too", async () => {
    const path = `/forms/${form}/submissions`;
    const created = await send("POST", path, from(shop), submission);
    expect(created.status).toBe(201);
    expect(created.headers.get("Access-Control-Allow-Origin")).toBe(shop);
    expect(created.headers.get("Access-Control-Expose-Headers")).toContain("Idempotent-Replayed");
    expect(created.headers.get("Vary")).toContain("Origin");
    const rejection = await send("GET", path, from(shop));
    expect([rejection.status, rejection.headers.get("Access-Control-Allow-Origin")]).toEqual([
      403,
      shop,
    ]);
    for (const origin of ["https://other.example", "http://shop.example", `${shop}:8443`, "null"]) {
      const { headers } = await send("POST", path, from(origin), submission);
      expect([origin, headers.get("Access-Control-Allow-Origin")]).toEqual([origin, null]);
    }
    const unauthenticated = await send(
      "POST",
      path,
      { Origin: shop, Authorization: "Bearer x" },
      submission,
    );
    expect(unauthenticated.headers.get("Access-Control-Allow-Origin")).toBeNull();
  });

  it("returns 429 with Retry-After to browsers when the limit is reached", async () => {
    const choice = { permissions: ["submissions:create"], origins: [shop] };
    const limitedToken = await issue({ ...choice, requests: 1, writes: 1 });
    const headers = { Origin: shop, Authorization: `Bearer ${limitedToken.token}` };
    const path = `/forms/${form}/submissions`;
    expect((await send("POST", path, headers, submission)).status).toBe(201);
    const limitedResponse = await send("POST", path, headers, submission);
    expect([
      limitedResponse.status,
      limitedResponse.headers.get("Access-Control-Allow-Origin"),
    ]).toEqual([429, shop]);
    expect(limitedResponse.headers.get("Access-Control-Expose-Headers")).toContain("Retry-After");
    const otherOrigin = await send(
      "POST",
      path,
      { ...headers, Origin: "https://x.example" },
      submission,
    );
    expect(otherOrigin.headers.get("Access-Control-Allow-Origin")).toBeNull();
  });

  it("allows the API client's origins at /oauth/token, for errors too unless the secret is wrong", async () => {
    const apiClient = await issue({ kind: "client", origins: [shop] });
    const { client_id: name, client_secret: secret } = apiClient;
    const exchange = async (
      origin: string,
      grant = "client_credentials",
      clientSecret = secret,
    ) => {
      const body = new URLSearchParams({
        grant_type: grant,
        client_id: name ?? "",
        client_secret: clientSecret ?? "",
      });
      const headers = { Origin: origin };
      const request = new Request(`${host}/oauth/token`, { method: "POST", body, headers });
      const { status, headers: responseHeaders } = await exports.default.fetch(request);
      return [status, responseHeaders.get("Access-Control-Allow-Origin")];
    };
    expect(await exchange(shop)).toEqual([200, shop]);
    expect(await exchange(shop, "password")).toEqual([400, shop]);
    expect(await exchange(shop, "client_credentials", "wrong")).toEqual([401, null]);
    expect(await exchange("https://other.example")).toEqual([200, null]);
    const preflightHeaders = { Origin: shop, "Access-Control-Request-Method": "POST" };
    const path = `${host}/oauth/token`;
    const first = await exports.default.fetch(path, {
      method: "OPTIONS",
      headers: preflightHeaders,
    });
    expect([first.status, first.headers.get("Access-Control-Allow-Methods")]).toEqual([
      204,
      "POST",
    ]);
  });

  it("sends no CORS headers without allowed origins, and applies an edit to the next request", async () => {
    const path = `/forms/${form}/submissions`;
    const plainToken = await issue({ permissions: ["submissions:create"] });
    const headers = { Origin: shop, Authorization: `Bearer ${plainToken.token}` };
    expect(
      (await send("POST", path, headers, submission)).headers.has("Access-Control-Allow-Origin"),
    ).toBe(false);
    await admin("POST", `/integrations/${plainToken.id}`, { origins: [shop] });
    expect(
      (await send("POST", path, headers, submission)).headers.get("Access-Control-Allow-Origin"),
    ).toBe(shop);
    expect((await admin("GET", `/integrations/${plainToken.id}`)).body.origins).toEqual([shop]);
    await admin("POST", `/integrations/${plainToken.id}`, { origins: [] });
    expect(
      (await send("POST", path, headers, submission)).headers.has("Access-Control-Allow-Origin"),
    ).toBe(false);
  });

  it("accepts exact https and localhost origins, and rejects every other with 422", async () => {
    for (const origin of [
      "https://shop.example/",
      "https://*.shop.example/",
      "https://*.shop.example",
      "*",
      "http://shop.example",
      "https://SHOP.example",
      "shop.example",
      "https://u@shop.example",
    ]) {
      const { status, body } = await admin("POST", `/integrations/${id}`, { origins: [origin] });
      expect([origin, status, body.errors?.[0]?.field]).toEqual([origin, 422, "origins[0]"]);
    }
    for (const origin of ["https://shop.example:8443", "http://localhost:5173"]) {
      expect((await admin("POST", `/integrations/${id}`, { origins: [origin] })).status).toBe(200);
    }
  });
});
