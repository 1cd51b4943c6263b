import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { signingKeys } from "../../src/domain/credential/keys.ts";
import { withdrawInvitation } from "../../src/actions/invitations.ts";
import type { MemberContext } from "../../src/actions/members.ts";
import { findCredential } from "../../src/store/home/credentials.ts";
import { Client, type Answer, type Json } from "../support/client";
import { ofPrimary } from "../../src/store/db/session.ts";
import { nothingCached } from "../support/nothing-cached";
import { admin, anonymous, freshKey, ownerCookie } from "../support/service";
import { linkOf, signIn, somebody, type Person } from "./people";

const password = "a password of some length";
const invite = (by: Person, email: string, role: string): Promise<Answer> =>
  by.ask("POST", "/members", { email, role });
const join = (link: string): Promise<Answer> => anonymous("POST", link, { password });
const guest = (): string => `${freshKey("guest")}@forms.example`;

async function memberOf(email: string): Promise<Json> {
  const { items } = (await admin("GET", "/members")).body;
  return items.find((each: Json) => each.email === email);
}

beforeAll(async () => {
  await ownerCookie();
});

describe("An invitation", () => {
  it("makes nobody of who is a member already: a stale link takes nobody over", async () => {
    const [owner, boss] = [await somebody("owner"), await somebody("owner")];
    await owner.ask("POST", `/members/${boss.id}`, { disabled: "true" });
    const link = linkOf(await invite(owner, boss.email, "viewer"));
    // As a link that was made just before its address came back: the taking back would end it.
    await env.DB.prepare("UPDATE member SET disabled_at = NULL WHERE id = ?").bind(boss.id).run();
    expect((await join(link)).status).toBe(404);
    expect(await memberOf(boss.email)).toMatchObject({ role: "owner", disabled: false });
    expect(await signIn(boss.email, password)).toBe("");
  });

  it("ends when its address is taken back", async () => {
    const [owner, boss] = [await somebody("owner"), await somebody("owner")];
    await owner.ask("POST", `/members/${boss.id}`, { disabled: "true" });
    const link = linkOf(await invite(owner, boss.email, "viewer"));
    await owner.ask("POST", `/members/${boss.id}`, { disabled: "false" });
    expect((await anonymous("GET", link)).status).toBe(404);
    await owner.ask("POST", `/members/${boss.id}`, { disabled: "true" });
    expect((await join(link)).status).toBe(404);
  });

  it("brings somebody back without the sessions, the tokens and the version from before", async () => {
    const [owner, person] = [await somebody("owner"), await somebody("editor")];
    const choice = { name: "Mine", permissions: ["schema:read"], resources: "all", expires: "30d" };
    const issued = await person.ask("POST", "/integrations", { ...choice, kind: "token" });
    await owner.ask("POST", `/members/${person.id}`, { disabled: "true" });
    const link = linkOf(await invite(owner, person.email, "viewer"));
    const before = await findCredential(env.DB, issued.body.id);
    expect((await join(link)).status).toBe(201);
    expect(await memberOf(person.email)).toMatchObject({ id: person.id, role: "viewer" });
    expect((await person.ask("GET", "/account")).status).toBe(401);
    expect((await new Client(issued.body.token).get("/me")).status).toBe(401);
    const after = await findCredential(env.DB, issued.body.id);
    expect(after?.version).toBeGreaterThan(before?.version ?? 0);
    expect(after?.revokedAt).toBe(before?.revokedAt);
  });
});

describe("An invitation lives on its inviter's right to give its role", () => {
  it("ends with the removal of its inviter", async () => {
    const inviter = await somebody("admin");
    const link = linkOf(await invite(inviter, guest(), "editor"));
    await admin("POST", `/members/${inviter.id}`, { disabled: "true" });
    expect((await anonymous("GET", link)).status).toBe(404);
    expect((await join(link)).status).toBe(404);
    await admin("POST", `/members/${inviter.id}`, { disabled: "false" });
    expect((await join(link)).status).toBe(404);
  });

  it("ends with a role that may not give it, and others stay", async () => {
    const inviter = await somebody("owner");
    const high = linkOf(await invite(inviter, guest(), "admin"));
    const low = linkOf(await invite(inviter, guest(), "editor"));
    await admin("POST", `/members/${inviter.id}`, { role: "admin" });
    expect((await join(high)).status).toBe(404);
    expect((await join(low)).status).toBe(201);
    const last = linkOf(await invite(await somebody("admin"), guest(), "viewer"));
    expect((await join(last)).status).toBe(201);
  });

  it("one that was stored while its inviter was removed is good for nothing", async () => {
    const inviter = await somebody("admin");
    const link = linkOf(await invite(inviter, guest(), "editor"));
    await env.DB.prepare("UPDATE member SET disabled_at = 1 WHERE id = ?").bind(inviter.id).run();
    expect((await anonymous("GET", link)).status).toBe(404);
    expect((await join(link)).status).toBe(404);
  });

  it("only who may give the role of one may put another in its place", async () => {
    const [owner, other, email] = [await somebody("owner"), await somebody("admin"), guest()];
    const link = linkOf(await invite(owner, email, "owner"));
    const refused = await invite(other, email, "viewer");
    expect([refused.status, refused.body.code]).toEqual([403, "role_required"]);
    expect((await anonymous("GET", link)).body.role).toBe("owner");
    const second = linkOf(await invite(owner, email, "viewer"));
    expect((await anonymous("GET", link)).status).toBe(404);
    const third = linkOf(await invite(other, email, "editor"));
    expect((await anonymous("GET", second)).status).toBe(404);
    expect((await join(third)).status).toBe(201);
  });

  it("a removed owner or admin comes back by an owner's invitation alone", async () => {
    const [owner, other, boss] = [
      await somebody("owner"),
      await somebody("admin"),
      await somebody("owner"),
    ];
    await owner.ask("POST", `/members/${boss.id}`, { disabled: "true" });
    expect((await invite(other, boss.email, "viewer")).status).toBe(403);
    expect((await invite(owner, boss.email, "viewer")).status).toBe(201);
  });

  it("only who may give its role may withdraw it, and it is good for nothing then", async () => {
    const [owner, other, email] = [await somebody("owner"), await somebody("admin"), guest()];
    const link = linkOf(await invite(owner, email, "admin"));
    const withdrawnBy = async ({ id }: Person, role: "owner" | "admin" | "editor") =>
      withdrawInvitation(contextOf(id, role), email).then(
        () => "withdrawn",
        ({ members }) => members,
      );
    expect(await withdrawnBy(other, "editor")).toMatchObject({ required_ability: "members" });
    expect(await withdrawnBy(other, "admin")).toMatchObject({ required_ability: "owners" });
    expect((await anonymous("GET", link)).status).toBe(200);
    expect(await withdrawnBy(owner, "owner")).toBe("withdrawn");
    expect((await join(link)).status).toBe(404);
    expect(await withdrawnBy(owner, "owner")).toBe("withdrawn");
  });
});

function contextOf(id: string, role: "owner" | "admin" | "editor"): MemberContext {
  return {
    db: env.DB,
    primary: env.DB,
    definitions: nothingCached,
    versions: ofPrimary,
    actor: `member:${id}`,
    permissions: [],
    resources: "all",
    session: null,
    replays: { recalled: () => undefined, remember: () => undefined },
    requestId: freshKey("request"),
    sentRequestId: null,
    now: () => Date.now(),
    newId: () => freshKey("id"),
    noteChange: () => undefined,
    later: () => undefined,
    member: { id, version: 1, role },
    keys: signingKeys("a secret of this test"),
    random: (length) => crypto.getRandomValues(new Uint8Array(length)),
    announce: async () => undefined,
  };
}
