import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { bytesOf, Client, host } from "../support/client";
import { newMember } from "../support/members";
import {
  account,
  admin,
  anonymous,
  client,
  everything,
  issue,
  makeForm,
  ownerCookie,
} from "../support/service";

/** Submits the page for a new credential with everything that a browser sends. Returns the credential and the next page. */
async function submitIssuePage(choices: Record<string, string>) {
  const blank = { name: "", requests: "", writes: "", origins: "", expires_on: "" };
  const fixed = { page: "issue", kind: "token", expires: "recommended", time_zone: "UTC" };
  const headers = { Cookie: await ownerCookie(), Origin: host, Accept: "text/html" };
  const response = await exports.default.fetch(`${host}/admin/integrations`, {
    method: "POST",
    headers,
    body: new URLSearchParams({ ...fixed, ...blank, ...choices }),
    redirect: "manual",
  });
  const place = response.headers.get("Location") ?? "";
  const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(";")[0]);
  const page = await exports.default.fetch(host + place, {
    headers: { ...headers, Cookie: [headers.Cookie, ...cookies].join("; ") },
  });
  const { body } = await admin("GET", place.replace("/admin", "").replace(/\/secret$/, "/access"));
  return { credential: body, text: await page.text() };
}

describe("Integrations and external data", () => {
  it("lists a credential with its permissions, and never its secret", async () => {
    const credential = await issue({
      name: "Listed",
      permissions: ["records:read"],
      resources: ["app:orders"],
    });
    await new Client(credential.token).get("/me");
    const { status, body, text } = await admin("GET", "/integrations");
    expect(status).toBe(200);
    const row = body.items.find((item: { id: string }) => item.id === credential.id);
    expect(row).toMatchObject({
      kind: "token",
      name: "Listed",
      permissions: ["records:read"],
      resources: ["app:orders"],
      limits: { requests: 100_000, writes: 100_000 },
      created_by: credential.created_by,
      expires_at: expect.stringMatching(/^20/),
      secrets: [{ first_characters: credential.token.slice(0, 30), expires_at: null }],
    });
    expect(row.last_used_at).toMatch(/^20/);
    expect(text).not.toContain(credential.token);
    const { last_24_hours: _, ...details } = row;
    expect((await admin("GET", `/integrations/${credential.id}`)).body).toMatchObject(details);
  });

  it("returns a new secret with Cache-Control: no-store", async () => {
    const answer = await admin("POST", "/integrations", {
      kind: "token",
      name: "x",
      permissions: everything,
      resources: "all",
      expires: "never",
    });
    expect([answer.status, answer.headers.get("Cache-Control")]).toEqual([201, "no-store"]);
    expect(answer.body).toMatchObject({ expires_at: null, limits: { requests: 600, writes: 120 } });
  });

  it("returns 422 without an expiry, and names every invalid field", async () => {
    const { status, body } = await admin("POST", "/integrations", {
      kind: "robot",
      permissions: ["records:fly"],
      resources: ["orders"],
      requests: 0,
      colour: "red",
    });
    expect(status).toBe(422);
    const fields = body.errors.map((error: { field: string }) => error.field);
    expect(fields).toEqual(
      expect.arrayContaining(["kind", "name", "permissions[0]", "expires", "requests", "colour"]),
    );
    const past = await admin("POST", "/integrations", {
      kind: "token",
      name: "x",
      permissions: "records:read",
      resources: "all",
      expires: "2020-01-01",
    });
    expect(past.body.errors).toMatchObject([{ field: "expires", code: "too_small" }]);
  });

  it("accepts a browser form, and shows the secret once on the next page", async () => {
    const form = new URLSearchParams([
      ["kind", "client"],
      ["name", "Shop <script>"],
      ["permissions", "records:read"],
      ["permissions", "records:write"],
      ["resources", "app:orders, form:purchase"],
      ["expires", "90d"],
    ]);
    const headers = { Cookie: await ownerCookie(), Origin: host, Accept: "text/html" };
    const response = await exports.default.fetch(`${host}/admin/integrations`, {
      method: "POST",
      headers,
      body: form,
      redirect: "manual",
    });
    expect(response.status).toBe(303);
    const secretCookies = response.headers
      .getSetCookie()
      .map((cookie) => cookie.split(";")[0] ?? "");
    expect(secretCookies.join()).not.toContain("efs_");
    const show = (cookies: readonly string[]) =>
      exports.default.fetch(`${host}${response.headers.get("Location")}`, {
        headers: { ...headers, Cookie: [headers.Cookie, ...cookies].join("; ") },
      });
    const page = await show(secretCookies);
    const text = await page.text();
    expect(text).toMatch(/efs_[0-9A-Z]{26}/);
    expect(text).toContain("Shop &lt;script&gt;");
    expect(page.headers.get("Cache-Control")).toBe("no-store");
    expect(page.headers.getSetCookie().join()).toMatch(/handed_secret=;.*Max-Age=0/);
    expect(await (await show([])).text()).not.toContain("efs_");
  });

  it("gives a website form a token that never expires, with low limits, and shows the request of a page", async () => {
    const form = await makeForm(await client());
    const { credential, text } = await submitIssuePage({
      purpose: "website_form",
      scope: "only",
      resources: `form:${form}`,
    });
    expect(credential).toMatchObject({
      kind: "token",
      name: "Website form",
      permissions: ["submissions:create"],
      limits: { requests: 60, writes: 30 },
      expires_at: null,
    });
    expect(text).toContain(`/api/v1/forms/${form}/submissions&quot;`);
    expect(text).toContain("Idempotency-Key");
    expect(text).not.toContain("mcpServers");
  });

  it("asks for the page's origin and one form for a website form, and warns while there is no origin", async () => {
    const warning = "No page can read the responses yet.";
    const page = async (query: string) =>
      (await admin("GET", `/integrations/new${query}`, undefined, { Accept: "text/html" })).text;
    const [website, other] = [await page("?purpose=website_form"), await page("?purpose=read")];
    const isOpen = (text: string) => /<details open="">\s*<summary>Browser access/.test(text);
    const isOnly = (text: string) => /name="scope" value="only" checked/.test(text);
    expect([isOpen(website), isOnly(website)]).toEqual([true, true]);
    expect([isOpen(other), isOnly(other)]).toEqual([false, false]);

    const choices = {
      purpose: "website_form",
      scope: "only",
      resources: `form:${await makeForm(await client())}`,
    };
    expect((await submitIssuePage(choices)).text).toContain(warning);
    const origins = "https://www.example.com";
    expect((await submitIssuePage({ ...choices, origins })).text).not.toContain(warning);
  });

  it("gives any other purpose 90 days and the usual limits, and shows the settings of assistants", async () => {
    const { credential, text } = await submitIssuePage({ purpose: "read", scope: "all" });
    const day = 24 * 60 * 60 * 1000;
    const lifetime = Date.parse(credential.expires_at) - Date.parse(credential.created_at);
    expect(Math.abs(lifetime - 90 * day)).toBeLessThan(10_000);
    expect(credential.limits).toEqual({ requests: 600, writes: 120 });
    expect(text).toContain("mcpServers");
  });

  it("redirects to the revoked credential after a browser form", async () => {
    const credential = await issue();
    const answer = await admin(
      "POST",
      `/integrations/${credential.id}/revoke`,
      {},
      { Accept: "text/html" },
    );
    expect([answer.status, answer.headers.get("Location")]).toEqual([
      303,
      `/admin/integrations/${credential.id}`,
    ]);
    const revokedCredential = await admin("GET", `/integrations/${credential.id}`);
    expect([revokedCredential.status, revokedCredential.body.revoked_at]).toEqual([
      200,
      expect.stringMatching(/Z$/),
    ]);
    expect((await admin("POST", `/integrations/${credential.id}/rotate`, {})).status).toBe(404);
  });

  it("says when the old secret stops working, before and after a rotation", async () => {
    const { id } = await issue();
    const page = async (path: string) =>
      (await admin("GET", path, undefined, { Accept: "text/html" })).text;
    const secrets = await page(`/integrations/${id}/secrets`);
    expect(secrets).toMatch(/<option value="24h" selected="">In 24 hours \([^)<]*\d{4}/);
    expect(secrets).not.toContain("The old token works until");
    await admin("POST", `/integrations/${id}/rotate`, { overlap: "7d" });
    expect(await page(`/integrations/${id}/secrets`)).toContain("The old token works until <time");
  });

  it("ends the old token at once when it is expired, and keeps the new one", async () => {
    const { id, token } = await issue();
    const { body } = await admin("POST", `/integrations/${id}/rotate`, { overlap: "7d" });
    const statuses = async () =>
      Promise.all(
        [token, body.token].map(async (each) => (await new Client(each).get("/me")).status),
      );
    expect(await statuses()).toEqual([200, 200]);
    const expire = () => admin("POST", `/integrations/${id}/expire`, { secret: "1" });
    expect((await expire()).status).toBe(204);
    expect(await statuses()).toEqual([401, 200]);
    expect((await admin("GET", `/integrations/${id}/secrets`)).body.items).toHaveLength(1);
    expect((await expire()).status).toBe(204);
    const audit = await admin("GET", `/audit?subject=credential:${id}`);
    expect(audit.body.items.map(({ action }: { action: string }) => action)).toEqual([
      "credential.expire_secret",
      "credential.rotate",
      "credential.issue",
    ]);
  });

  it("returns 404 for expiring the newest token, an unknown one, or one of a revoked credential", async () => {
    const { id, token } = await issue();
    const expire = async (secret: number) =>
      (await admin("POST", `/integrations/${id}/expire`, { secret })).status;
    expect([await expire(1), await expire(2)]).toEqual([404, 404]);
    expect((await new Client(token).get("/me")).status).toBe(200);
    await admin("POST", `/integrations/${id}/rotate`, { overlap: "7d" });
    await admin("POST", `/integrations/${id}/revoke`, {});
    expect(await expire(1)).toBe(404);
  });

  it("keeps every secret that concurrent rotations returned", async () => {
    const credential = await issue();
    const rotate = () => admin("POST", `/integrations/${credential.id}/rotate`, { overlap: "24h" });
    const responses = await Promise.all([rotate(), rotate()]);
    const rotations = responses.filter((answer) => answer.status === 200);
    expect(rotations.length).toBeGreaterThan(0);
    for (const { body } of rotations) {
      expect((await new Client(body.token).get("/me")).status).toBe(200);
    }
  });
});

describe("Signing in", () => {
  it("returns the same 401 for an unknown account and a wrong password", async () => {
    await ownerCookie();
    const wrongPassword = await anonymous("POST", "/admin/sign-in", {
      ...account,
      password: "wrong",
    });
    const unknownAccount = await anonymous("POST", "/admin/sign-in", {
      email: "x@forms.example",
      password: "wrong",
    });
    expect([wrongPassword.status, bytesOf(wrongPassword)]).toEqual([401, bytesOf(unknownAccount)]);
  });

  it("sets a host-only, secure cookie that scripts cannot read", async () => {
    await ownerCookie();
    const { headers } = await anonymous("POST", "/admin/sign-in", account);
    const [cookie = ""] = headers.getSetCookie();
    expect(cookie).toMatch(/^__Host-session=[\w-]{65};/);
    for (const attribute of ["HttpOnly", "Secure", "SameSite=Lax", "Path=/"])
      expect(cookie).toContain(attribute);
  });

  it("ends the session on signing out, not only the cookie", async () => {
    await ownerCookie();
    const { headers } = await anonymous("POST", "/admin/sign-in", account);
    const Cookie = headers.getSetCookie()[0]?.split(";")[0] ?? "";
    expect((await anonymous("GET", "/admin/integrations", undefined, { Cookie })).status).toBe(200);
    await anonymous("POST", "/admin/sign-out", {}, { Cookie });
    expect((await anonymous("GET", "/admin/integrations", undefined, { Cookie })).status).toBe(401);
  });

  it("returns 401 to scripts without a session, and redirects page loads to the sign-in page", async () => {
    for (const [method, path] of [
      ["GET", "/admin/integrations"],
      ["POST", "/admin/integrations"],
      ["POST", "/admin/integrations/x/revoke"],
      ["POST", "/admin/integrations/x/rotate"],
      ["POST", "/admin/integrations/x"],
    ] as const) {
      const body = method === "POST" ? {} : undefined;
      expect((await anonymous(method, path, body)).status).toBe(401);
      const page = await anonymous(method, path, body, { Accept: "text/html" });
      const location = `/admin/sign-in?to=${encodeURIComponent(path)}`;
      const expected = method === "GET" ? [303, location] : [401, null];
      expect([page.status, page.headers.get("Location")]).toEqual(expected);
    }
  });

  it.each([
    { Origin: "https://evil.example" },
    { Origin: "null" },
    { "Sec-Fetch-Site": "cross-site" },
    { "Sec-Fetch-Site": "same-site" },
  ])("returns 403 to a cross-site request: %j", async (headers) => {
    const answer = await admin("POST", "/integrations", {}, headers);
    expect(answer.status).toBe(403);
    expect(
      (await anonymous("POST", "/admin/sign-in", account, headers as Record<string, string>))
        .status,
    ).toBe(403);
  });

  it("returns 404 to a second setup and to a wrong setup secret", async () => {
    await ownerCookie();
    const owner = { email: "second@forms.example", password: "correct horse battery" };
    const secondSetup = { ...owner, secret: "set-up secret of the tests" };
    expect((await anonymous("POST", "/admin/setup", secondSetup)).status).toBe(404);
    const guess = await anonymous("POST", "/admin/setup", { ...owner, secret: "guess" });
    expect([guess.status, guess.body.code, guess.body.detail]).toEqual([
      404,
      "not_found",
      "The setup secret is wrong, or an owner exists.",
    ]);
  });

  it("returns 404 from the setup page and says that it no longer works, once an owner exists", async () => {
    await ownerCookie();
    const page = await anonymous("GET", "/admin/setup", undefined, { Accept: "text/html" });
    expect([page.status, page.text.includes("<form")]).toEqual([404, false]);
    expect(page.text).toContain("An owner exists, so this page no longer works.");
    const document = await anonymous("GET", "/admin/setup");
    expect([document.status, document.body.detail]).toEqual([
      404,
      "An owner exists, so this page no longer works. Sign in instead.",
    ]);
  });

  it("shows a browser that the setup secret is wrong or that an owner exists", async () => {
    const owner = { email: "second@forms.example", password: "correct horse battery" };
    const guess = { ...owner, secret: "guess" };
    const page = await anonymous("POST", "/admin/setup", guess, { Accept: "text/html" });
    expect(page.status).toBe(404);
    expect(page.text).toContain("The setup secret is wrong, or an owner exists already.");
    expect(page.text).not.toContain("this credential cannot see it");
  });

  it("returns 429 to repeated attempts on one account", async () => {
    // Comparing an unknown account's password takes as long as a real hash, and that of this member does not.
    const { email } = await newMember();
    const attempts = Array.from({ length: 40 }, (_, index) =>
      anonymous(
        "POST",
        "/admin/sign-in",
        { email, password: "" + index },
        { "CF-Connecting-IP": `198.51.100.${index}` },
      ),
    );
    const statuses = (await Promise.all(attempts)).map((answer) => answer.status);
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(0);
  });
});
