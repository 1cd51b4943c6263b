import { describe, expect, it } from "vitest";
import { Client, type Answer, type Json } from "../support/client";
import { as, cookieOf, join, newMember, signIn } from "../support/members";
import { account, admin, anonymous, ownerCookie } from "../support/service";
import { homeDb } from "../support/databases";

describe("Members", () => {
  it("creates one member per invitation link, even for concurrent requests", async () => {
    const email = "twice@forms.example";
    const { body } = await admin("POST", "/members", { email, role: "viewer" });
    const path = new URL(body.link).pathname;
    const choice = { password: "a password of some length" };
    const responses = await Promise.all([1, 2, 3].map(() => anonymous("POST", path, choice)));
    expect(responses.map(({ status }) => status).toSorted()).toEqual([201, 404, 404]);
    expect((await anonymous("GET", path)).status).toBe(404);
    expect((await admin("POST", "/members", { email, role: "viewer" })).status).toBe(409);
    expect((await anonymous("GET", "/admin/join/not-a-link")).status).toBe(404);
  });

  it("says what each role can do, and how long an invitation is valid", async () => {
    const { text } = await admin("GET", "/members", undefined, { Accept: "text/html" });
    expect(text).toMatch(/value="editor"[^>]*\/><span>Editor <small>Everything a viewer can do\./);
    expect(text).toContain("It works once and expires after 7 days.");
  });

  it("shows the link below the message after an invitation, for an address in full-width letters too", async () => {
    const headers = { Accept: "text/html", "Content-Type": "application/x-www-form-urlencoded" };
    const values = new URLSearchParams({ email: "ｓａｔｏ＠forms.example", role: "viewer" });
    const invited = await admin("POST", "/members", undefined, headers, values.toString());
    const next = (invited.headers.get("Location") ?? "").replace("/admin", "");
    const { text } = await admin("GET", next, undefined, { Accept: "text/html" });
    const main = text.slice(text.indexOf("<main"));
    const notice = main.slice(0, main.indexOf("<table"));
    expect(notice).toContain('aria-label="New link for sato@forms.example"');
    expect(notice).toContain('data-copy="new-link"');
    // Browsers reject full-width letters in inputs for addresses.
    expect(text).not.toContain('type="email"');
  });

  it("keeps the navigation on the page of an error", async () => {
    for (const path of ["/nowhere", "/forms/nowhere/items", "/audit?from=wrong"]) {
      const { status, text } = await admin("GET", path, undefined, { Accept: "text/html" });
      expect([status >= 400, text.includes('href="/admin/webhooks"')]).toEqual([true, true]);
      expect(text).toContain("Request ID <code>");
    }
    const signedOut = await anonymous("GET", "/admin/join/not-a-link", undefined, {
      Accept: "text/html",
    });
    expect(signedOut.text).not.toContain('href="/admin/webhooks"');
  });

  it("shows an invitation link, and withdraws it, only for members who can grant the role", async () => {
    const { cookie } = await newMember("admin");
    const email = "high@forms.example";
    const { body } = await admin("POST", "/members", { email, role: "admin" });
    const linkFor = ({ body: { invitations } }: Answer) =>
      invitations.find((invitation: Json) => invitation.email === email).link;
    expect(linkFor(await admin("GET", "/members"))).toBe(body.link);
    expect(linkFor(await as(cookie)("GET", "/members"))).toBeUndefined();
    const withdraw = "/members/invitations/withdraw";
    const rejection = await as(cookie)("POST", withdraw, { email });
    expect([rejection.status, rejection.body.detail]).toEqual([
      403,
      "Your role does not allow this. Owners can do it.",
    ]);
    const responses = await Promise.all([1, 2].map(() => admin("POST", withdraw, { email })));
    expect(responses.map(({ status }) => status)).toEqual([204, 204]);
    expect((await anonymous("GET", new URL(body.link).pathname)).status).toBe(404);
    const { results } = await homeDb.prepare("SELECT * FROM invitation").all();
    expect(JSON.stringify(results)).not.toContain(new URL(body.link).pathname.split("/").at(-1));
  });

  it.each([
    ["/members", { email: "nobody", role: "viewer" }, "email", "Must be an email address."],
    ["/webhooks", { name: "" }, "name", "Must not be empty."],
    [
      "/integrations",
      { kind: "token", name: "None", permissions: [], resources: "all", expires: "30d" },
      "permissions",
      "Must have at least 1 entry.",
    ],
  ])("explains the 422 of %s in words", async (path, invalidBody, field, reason) => {
    const { status, body } = await admin("POST", path, invalidBody);
    expect([status, body.errors]).toEqual([
      422,
      expect.arrayContaining([expect.objectContaining({ field, reason })]),
    ]);
  });

  it("returns 403 to admins who invite admins, and 409 to a change of the last owner", async () => {
    const { cookie } = await newMember("admin");
    const invite = (role: string) =>
      as(cookie)("POST", "/members", { email: `${role}@x.example`, role });
    expect((await invite("admin")).status).toBe(403);
    expect((await invite("editor")).status).toBe(201);
    const { items } = (await admin("GET", "/members")).body;
    for (const owner of items.filter(
      (member: Json) => member.role === "owner" && member.email !== account.email,
    )) {
      await admin("POST", `/members/${owner.id}`, { role: "viewer" });
    }
    const last = items.find((member: Json) => member.email === account.email);
    expect((await as(cookie)("POST", `/members/${last.id}`, { role: "viewer" })).status).toBe(403);
    expect((await admin("POST", `/members/${last.id}`, { role: "admin" })).status).toBe(409);
    expect((await admin("POST", `/members/${last.id}`, { disabled: "true" })).status).toBe(409);
  });

  it("signs a removed member out", async () => {
    const { cookie, id } = await newMember("editor");
    const credential = await as(cookie)("POST", "/integrations", {
      kind: "token",
      name: "Mine",
      permissions: ["submissions:read"],
      resources: "all",
      expires: "30d",
    });
    expect((await new Client(credential.body.token).get("/me")).status).toBe(200);
    await admin("POST", `/members/${id}`, { disabled: "true" });
    expect((await as(cookie)("GET", "/account")).status).toBe(401);
  });
});

describe("Sessions", () => {
  it("are new with every sign-in, so that a planted session cookie is useless", async () => {
    const { email, password, cookie: plantedCookie } = await newMember("viewer");
    const ownCookie = cookieOf(await signIn(email, password, { Cookie: plantedCookie }));
    expect(ownCookie).not.toBe(plantedCookie);
    expect((await as(plantedCookie)("GET", "/account")).status).toBe(401);
    expect((await as(ownCookie)("GET", "/account")).status).toBe(200);
  });

  it("return 401 to modified cookies, and are stored only as hashes", async () => {
    const { cookie } = await join("viewer");
    const id = cookie.split("=")[1] ?? "";
    const invalidCookies = [
      `${cookie}x`,
      cookie.slice(0, -1),
      `__Host-session=${id.toLowerCase()}`,
      "__Host-session=",
      `session=${id}`,
    ];
    for (const invalidCookie of invalidCookies)
      expect((await as(invalidCookie)("GET", "/account")).status).toBe(401);
    const { results } = await homeDb.prepare("SELECT hash FROM session").all<{ hash: string }>();
    expect(results.length).toBeGreaterThan(0);
    expect(JSON.stringify(results)).not.toContain(id);
  });

  it("end elsewhere on signing out everywhere and with a new password", async () => {
    const { email, password, cookie: firstCookie } = await newMember("viewer");
    const secondCookie = cookieOf(await signIn(email, password));
    await as(firstCookie)("POST", "/account/sign-out-everywhere", {});
    expect((await as(secondCookie)("GET", "/account")).status).toBe(401);
    const thirdCookie = cookieOf(await signIn(email, password));
    const passwords = { current: password, password: "another password, longer" };
    expect(
      (await as(firstCookie)("POST", "/account/password", { ...passwords, current: "wrong" }))
        .status,
    ).toBe(422);
    expect((await as(firstCookie)("POST", "/account/password", passwords)).status).toBe(204);
    expect((await as(thirdCookie)("GET", "/account")).status).toBe(401);
    expect((await as(firstCookie)("GET", "/account")).status).toBe(200);
    expect((await signIn(email, password)).status).toBe(401);
    expect((await signIn(email, passwords.password)).status).toBe(200);
  });

  it("return 403 to posts from other sites, and forbid framing", async () => {
    const cookie = await ownerCookie();
    const post = (headers: Record<string, string>) =>
      anonymous(
        "POST",
        "/admin/forms",
        { key: "planted", name: "x" },
        { Cookie: cookie, ...headers },
      );
    for (const headers of [
      { "Sec-Fetch-Site": "cross-site", Origin: "https://evil.example" },
      { "Sec-Fetch-Site": "same-site" },
      { Origin: "https://evil.example" },
      { Origin: "null" },
    ]) {
      expect((await post(headers)).status).toBe(403);
    }
    // The headers that a browser sends with a form of the service's own page.
    const sameOrigin = { "Sec-Fetch-Site": "same-origin", Origin: "null" };
    expect((await post(sameOrigin)).status).not.toBe(403);
    const { headers } = await anonymous("GET", "/admin/sign-in", undefined, {
      Accept: "text/html",
    });
    expect(headers.get("X-Frame-Options")).toBe("DENY");
    expect(headers.get("Content-Security-Policy")).toContain("frame-ancestors 'none'");
    expect(headers.get("Content-Security-Policy")).not.toContain("unsafe");
  });
});
