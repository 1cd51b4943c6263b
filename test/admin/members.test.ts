import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { Client, type Answer, type Json } from "../support/client";
import { as, cookieOf, join, signIn } from "../support/members";
import { account, admin, anonymous, ownerCookie } from "../support/service";

describe("Members", () => {
  it("a link makes one member, once; two at once make one", async () => {
    const email = "twice@forms.example";
    const { body } = await admin("POST", "/members", { email, role: "viewer" });
    const path = new URL(body.link).pathname;
    const sent = { password: "a password of some length" };
    const answers = await Promise.all([1, 2, 3].map(() => anonymous("POST", path, sent)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 404, 404]);
    expect((await anonymous("GET", path)).status).toBe(404);
    expect((await admin("POST", "/members", { email, role: "viewer" })).status).toBe(409);
    expect((await anonymous("GET", "/admin/join/not-a-link")).status).toBe(404);
  });

  it("a link is given out again by those who could make it, and withdrawn by them alone", async () => {
    const { cookie } = await join("admin");
    const email = "high@forms.example";
    const { body } = await admin("POST", "/members", { email, role: "admin" });
    const linkFor = ({ body: { invitations } }: Answer) =>
      invitations.find((each: Json) => each.email === email).link;
    expect(linkFor(await admin("GET", "/members"))).toBe(body.link);
    expect(linkFor(await as(cookie)("GET", "/members"))).toBeUndefined();
    const withdraw = "/members/invitations/withdraw";
    const refused = await as(cookie)("POST", withdraw, { email });
    expect([refused.status, refused.body.detail]).toEqual([
      403,
      "Your role does not allow this: owners can do it.",
    ]);
    const answers = await Promise.all([1, 2].map(() => admin("POST", withdraw, { email })));
    expect(answers.map(({ status }) => status)).toEqual([204, 204]);
    expect((await anonymous("GET", new URL(body.link).pathname)).status).toBe(404);
    const { results } = await env.DB.prepare("SELECT * FROM invitation").all();
    expect(JSON.stringify(results)).not.toContain(new URL(body.link).pathname.split("/").at(-1));
  });

  it.each([
    ["/members", { email: "nobody", role: "viewer" }, "email", "Must be an e-mail address."],
    ["/webhooks", { name: "" }, "name", "Must not be empty."],
    [
      "/integrations",
      { kind: "token", name: "None", permissions: [], resources: "all", expires: "30d" },
      "permissions",
      "Must have at least one entry.",
    ],
  ])("what %s refuses is said in words", async (path, sent, field, reason) => {
    const { status, body } = await admin("POST", path, sent);
    expect([status, body.errors]).toEqual([
      422,
      expect.arrayContaining([expect.objectContaining({ field, reason })]),
    ]);
  });

  it("admins make no admins; the last owner stays", async () => {
    const { cookie } = await join("admin");
    const invite = (role: string) =>
      as(cookie)("POST", "/members", { email: `${role}@x.example`, role });
    expect((await invite("admin")).status).toBe(403);
    expect((await invite("editor")).status).toBe(201);
    const { items } = (await admin("GET", "/members")).body;
    for (const owner of items.filter(
      (each: Json) => each.role === "owner" && each.email !== account.email,
    )) {
      await admin("POST", `/members/${owner.id}`, { role: "viewer" });
    }
    const last = items.find((each: Json) => each.email === account.email);
    expect((await as(cookie)("POST", `/members/${last.id}`, { role: "viewer" })).status).toBe(403);
    expect((await admin("POST", `/members/${last.id}`, { role: "admin" })).status).toBe(409);
    expect((await admin("POST", `/members/${last.id}`, { disabled: "true" })).status).toBe(409);
  });

  it("who is removed is signed out, and its tokens end with their next request", async () => {
    const { cookie, id } = await join("editor");
    const issued = await as(cookie)("POST", "/integrations", {
      kind: "token",
      name: "Mine",
      permissions: ["submissions:read"],
      resources: "all",
      expires: "30d",
    });
    expect((await new Client(issued.body.token).get("/me")).status).toBe(200);
    await admin("POST", `/members/${id}`, { disabled: "true" });
    expect((await as(cookie)("GET", "/account")).status).toBe(401);
  });
});

describe("Sessions", () => {
  it("signing in never keeps a session that was there before: no session can be planted", async () => {
    const { email, password, cookie: planted } = await join("viewer");
    const own = cookieOf(await signIn(email, password, { Cookie: planted }));
    expect(own).not.toBe(planted);
    expect((await as(planted)("GET", "/account")).status).toBe(401);
    expect((await as(own)("GET", "/account")).status).toBe(200);
  });

  it("a cookie that is changed, cut or made up is no session; only its hash is stored", async () => {
    const { cookie } = await join("viewer");
    const id = cookie.split("=")[1] ?? "";
    const others = [
      `${cookie}x`,
      cookie.slice(0, -1),
      `__Host-session=${id.toLowerCase()}`,
      "__Host-session=",
      `session=${id}`,
    ];
    for (const other of others) expect((await as(other)("GET", "/account")).status).toBe(401);
    const { results } = await env.DB.prepare("SELECT hash FROM session").all<{ hash: string }>();
    expect(results.length).toBeGreaterThan(0);
    expect(JSON.stringify(results)).not.toContain(id);
  });

  it("signing out everywhere else ends all other sessions; a new password too", async () => {
    const { email, password, cookie: here } = await join("viewer");
    const there = cookieOf(await signIn(email, password));
    await as(here)("POST", "/account/sign-out-everywhere", {});
    expect((await as(there)("GET", "/account")).status).toBe(401);
    const elsewhere = cookieOf(await signIn(email, password));
    const changed = { current: password, password: "another password, longer" };
    expect(
      (await as(here)("POST", "/account/password", { ...changed, current: "wrong" })).status,
    ).toBe(422);
    expect((await as(here)("POST", "/account/password", changed)).status).toBe(204);
    expect((await as(elsewhere)("GET", "/account")).status).toBe(401);
    expect((await as(here)("GET", "/account")).status).toBe(200);
    expect((await signIn(email, password)).status).toBe(401);
    expect((await signIn(email, changed.password)).status).toBe(200);
  });

  it("another site cannot post with a member's cookie, nor frame a page", async () => {
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
    // What a browser sends with a form of our own page.
    const own = { "Sec-Fetch-Site": "same-origin", Origin: "null" };
    expect((await post(own)).status).not.toBe(403);
    const { headers } = await anonymous("GET", "/admin/sign-in", undefined, {
      Accept: "text/html",
    });
    expect(headers.get("X-Frame-Options")).toBe("DENY");
    expect(headers.get("Content-Security-Policy")).toContain("frame-ancestors 'none'");
    expect(headers.get("Content-Security-Policy")).not.toContain("unsafe");
  });
});
