import { beforeAll, describe, expect, it } from "vitest";
import { withdrawInvitation } from "../../src/actions/invitations.ts";
import type { MemberContext } from "../../src/actions/members.ts";
import { findCredential } from "../../src/store/home/credentials.ts";
import { Client, type Answer, type Json } from "../support/client";
import { primaryOnly } from "../../src/store/db/session.ts";
import { nothingCached } from "../support/nothing-cached";
import { admin, anonymous, freshKey, ownerCookie } from "../support/service";
import { linkOf, signIn, createMember, type Person } from "./people";
import { databases, homeDb } from "../support/databases";
import { outside, serviceWith } from "../support/serve";

const password = "a password of some length";
const invite = (inviter: Person, email: string, role: string): Promise<Answer> =>
  inviter.send("POST", "/members", { email, role });
const join = (link: string): Promise<Answer> => anonymous("POST", link, { password });
const guest = (): string => `${freshKey("guest")}@forms.example`;

async function memberOf(email: string): Promise<Json> {
  const { items } = (await admin("GET", "/members")).body;
  return items.find((member: Json) => member.email === email);
}

beforeAll(async () => {
  await ownerCookie();
});

describe("An invitation", () => {
  it("has its own confirmation dialog beside that of a similar address", async () => {
    const inviter = await createMember("owner");
    const name = freshKey("guest");
    const addresses = [`${name}.b@forms.example`, `${name}-b@forms.example`];
    for (const email of addresses) await invite(inviter, email, "viewer");
    const { text } = await admin("GET", "/members", undefined, { Accept: "text/html" });
    const ids = addresses.map((email) => {
      const dialog = text
        .split('<dialog popover="auto" ')
        .find((part) => part.includes(`="${email}"`));
      return /^id="([^"]+)"/.exec(dialog ?? "")?.[1];
    });
    expect(ids).not.toContain(undefined);
    expect(ids[0]).not.toBe(ids[1]);
  });

  it("has a new role and a new link after a change in its row, and the old link is gone", async () => {
    const inviter = await createMember("owner");
    const email = guest();
    const oldLink = linkOf(await invite(inviter, email, "viewer"));
    const { text } = await admin("GET", "/members", undefined, { Accept: "text/html" });
    const row = text.split("<tr>").find((part) => part.includes(`Role of ${email}`)) ?? "";
    expect(row).toContain('<form method="post" action="/admin/members"');
    expect(row).toContain('<option value="viewer" selected="">Viewer</option>');
    const newLink = linkOf(await invite(inviter, email, "editor"));
    expect((await join(oldLink)).status).toBe(404);
    await join(newLink);
    expect(await memberOf(email)).toMatchObject({ role: "editor" });
  });

  it("returns 404 when its address belongs to a member again, and leaves that member unchanged", async () => {
    const [owner, otherOwner] = [await createMember("owner"), await createMember("owner")];
    await owner.send("POST", `/members/${otherOwner.id}`, { disabled: "true" });
    const link = linkOf(await invite(owner, otherOwner.email, "viewer"));
    // Restores the member directly in D1, because restoring in the administration ends the invitation.
    await homeDb
      .prepare("UPDATE member SET disabled_at = NULL WHERE id = ?")
      .bind(otherOwner.id)
      .run();
    expect((await join(link)).status).toBe(404);
    expect(await memberOf(otherOwner.email)).toMatchObject({ role: "owner", disabled: false });
    expect(await signIn(otherOwner.email, password)).toBe("");
  });

  it("ends when its address is restored as a member", async () => {
    const [owner, otherOwner] = [await createMember("owner"), await createMember("owner")];
    await owner.send("POST", `/members/${otherOwner.id}`, { disabled: "true" });
    const link = linkOf(await invite(owner, otherOwner.email, "viewer"));
    await owner.send("POST", `/members/${otherOwner.id}`, { disabled: "false" });
    expect((await anonymous("GET", link)).status).toBe(404);
    await owner.send("POST", `/members/${otherOwner.id}`, { disabled: "true" });
    expect((await join(link)).status).toBe(404);
  });

  it("restores a member without its old sessions and tokens", async () => {
    const [owner, person] = [await createMember("owner"), await createMember("editor")];
    const choice = { name: "Mine", permissions: ["schema:read"], resources: "all", expires: "30d" };
    const credential = await person.send("POST", "/integrations", { ...choice, kind: "token" });
    await owner.send("POST", `/members/${person.id}`, { disabled: "true" });
    const link = linkOf(await invite(owner, person.email, "viewer"));
    const before = await findCredential(databases.home, credential.body.id);
    expect((await join(link)).status).toBe(201);
    expect(await memberOf(person.email)).toMatchObject({ id: person.id, role: "viewer" });
    expect((await person.send("GET", "/account")).status).toBe(401);
    expect((await new Client(credential.body.token).get("/me")).status).toBe(401);
    const after = await findCredential(databases.home, credential.body.id);
    expect(after?.version).toBeGreaterThan(before?.version ?? 0);
    expect(after?.revokedAt).toBe(before?.revokedAt);
  });
});

describe("An invitation and its inviter's right to grant the role", () => {
  it("ends with the removal of its inviter", async () => {
    const inviter = await createMember("admin");
    const link = linkOf(await invite(inviter, guest(), "editor"));
    await admin("POST", `/members/${inviter.id}`, { disabled: "true" });
    expect((await anonymous("GET", link)).status).toBe(404);
    expect((await join(link)).status).toBe(404);
    await admin("POST", `/members/${inviter.id}`, { disabled: "false" });
    expect((await join(link)).status).toBe(404);
  });

  it("ends when the inviter's new role cannot grant it, and other invitations stay", async () => {
    const inviter = await createMember("owner");
    const high = linkOf(await invite(inviter, guest(), "admin"));
    const low = linkOf(await invite(inviter, guest(), "editor"));
    await admin("POST", `/members/${inviter.id}`, { role: "admin" });
    expect((await join(high)).status).toBe(404);
    expect((await join(low)).status).toBe(201);
    const last = linkOf(await invite(await createMember("admin"), guest(), "viewer"));
    expect((await join(last)).status).toBe(201);
  });

  it("returns 404 for an invitation that was stored while its inviter was removed", async () => {
    const inviter = await createMember("admin");
    const link = linkOf(await invite(inviter, guest(), "editor"));
    await homeDb.prepare("UPDATE member SET disabled_at = 1 WHERE id = ?").bind(inviter.id).run();
    expect((await anonymous("GET", link)).status).toBe(404);
    expect((await join(link)).status).toBe(404);
  });

  it("returns 403 to a replacement by a member who cannot grant the role", async () => {
    const [owner, otherAdmin, email] = [
      await createMember("owner"),
      await createMember("admin"),
      guest(),
    ];
    const link = linkOf(await invite(owner, email, "owner"));
    const rejection = await invite(otherAdmin, email, "viewer");
    expect([rejection.status, rejection.body.code]).toEqual([403, "role_required"]);
    expect((await anonymous("GET", link)).body.role).toBe("owner");
    const second = linkOf(await invite(owner, email, "viewer"));
    expect((await anonymous("GET", link)).status).toBe(404);
    const third = linkOf(await invite(otherAdmin, email, "editor"));
    expect((await anonymous("GET", second)).status).toBe(404);
    expect((await join(third)).status).toBe(201);
  });

  it("returns 403 to an admin who invites a removed owner", async () => {
    const [owner, otherAdmin, otherOwner] = [
      await createMember("owner"),
      await createMember("admin"),
      await createMember("owner"),
    ];
    await owner.send("POST", `/members/${otherOwner.id}`, { disabled: "true" });
    expect((await invite(otherAdmin, otherOwner.email, "viewer")).status).toBe(403);
    expect((await invite(owner, otherOwner.email, "viewer")).status).toBe(201);
  });

  it("can be withdrawn only by a member who can grant its role, and its link then returns 404", async () => {
    const [owner, otherAdmin, email] = [
      await createMember("owner"),
      await createMember("admin"),
      guest(),
    ];
    const link = linkOf(await invite(owner, email, "admin"));
    const withdrawnBy = async ({ id }: Person, role: "owner" | "admin" | "editor") =>
      withdrawInvitation(contextOf(id, role), email).then(
        () => "withdrawn",
        ({ members }) => members,
      );
    expect(await withdrawnBy(otherAdmin, "editor")).toMatchObject({ required_ability: "members" });
    expect(await withdrawnBy(otherAdmin, "admin")).toMatchObject({ required_ability: "owners" });
    expect((await anonymous("GET", link)).status).toBe(200);
    expect(await withdrawnBy(owner, "owner")).toBe("withdrawn");
    expect((await join(link)).status).toBe(404);
    expect(await withdrawnBy(owner, "owner")).toBe("withdrawn");
  });
});

function contextOf(id: string, role: "owner" | "admin" | "editor"): MemberContext {
  return {
    databases,
    primary: databases,
    definitions: nothingCached,
    versions: primaryOnly,
    actor: `member:${id}`,
    permissions: [],
    resources: "all",
    session: null,
    replays: { peek: () => undefined, put: () => undefined, purge: () => undefined },
    requestId: freshKey("request"),
    sentRequestId: null,
    ...outside,
    newId: () => freshKey("id"),
    notifyChange: () => undefined,
    runAfterResponse: () => undefined,
    member: { id, version: 1, role },
    keys: serviceWith().keys,
    passwords: serviceWith().passwords,
    pushCredentials: async () => undefined,
    withCurrentUse: async (credentials) => [...credentials],
  };
}
