import { scryptSync } from "node:crypto";
import { env } from "cloudflare:workers";
import { sha256 } from "../../src/domain/credential/signature";
import type { Answer } from "../support/client";
import { anonymous, freshKey } from "../support/service";

/** Somebody with a session in the administration area. */
export interface Person {
  id: string;
  email: string;
  password: string;
  cookie: string;
  ask: (method: string, path: string, body?: object) => Promise<Answer>;
}

/** Asks the administration area with this cookie. */
export const withCookie =
  (cookie: string) =>
  (method: string, path: string, body?: object): Promise<Answer> =>
    anonymous(method, `/admin${path}`, body, { Cookie: cookie });

/** A member with a session, made without what it costs to hash a password. */
export async function somebody(role: string): Promise<Person> {
  const id = freshKey("member");
  const password = `the password of ${id}`;
  const email = `${id}@forms.example`;
  await env.DB.prepare(
    "INSERT INTO member (id, email, role, password, created_at) VALUES (?, ?, ?, ?, 0)",
  )
    .bind(id, email, role, cheapHash(password))
    .run();
  const session = freshKey("session");
  await env.DB.prepare(
    "INSERT INTO session (hash, member_id, created_at, expires_at) VALUES (?, ?, 0, ?)",
  )
    .bind(await sha256(session), id, Date.now() + 3_600_000)
    .run();
  const cookie = `__Host-session=${session}`;
  return { id, email, password, cookie, ask: withCookie(cookie) };
}

/** The cookie of a session that this password starts; empty where it starts none. */
export async function signIn(email: string, password: string, headers = {}): Promise<string> {
  const from = { "CF-Connecting-IP": freshKey("address"), ...headers };
  const answer = await anonymous("POST", "/admin/sign-in", { email, password }, from);
  return answer.headers.getSetCookie()[0]?.split(";")[0] ?? "";
}

/** The path of the link that an invitation gave. */
export const linkOf = ({ body }: Answer): string => new URL(body.link).pathname;

/** A hash says what it cost to make, and costs as much to compare. */
function cheapHash(password: string): string {
  const salt = Buffer.from("salt");
  const key = scryptSync(password, salt, 32, { N: 2, r: 1, p: 1 });
  return `scrypt$2$1$1$${salt.toString("base64")}$${key.toString("base64")}`;
}
