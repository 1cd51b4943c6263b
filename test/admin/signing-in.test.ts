import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { host } from "../support/client";
import { counted } from "../support/counting";
import { account, freshKey, ownerCookie } from "../support/service";
import { signIn, createMember } from "./people";
import { homeDb } from "../support/databases";
import { serve } from "../support/serve";

const signInRequest = (email: string, password: string, address = freshKey("address")) =>
  new Request(`${host}/admin/sign-in`, {
    method: "POST",
    headers: {
      Accept: "application/json",
      "Content-Type": "application/json",
      "CF-Connecting-IP": address,
    },
    body: JSON.stringify({ email, password }),
  });

beforeAll(async () => {
  await ownerCookie();
});

describe("Signing in", () => {
  it.each([
    ["the password is changed", "password = 'another', version = version + 1"],
    ["the member is removed", "disabled_at = 1, version = version + 1"],
  ])("returns 401 and starts no session when %s during the request", async (_, change) => {
    const person = await createMember("editor");
    // Changes the member after the password check and before the session is stored.
    const DB = databaseAfterChange(`UPDATE member SET ${change} WHERE id = '${person.id}'`);
    const ctx = createExecutionContext();
    const request = signInRequest(person.email, person.password);
    const response = await serve(request, { ...env, DB }, ctx);
    await waitOnExecutionContext(ctx);
    expect([response.status, response.headers.getSetCookie()]).toEqual([401, []]);
    const { count, known } = await sessionsOf(person.id);
    expect([count, known]).toEqual([1, 0]);
  });

  it("starts a session and stores the client address", async () => {
    const person = await createMember("editor");
    expect(await signIn(person.email, person.password)).toMatch(/^__Host-session=/);
    expect(await sessionsOf(person.id)).toEqual({ count: 2, known: 1 });
  });

  it("counts attempts by the /64 and the /48 of an IPv6 address, and stores the /64", async () => {
    const person = await createMember("editor");
    const keys: string[] = [];
    const limiter = (name: string, success = true) => ({
      limit: async ({ key }: { key: string }) => {
        keys.push(`${name} ${key}`);
        return { success };
      },
    });
    const limiters = { SIGN_INS: limiter("narrow"), SIGN_INS_WIDE: limiter("wide") };
    for (const address of ["2001:db8:1:2::3", "2001:db8:1:2:3::4"]) {
      const request = signInRequest(person.email, person.password, address);
      expect((await serve(request, limiters)).status).toBe(200);
    }
    expect((await sessionsOf(person.id)).known).toBe(1);
    const accountKey = `narrow account ${person.email}`;
    const ofNetwork = ["narrow address 2001:db8:1:2::/64", "wide address 2001:db8:1::/48"];
    expect(keys).toEqual([
      ...ofNetwork,
      accountKey,
      ...ofNetwork,
      `${accountKey} from 2001:db8:1:2::/64`,
    ]);
    const request = signInRequest(person.email, person.password, "2001:db8:1:3::3");
    const limited = await serve(request, { ...limiters, SIGN_INS_WIDE: limiter("wide", false) });
    expect(limited.status).toBe(429);
  });

  it("returns 401 and 404 to invented sessions and invitations without asking D1", async () => {
    const { fetch, counts, reset } = counted();
    const get = (path: string, Cookie = "") =>
      fetch(new Request(host + path, { headers: { Accept: "application/json", Cookie } }));
    const cookie = await ownerCookie();
    const changed = cookie.slice(0, -1) + (cookie.endsWith("A") ? "B" : "A");
    const [, sessionId] = cookie.split("=");
    reset();
    for (const invented of [changed, "__Host-session=x", `__Host-session=${"A".repeat(65)}`])
      expect((await get("/admin/account", invented)).status).toBe(401);
    for (const secret of [sessionId, "x", "A".repeat(65)])
      expect((await get(`/admin/join/${secret}`)).status).toBe(404);
    expect(counts.d1).toBe(0);
    expect((await get("/admin/account", cookie)).status).toBe(200);
  });

  it("tells scripts the same about an unknown address and a wrong password, and nothing about tokens", async () => {
    for (const email of [account.email, "nobody@forms.example"]) {
      const { fetch } = counted();
      const response = await fetch(signInRequest(email, "not the password"));
      const { code, detail } = await response.json<{ code: string; detail: string }>();
      expect([response.status, code]).toEqual([401, "unauthenticated"]);
      expect(detail).toBe("Incorrect email or password.");
      expect(response.headers.get("WWW-Authenticate")).toBeNull();
    }
  });

  it("makes the same D1 calls for members and non-members", async () => {
    const { fetch, counts, reset } = counted();
    const costs = [];
    for (const email of [account.email, "nobody@forms.example"]) {
      reset();
      const { status } = await fetch(signInRequest(email, "not the password"));
      costs.push({ status, d1: counts.d1 });
    }
    expect(costs).toEqual([
      { status: 401, d1: 1 },
      { status: 401, d1: 1 },
    ]);
  });
});

async function sessionsOf(id: string): Promise<{ count: number; known: number }> {
  const row = await homeDb
    .prepare(
      `SELECT (SELECT count(*) FROM session WHERE member_id = ?1) count,
      (SELECT count(*) FROM known_address WHERE member_id = ?1) known`,
    )
    .bind(id)
    .first<{ count: number; known: number }>();
  return row ?? { count: 0, known: 0 };
}

/** A database that runs this statement before each batch. */
function databaseAfterChange(change: string): D1Database {
  return new Proxy(homeDb, {
    get(db, name) {
      if (name === "batch") {
        return async (statements: D1PreparedStatement[]) => {
          await db.prepare(change).run();
          return db.batch(statements);
        };
      }
      const value: unknown = Reflect.get(db, name);
      return typeof value === "function" ? value.bind(db) : value;
    },
  });
}
