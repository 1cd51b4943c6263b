import * as z from "zod/mini";
import { scrypt, timingSafeEqual } from "node:crypto";
import { may, mayGive, roles, type Role } from "#domain/credential/permissions.ts";
import { problem } from "#domain/problem/problem.ts";
import type { SealingKeys } from "#domain/credential/sealing.ts";
import type { Credential } from "#domain/credential/credential.ts";
import { listMemberCredentials } from "#store/home/credential-lists.ts";
import { listMembers, updateMember, updatePassword, findSession, findSigningIn, type Member, insertFirstOwner } from "#store/home/members.ts";
import { endOtherSessions, deleteSession, insertSession } from "#store/home/sessions.ts";
import { act, type ActionContext } from "./context.ts";
import { toBase64url } from "#domain/base64url.ts";
import { sameText, sha256 } from "#domain/credential/keys.ts";

/** What a member may choose; the longest is no burden to hash. */
export const newPassword = z.string().check(z.minLength(12), z.maxLength(1000));

/** scrypt with one of OWASP's listed settings: 16 MiB, about 250 ms. Written into each hash, so it can be raised. */
const parameters = { N: 16_384, r: 8, p: 5 };
const keyLength = 32;

/** `scrypt$N$r$p$salt$key`, the last two in base64. */
export async function hashPassword(password: string, salt: Uint8Array): Promise<string> {
  const key = await derive(password, salt, parameters);
  const { N, r, p } = parameters;
  return ["scrypt", N, r, p, base64(salt), base64(key)].join("$");
}

export async function isPassword(password: string, hash: string): Promise<boolean> {
  const [, N, r, p, salt = "", key = ""] = hash.split("$");
  const expected = Buffer.from(key, "base64");
  const cost = { N: Number(N), r: Number(r), p: Number(p) };
  const derived = await derive(password, Buffer.from(salt, "base64"), cost);
  return derived.length === expected.length && timingSafeEqual(derived, expected);
}

/** The hash of no password: what an unknown account is compared with, so that it takes as long as a known one. */
export const nobody = `scrypt$16384$8$5$${base64(new Uint8Array(16))}$${base64(new Uint8Array(keyLength))}`;

function derive(password: string, salt: Uint8Array, cost: typeof parameters): Promise<Buffer> {
  const options = { ...cost, maxmem: 64 * 1024 * 1024 };
  return new Promise((resolve, reject) => {
    scrypt(password.normalize("NFKC"), salt, keyLength, options, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64");
}

/** Managing members: who does it, and random bytes. */
export interface MemberContext extends ActionContext {
  member: { id: string; version: number; role: Role };
  random(length: number): Uint8Array;
  keys: SealingKeys;
  /** Tells the objects of these credentials, so that a change holds for their next request. */
  announce(credentials: readonly Credential[]): Promise<void>;
}

/** Refuses to give these roles, or to take them, to who may not. */
export function refuseRole({ member }: Pick<MemberContext, "member">, ...asked: Role[]): void {
  if (asked.every((role) => mayGive(member.role, role))) return;
  throw problem.roleRequired(may(member.role, "members") ? "owners" : "members");
}

/** The roles that this member may give and take. */
export const givenBy = ({ member }: Pick<MemberContext, "member">): Role[] =>
  roles.filter((role) => mayGive(member.role, role));

/** Gives a member another role, removes it (its tokens end with it), or takes it back. Its sessions end. */
export async function changeMember(
  ctx: MemberContext,
  id: string,
  change: { role?: Role | undefined; disabled?: boolean | undefined },
): Promise<void> {
  const before = (await listMembers(ctx.db)).find((each) => each.id === id);
  if (!before) throw problem.notFound();
  const role = change.role ?? before.role;
  refuseRole(ctx, before.role, role);
  const disabled = change.disabled ?? before.disabledAt !== null;
  const disabledAt = disabled ? (before.disabledAt ?? ctx.now()) : null;
  const entry = act(ctx, disabled ? "member.remove" : "member.change", `member:${id}`);
  const { version } = before;
  const outcome = await updateMember(ctx.db, ctx.member, { id, version, role, disabledAt }, entry);
  if (outcome === "last_owner") throw problem.conflict("One owner has to stay.");
  if (outcome === "member_changed") throw changedMeanwhile();
  const since = disabledAt ?? entry.at;
  await ctx.announce(await listMemberCredentials(ctx.db, id, since));
}

const changedMeanwhile = () =>
  problem.conflict("This member was changed meanwhile. Load it again, and repeat your change.");

/** Signs a member out everywhere but here. */
export async function endSessions(ctx: MemberContext, keep: string): Promise<void> {
  const { id } = ctx.member;
  await endOtherSessions(
    ctx.db,
    { id, keep },
    act(ctx, "member.sign_out_everywhere", `member:${id}`),
  );
}

/** Gives a member another password, and signs it out everywhere but here. */
export async function changePassword(
  ctx: MemberContext,
  keep: string,
  chosen: string,
): Promise<void> {
  const { id, version } = ctx.member;
  const password = await hashPassword(chosen, ctx.random(16));
  const entry = act(ctx, "member.password", `member:${id}`);
  if (!(await updatePassword(ctx.db, { id, version, keep, password }, entry))) {
    throw changedMeanwhile();
  }
}

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
