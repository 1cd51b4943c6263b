import { toBase64url } from "../../domain/base64url";
import { sameText, sha256 } from "../../domain/credential/signature";
import { findSession, findSigningIn, type Member } from "../../store/members/members";
import { insertFirstOwner } from "../../store/members/first-owner";
import { deleteSession, insertSession } from "../../store/members/sessions";
import { act, type ActionContext } from "../context";
import { hashPassword, isPassword, nobody } from "./password";

export interface SignInContext extends ActionContext {
  /** Random bytes. */
  random(length: number): Uint8Array;
  /** Counts an attempt of this name, and refuses one too many in a minute. */
  limitAttempts(name: string): Promise<void>;
}

const sessionLifetime = 12 * 60 * 60 * 1000;

/**
 * Starts a session: its id for the cookie, or nothing, after as long a time, when account or password is wrong. Attempts
 * are limited by address and by account, so that neither many accounts nor many addresses help to guess; but who signed
 * in from an address before is let in there, whatever others try elsewhere.
 */
export async function signIn(
  ctx: SignInContext,
  email: string,
  password: string,
  from: string,
): Promise<{ sessionId: string; maxAge: number } | undefined> {
  const account = email.toLowerCase();
  await ctx.limitAttempts(`address ${from}`);
  const { member, addresses = [] } = (await findSigningIn(ctx.db, account)) ?? {};
  const address = await sha256(`${member?.id ?? ""} ${from}`);
  const known = addresses.includes(address);
  await ctx.limitAttempts(known ? `account ${account} from ${from}` : `account ${account}`);
  const right = await isPassword(password, member?.password ?? nobody);
  if (!member || !right) return undefined;
  const sessionId = toBase64url(ctx.random(32));
  const createdAt = ctx.now();
  const started = {
    hash: await sha256(sessionId),
    createdAt,
    expiresAt: createdAt + sessionLifetime,
  };
  if (!(await insertSession(ctx.db, member, started, address))) return undefined;
  return { sessionId, maxAge: sessionLifetime / 1000 };
}

/** The member whose session has this hash. */
export async function memberOfSession(
  db: D1Database,
  hash: string,
  now: number,
): Promise<Member | undefined> {
  return hash === "" ? undefined : findSession(db, hash, now);
}

export async function signOut(db: D1Database, sessionId: string): Promise<void> {
  await deleteSession(db, await sha256(sessionId));
}

/** Makes the first owner. False when the secret is wrong or there is a member already: it works once. */
export async function setUp(
  ctx: SignInContext,
  secret: { sent: string; expected: string },
  owner: { email: string; password: string },
): Promise<boolean> {
  if (secret.expected === "" || !sameText(secret.sent, secret.expected)) return false;
  const id = ctx.newId();
  const password = await hashPassword(owner.password, ctx.random(16));
  const email = owner.email.toLowerCase();
  return insertFirstOwner(
    ctx.db,
    { id, email, password },
    act(ctx, "member.setup", `member:${id}`),
  );
}
