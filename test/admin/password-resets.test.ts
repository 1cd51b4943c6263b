import { beforeAll, describe, expect, it } from "vitest";
import { homeDb } from "../support/databases";
import type { Answer } from "../support/client";
import { admin, anonymous, ownerCookie } from "../support/service";
import { createMember, linkOf, signIn, type Person } from "./people";

const password = "a new password of some length";
const createLink = (by: Person, { id }: Person): Promise<Answer> =>
  by.send("POST", `/members/${id}/reset`, {});
const reset = (link: string): Promise<Answer> => anonymous("POST", link, { password });

beforeAll(async () => {
  await ownerCookie();
});

describe("A password reset link", () => {
  it("sets a new password once, and ends all sessions of the member", async () => {
    const [boss, member] = [await createMember("admin"), await createMember("editor")];
    const created = await createLink(boss, member);
    expect(created.body.email).toBe(member.email);
    expect(Date.parse(created.body.expires_at) - Date.now()).toBeLessThanOrEqual(86_400_000);
    const link = linkOf(created);
    expect((await anonymous("GET", link)).body).toEqual({ email: member.email });
    const short = await anonymous("POST", link, { password: "short" });
    expect(short.body.errors[0].field).toBe("password");
    expect((await reset(link)).body).toEqual({ reset: true });
    expect((await member.send("GET", "/account")).status).toBe(401);
    expect(await signIn(member.email, password)).not.toBe("");
    expect((await reset(link)).status).toBe(404);
    const { items } = (await admin("GET", `/audit?subject=member:${member.id}`)).body;
    const actions = items.map(({ action }: { action: string }) => action);
    expect(actions.slice(0, 2)).toEqual(["member.reset", "member.reset_link"]);
  });

  it("is created by an owner alone for an admin or an owner", async () => {
    const [owner, boss] = [await createMember("owner"), await createMember("admin")];
    for (const role of ["admin", "owner"]) {
      const target = await createMember(role);
      expect((await createLink(boss, target)).status).toBe(403);
      expect((await createLink(owner, target)).status).toBe(200);
    }
  });

  it.each([
    ["is older than 24 hours", "UPDATE password_reset SET expires_at = 1 WHERE member_id = ?1"],
    ["another member has changed", "UPDATE member SET version = version + 1 WHERE id = ?1"],
    ["removed the member", "UPDATE member SET disabled_at = 1 WHERE id = ?1"],
  ])("no longer works when it or somebody %s", async (_, sql) => {
    const [boss, member] = [await createMember("admin"), await createMember("viewer")];
    const link = linkOf(await createLink(boss, member));
    await homeDb.prepare(sql).bind(member.id).run();
    expect((await reset(link)).status).toBe(404);
  });

  it("no longer works when its creator may not create it, or a newer one exists", async () => {
    const owner = await createMember("owner");
    const [boss, member] = [await createMember("admin"), await createMember("viewer")];
    const first = linkOf(await createLink(boss, member));
    const second = linkOf(await createLink(boss, member));
    expect((await reset(first)).status).toBe(404);
    await owner.send("POST", `/members/${boss.id}`, { role: "viewer" });
    expect((await reset(second)).status).toBe(404);
    expect((await reset(`${second.slice(0, -1)}${second.endsWith("A") ? "B" : "A"}`)).status).toBe(
      404,
    );
  });

  it("is one, when it is used twice at once", async () => {
    const [boss, member] = [await createMember("admin"), await createMember("viewer")];
    const link = linkOf(await createLink(boss, member));
    const answers = await Promise.all([reset(link), reset(link)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404]);
  });
});
