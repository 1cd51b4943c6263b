import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { Client, type Answer, type Json } from "../support/client";
import { account, admin, anonymous, client, makeForm, ownerCookie } from "../support/service";

const password = "a password of some length";

/** A member with a session of its own, joined by a link as anybody would. */
async function join(role: string): Promise<{ cookie: string; email: string; id: string }> {
  const email = `${role}-${crypto.randomUUID().slice(0, 8)}@forms.example`;
  const { body } = await admin("POST", "/members", { email, role });
  if (!body.link) throw new Error(JSON.stringify(body));
  await anonymous("POST", new URL(body.link).pathname, { password });
  const listed = (await admin("GET", "/members")).body.items as Json[];
  return { email, cookie: await signIn(email), id: listed.find((each) => each.email === email).id };
}

async function signIn(email: string, secret = password, headers = {}): Promise<string> {
  const answer = await anonymous("POST", "/admin/sign-in", { email, password: secret }, headers);
  return answer.headers.getSetCookie()[0]?.split(";")[0] ?? "";
}

const as =
  (cookie: string) =>
  (method: string, path: string, body?: object): Promise<Answer> =>
    anonymous(method, `/admin${path}`, body, { Cookie: cookie });

describe("Members", () => {
  let form: string;
  beforeAll(async () => {
    form = await makeForm(await client(), [{ key: "a", type: "text" }]);
  });

  const routes: [
    ability: string,
    method: string,
    path: () => string,
    body: object,
    roles: string,
  ][] = [
    ["see", "GET", () => `/forms/${form}`, {}, "owner admin editor viewer"],
    ["see", "GET", () => `/forms/${form}/items`, {}, "owner admin editor viewer"],
    ["write", "POST", () => `/forms/${form}/items`, { data: { a: "x" } }, "owner admin editor"],
    ["define", "POST", () => `/forms`, {}, "owner admin editor"],
    ["define", "POST", () => `/forms/${form}/fields`, {}, "owner admin editor"],
    ["credentials", "POST", () => "/integrations", {}, "owner admin editor viewer"],
    ["audit", "GET", () => "/audit", {}, "owner admin"],
    ["members", "GET", () => "/members", {}, "owner admin"],
  ];

  it.each(["owner", "admin", "editor", "viewer"])(
    "%s: may do what the table of roles says, and no more",
    async (role) => {
      const { cookie } = await join(role);
      for (const [ability, method, path, body, roles] of routes) {
        const { status } = await as(cookie)(method, path(), method === "GET" ? undefined : body);
        expect([ability, path(), status === 403]).toEqual([
          ability,
          path(),
          !roles.split(" ").includes(role),
        ]);
      }
    },
  );

  it("a link makes one member, once; two at once make one", async () => {
    const email = "twice@forms.example";
    const { body } = await admin("POST", "/members", { email, role: "viewer" });
    const path = new URL(body.link).pathname;
    const answers = await Promise.all([1, 2, 3].map(() => anonymous("POST", path, { password })));
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
    expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 404]);
    expect((await anonymous("GET", new URL(body.link).pathname)).status).toBe(404);
    const { results } = await env.DB.prepare("SELECT * FROM invitation").all();
    expect(JSON.stringify(results)).not.toContain(new URL(body.link).pathname.split("/").at(-1));
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
    const { email } = await join("viewer");
    const planted = await signIn(email);
    const own = await signIn(email, password, { Cookie: planted });
    expect(own).not.toBe(planted);
    expect((await as(planted)("GET", "/account")).status).toBe(401);
    expect((await as(own)("GET", "/account")).status).toBe(200);
  });

  it("a cookie that is changed, cut or made up is no session; only its hash is stored", async () => {
    const { email } = await join("viewer");
    const cookie = await signIn(email);
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
    const { email } = await join("viewer");
    const [here, there] = [await signIn(email), await signIn(email)];
    await as(here)("POST", "/account/sign-out-everywhere", {});
    expect((await as(there)("GET", "/account")).status).toBe(401);
    const elsewhere = await signIn(email);
    const changed = { current: password, password: "another password, longer" };
    expect(
      (await as(here)("POST", "/account/password", { ...changed, current: "wrong" })).status,
    ).toBe(422);
    expect((await as(here)("POST", "/account/password", changed)).status).toBe(204);
    expect((await as(elsewhere)("GET", "/account")).status).toBe(401);
    expect((await as(here)("GET", "/account")).status).toBe(200);
    expect(await signIn(email)).toBe("");
    expect(await signIn(email, changed.password)).not.toBe("");
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
