import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { bytesOf, Client, host } from "../support/client";
import { account, admin, anonymous, everything, issue, ownerCookie } from "../support/service";

describe("Integrations and external data", () => {
  it("lists what a credential is and may do, and never its secret", async () => {
    const issued = await issue({
      name: "Listed",
      permissions: ["records:read"],
      resources: ["app:orders"],
    });
    await new Client(issued.token).get("/me");
    const { status, body, text } = await admin("GET", "/integrations");
    expect(status).toBe(200);
    const listed = body.items.find((item: { id: string }) => item.id === issued.id);
    expect(listed).toMatchObject({
      kind: "token",
      name: "Listed",
      permissions: ["records:read"],
      resources: ["app:orders"],
      limits: { requests: 100_000, writes: 100_000 },
      created_by: issued.created_by,
      expires_at: expect.stringMatching(/^20/),
      secrets: [{ first_characters: issued.token.slice(0, 30), expires_at: null }],
    });
    expect(listed.last_used_at).toMatch(/^20/);
    expect(text).not.toContain(issued.token);
    const { last_24_hours: _, ...shown } = listed;
    expect((await admin("GET", `/integrations/${issued.id}`)).body).toMatchObject(shown);
  });

  it("an answer that shows a secret is not to be stored", async () => {
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

  it("expiry is always chosen, and everything that is wrong is named", async () => {
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

  it("takes forms as people send them, and shows the secret on a page", async () => {
    const form = new URLSearchParams([
      ["kind", "client"],
      ["name", "Shop <script>"],
      ["permissions", "records:read"],
      ["permissions", "records:write"],
      ["resources", "app:orders, form:purchase"],
      ["expires", "90d"],
    ]);
    const headers = { Cookie: await ownerCookie(), Origin: host, Accept: "text/html" };
    const issued = await exports.default.fetch(`${host}/admin/integrations`, {
      method: "POST",
      headers,
      body: form,
      redirect: "manual",
    });
    expect(issued.status).toBe(303);
    const handed = issued.headers.getSetCookie().map((cookie) => cookie.split(";")[0] ?? "");
    expect(handed.join()).not.toContain("efs_");
    const show = (cookies: readonly string[]) =>
      exports.default.fetch(`${host}${issued.headers.get("Location")}`, {
        headers: { ...headers, Cookie: [headers.Cookie, ...cookies].join("; ") },
      });
    const page = await show(handed);
    const text = await page.text();
    expect(text).toMatch(/efs_[0-9A-Z]{26}/);
    expect(text).toContain("Shop &lt;script&gt;");
    expect(page.headers.get("Cache-Control")).toBe("no-store");
    expect(page.headers.getSetCookie().join()).toMatch(/handed_secret=;.*Max-Age=0/);
    expect(await (await show([])).text()).not.toContain("efs_");
  });

  it("revoking takes a form too, and leads to what stays of it", async () => {
    const issued = await issue();
    const answer = await admin(
      "POST",
      `/integrations/${issued.id}/revoke`,
      {},
      { Accept: "text/html" },
    );
    expect([answer.status, answer.headers.get("Location")]).toEqual([
      303,
      `/admin/integrations/${issued.id}`,
    ]);
    const read = await admin("GET", `/integrations/${issued.id}`);
    expect([read.status, read.body.revoked_at]).toEqual([200, expect.stringMatching(/Z$/)]);
    expect((await admin("POST", `/integrations/${issued.id}/rotate`, {})).status).toBe(404);
  });

  it("simultaneous rotations lose no secret that was shown", async () => {
    const issued = await issue();
    const rotate = () => admin("POST", `/integrations/${issued.id}/rotate`, { overlap: "24h" });
    const answers = await Promise.all([rotate(), rotate()]);
    const shown = answers.filter((answer) => answer.status === 200);
    expect(shown.length).toBeGreaterThan(0);
    for (const { body } of shown) {
      expect((await new Client(body.token).get("/me")).status).toBe(200);
    }
  });
});

describe("Signing in", () => {
  it("answers the same for an unknown account and a wrong password", async () => {
    await ownerCookie();
    const wrong = await anonymous("POST", "/admin/sign-in", { ...account, password: "wrong" });
    const unknown = await anonymous("POST", "/admin/sign-in", {
      email: "x@forms.example",
      password: "wrong",
    });
    expect([wrong.status, bytesOf(wrong)]).toEqual([401, bytesOf(unknown)]);
  });

  it("gives a cookie that is for this host, over TLS, and out of reach of scripts", async () => {
    await ownerCookie();
    const { headers } = await anonymous("POST", "/admin/sign-in", account);
    const [cookie = ""] = headers.getSetCookie();
    expect(cookie).toMatch(/^__Host-session=[\w-]{43};/);
    for (const part of ["HttpOnly", "Secure", "SameSite=Lax", "Path=/"])
      expect(cookie).toContain(part);
  });

  it("signing out ends the session, not only the cookie", async () => {
    await ownerCookie();
    const { headers } = await anonymous("POST", "/admin/sign-in", account);
    const Cookie = headers.getSetCookie()[0]?.split(";")[0] ?? "";
    expect((await anonymous("GET", "/admin/integrations", undefined, { Cookie })).status).toBe(200);
    await anonymous("POST", "/admin/sign-out", {}, { Cookie });
    expect((await anonymous("GET", "/admin/integrations", undefined, { Cookie })).status).toBe(401);
  });

  it("without a session scripts get 401 and people the sign-in page", async () => {
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
      const to = `/admin/sign-in?to=${encodeURIComponent(path)}`;
      const expected = method === "GET" ? [303, to] : [401, null];
      expect([page.status, page.headers.get("Location")]).toEqual(expected);
    }
  });

  it.each([
    { Origin: "https://evil.example" },
    { Origin: "null" },
    { "Sec-Fetch-Site": "cross-site" },
    { "Sec-Fetch-Site": "same-site" },
  ])("a cross-site request is refused: %j", async (headers) => {
    const answer = await admin("POST", "/integrations", {}, headers);
    expect(answer.status).toBe(403);
    expect(
      (await anonymous("POST", "/admin/sign-in", account, headers as Record<string, string>))
        .status,
    ).toBe(403);
  });

  it("the first owner is made once, and with the secret only", async () => {
    await ownerCookie();
    const owner = { email: "second@forms.example", password: "correct horse battery" };
    const again = { ...owner, secret: "set-up secret of the tests" };
    expect((await anonymous("POST", "/admin/setup", again)).status).toBe(404);
    expect((await anonymous("POST", "/admin/setup", { ...owner, secret: "guess" })).status).toBe(
      404,
    );
  });

  it("attempts are limited per account", async () => {
    const attempts = Array.from({ length: 40 }, (_, index) =>
      anonymous(
        "POST",
        "/admin/sign-in",
        { email: "victim@forms.example", password: "" + index },
        { "CF-Connecting-IP": `198.51.100.${index}` },
      ),
    );
    const statuses = (await Promise.all(attempts)).map((answer) => answer.status);
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(0);
  });
});
