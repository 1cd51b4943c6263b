import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { app } from "../../src/app.ts";
import { host } from "../support/client";
import { counted } from "../support/counting";
import { account, freshKey, ownerCookie } from "../support/service";
import { signIn, somebody } from "./people";

const signingIn = (email: string, password: string) =>
  new Request(`${host}/admin/sign-in`, {
    method: "POST",
    headers: {
      Accept: "application/json",
      "Content-Type": "application/json",
      "CF-Connecting-IP": freshKey("address"),
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
  ])("starts no session when %s while it is under way", async (_, change) => {
    const person = await somebody("editor");
    // Between the look at the password and the storing of the session.
    const DB = changingFirst(`UPDATE member SET ${change} WHERE id = '${person.id}'`);
    const ctx = createExecutionContext();
    const request = signingIn(person.email, person.password);
    const response = await app.fetch(request, { ...env, DB }, ctx);
    await waitOnExecutionContext(ctx);
    expect([response.status, response.headers.getSetCookie()]).toEqual([401, []]);
    const { count, known } = await ofMember(person.id);
    expect([count, known]).toEqual([1, 0]);
  });

  it("starts one, and remembers from where, when nothing changed", async () => {
    const person = await somebody("editor");
    expect(await signIn(person.email, person.password)).toMatch(/^__Host-session=/);
    expect(await ofMember(person.id)).toEqual({ count: 2, known: 1 });
  });

  it("asks storage the same for who is a member and for who is none", async () => {
    const { fetch, counts, reset } = counted();
    const costs = [];
    for (const email of [account.email, "nobody@forms.example"]) {
      reset();
      const { status } = await fetch(signingIn(email, "not the password"));
      costs.push({ status, d1: counts.d1 });
    }
    expect(costs).toEqual([
      { status: 401, d1: 1 },
      { status: 401, d1: 1 },
    ]);
  });
});

async function ofMember(id: string): Promise<{ count: number; known: number }> {
  const row = await env.DB.prepare(
    `SELECT (SELECT count(*) FROM session WHERE member_id = ?1) count,
      (SELECT count(*) FROM known_address WHERE member_id = ?1) known`,
  )
    .bind(id)
    .first<{ count: number; known: number }>();
  return row ?? { count: 0, known: 0 };
}

/** A database in which this happens before each batch. */
function changingFirst(change: string): D1Database {
  return new Proxy(env.DB, {
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
