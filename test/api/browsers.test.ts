import { exports } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { host } from "../support/client";
import { admin, issue, makeForm, client } from "../support/service";

const shop = "https://shop.example";

async function ask(method: string, path: string, headers: Record<string, string>, body?: object) {
  const request = new Request(`${host}/api/v1${path}`, {
    method,
    headers: { "Content-Type": "application/json", ...headers },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return exports.default.fetch(request);
}

const preflight = (path: string, method = "POST", origin = shop) =>
  ask("OPTIONS", path, { Origin: origin, "Access-Control-Request-Method": method });

describe("Browsers", () => {
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
  const sent = { data: { title: "x" } };

  it("a preflight is answered for paths that there are, with their methods, and tells nobody who exists", async () => {
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
    expect((await ask("OPTIONS", "/me", {})).status).toBe(401);
  });

  it("an answer may be read by pages of the credential's origins alone", async () => {
    const path = `/forms/${form}/submissions`;
    const created = await ask("POST", path, from(shop), sent);
    expect(created.status).toBe(201);
    expect(created.headers.get("Access-Control-Allow-Origin")).toBe(shop);
    expect(created.headers.get("Access-Control-Expose-Headers")).toContain("Idempotent-Replayed");
    expect(created.headers.get("Vary")).toContain("Origin");
    const refused = await ask("GET", path, from(shop));
    expect([refused.status, refused.headers.get("Access-Control-Allow-Origin")]).toEqual([
      403,
      shop,
    ]);
    for (const origin of ["https://other.example", "http://shop.example", `${shop}:8443`, "null"]) {
      const { headers } = await ask("POST", path, from(origin), sent);
      expect([origin, headers.get("Access-Control-Allow-Origin")]).toEqual([origin, null]);
    }
    const unknown = await ask("POST", path, { Origin: shop, Authorization: "Bearer x" }, sent);
    expect(unknown.headers.get("Access-Control-Allow-Origin")).toBeNull();
  });

  it("a page is told that a limit is reached, and when to come again", async () => {
    const choice = { permissions: ["submissions:create"], origins: [shop] };
    const narrow = await issue({ ...choice, requests: 1, writes: 1 });
    const headers = { Origin: shop, Authorization: `Bearer ${narrow.token}` };
    const path = `/forms/${form}/submissions`;
    expect((await ask("POST", path, headers, sent)).status).toBe(201);
    const limited = await ask("POST", path, headers, sent);
    expect([limited.status, limited.headers.get("Access-Control-Allow-Origin")]).toEqual([
      429,
      shop,
    ]);
    expect(limited.headers.get("Access-Control-Expose-Headers")).toContain("Retry-After");
    const elsewhere = await ask("POST", path, { ...headers, Origin: "https://x.example" }, sent);
    expect(elsewhere.headers.get("Access-Control-Allow-Origin")).toBeNull();
  });

  it("an access token is for pages of the origins of its API client, and so is what is refused it", async () => {
    const issued = await issue({ kind: "client", origins: [shop] });
    const { client_id: name, client_secret: secret } = issued;
    const exchange = async (origin: string, grant = "client_credentials", by = secret) => {
      const body = new URLSearchParams({
        grant_type: grant,
        client_id: name ?? "",
        client_secret: by ?? "",
      });
      const headers = { Origin: origin };
      const request = new Request(`${host}/oauth/token`, { method: "POST", body, headers });
      const { status, headers: told } = await exports.default.fetch(request);
      return [status, told.get("Access-Control-Allow-Origin")];
    };
    expect(await exchange(shop)).toEqual([200, shop]);
    expect(await exchange(shop, "password")).toEqual([400, shop]);
    expect(await exchange(shop, "client_credentials", "wrong")).toEqual([401, null]);
    expect(await exchange("https://other.example")).toEqual([200, null]);
    const asked = { Origin: shop, "Access-Control-Request-Method": "POST" };
    const path = `${host}/oauth/token`;
    const first = await exports.default.fetch(path, { method: "OPTIONS", headers: asked });
    expect([first.status, first.headers.get("Access-Control-Allow-Methods")]).toEqual([
      204,
      "POST",
    ]);
  });

  it("without allowed origins nothing changes for browsers, and an edit holds for the next request", async () => {
    const path = `/forms/${form}/submissions`;
    const plain = await issue({ permissions: ["submissions:create"] });
    const headers = { Origin: shop, Authorization: `Bearer ${plain.token}` };
    expect(
      (await ask("POST", path, headers, sent)).headers.has("Access-Control-Allow-Origin"),
    ).toBe(false);
    await admin("POST", `/integrations/${plain.id}`, { origins: [shop] });
    expect(
      (await ask("POST", path, headers, sent)).headers.get("Access-Control-Allow-Origin"),
    ).toBe(shop);
    expect((await admin("GET", `/integrations/${plain.id}`)).body.origins).toEqual([shop]);
    await admin("POST", `/integrations/${plain.id}`, { origins: [] });
    expect(
      (await ask("POST", path, headers, sent)).headers.has("Access-Control-Allow-Origin"),
    ).toBe(false);
  });

  it("an origin is exact: https, or a developer's own machine, and nothing behind it", async () => {
    for (const origin of [
      "https://shop.example/",
      "https://*.shop.example/",
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
