import { scryptSync } from "node:crypto";
import { env } from "cloudflare:workers";
import { sha256 } from "../../src/domain/credential/keys.ts";
import type { Answer, Json } from "./client";
import { admin, anonymous, freshKey } from "./service";

/** Somebody with a session in the administration area. */
export interface Member {
  id: string;
  email: string;
  password: string;
  cookie: string;
}

/** Asks the administration area with this cookie. */
export const as =
  (cookie: string) =>
  (method: string, path: string, body?: object): Promise<Answer> =>
    anonymous(method, `/admin${path}`, body, { Cookie: cookie });

export async function signIn(
  email: string,
  password: string,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return anonymous("POST", "/admin/sign-in", { email, password }, headers);
}

/** The cookie that an answer sets. */
export const cookieOf = ({ headers }: Answer) => headers.getSetCookie()[0]?.split(";")[0] ?? "";

/** Somebody who was invited, joined by the link and signed in, as anybody would. */
export async function join(
  role: string,
  email = `${freshKey(role)}@forms.example`,
): Promise<Member> {
  const password = "a password of some length";
  const invited = await admin("POST", "/members", { email, role });
  if (!invited.body.link) throw new Error(invited.text);
  await anonymous("POST", new URL(invited.body.link).pathname, { password });
  const cookie = cookieOf(await signIn(email, password));
  const { items } = (await admin("GET", "/members")).body;
  const { id } = items.find((each: Json) => each.email === email);
  return { id, email, password, cookie };
}

/** A member with a session, made without what it costs to hash a password: hundreds are made. */
export async function newMember(role = "editor"): Promise<Member> {
  const id = freshKey("member");
  const password = `the password of ${id}`;
  const email = `${id}@forms.example`;
  await env.DB.prepare(
    "INSERT INTO member (id, email, role, password, created_at) VALUES (?, ?, ?, ?, 0)",
  )
    .bind(id, email, role, cheapHash(password))
    .run();
  return { id, email, password, cookie: await newSession(id) };
}

/** A hash says what it cost to make, and costs as much to compare. */
function cheapHash(password: string): string {
  const salt = Buffer.from("salt");
  const key = scryptSync(password, salt, 32, { N: 2, r: 1, p: 1 });
  return `scrypt$2$1$1$${salt.toString("base64")}$${key.toString("base64")}`;
}

export async function newSession(memberId: string): Promise<string> {
  const session = freshKey("session");
  await env.DB.prepare(
    "INSERT INTO session (hash, member_id, created_at, expires_at) VALUES (?, ?, 0, ?)",
  )
    .bind(await sha256(session), memberId, Date.now() + 3_600_000)
    .run();
  return `__Host-session=${session}`;
}
