import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { findCredential } from "../../src/store/credentials/credentials";
import { Client, type Answer, type Json } from "../support/client";
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
