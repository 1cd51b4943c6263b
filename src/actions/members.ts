import type { HomeDatabase } from "#store/db/database.ts";
import * as z from "zod/mini";
import { roleAllows, canGrant, roles, type Role } from "#domain/credential/permissions.ts";
import { problem } from "#domain/problem/problem.ts";
import type { Credential } from "#domain/credential/credential.ts";
import { listMemberCredentials } from "#store/home/credential-lists.ts";
import {
  listMembers,
  updateMember,
  updateName,
  updatePreferences,
  updatePassword,
  findMemberForSignIn,
  type MemberPreferences,
  hasMembers,
  insertFirstOwner,
} from "#store/home/members.ts";
import {
  findListingMember,
  findMemberBySession,
  type ListingMember,
  type SessionMember,
} from "#store/home/signed-in-member.ts";
import {
  endSession as endStoredSession,
  listSessions as listStoredSessions,
  sessionIdLength,
  touchSession,
  type SessionSummary,
  endOtherSessions,
  deleteSession,
  insertSession,
} from "#store/home/sessions.ts";
import { auditRecord, type ActionContext } from "./context.ts";
import {
  createRandomSecret,
  signSecret,
  constantTimeEqual,
  sha256,
  type SigningKeys,
} from "#domain/credential/keys.ts";
import { lazy } from "#domain/lazy.ts";
import { hasNoControls, isStorable } from "#domain/text.ts";
import { noPassword, type Passwords } from "#domain/credential/passwords.ts";
import { reasonFor } from "#domain/problem/reasons.ts";

/** The maximum length keeps hashing cheap. */
export const passwordSchema = lazy(() => z.string().check(z.minLength(12), z.maxLength(1000)));

/** The additional dependencies of member management. */
export interface MemberContext extends ActionContext {
  member: { id: string; version: number; role: Role };
  keys: SigningKeys;
  passwords: Passwords;
  /** Pushes these credentials to their Durable Objects, so that a change applies to their next request. */
  pushCredentials(credentials: readonly Credential[]): Promise<void>;
  /** Returns the credentials with their current last use and counts, which the database may not have yet. */
  withCurrentUse(credentials: readonly Credential[]): Promise<Credential[]>;
}

/** Throws 403 unless the member may grant and remove all these roles. */
export function requireGrantableRoles(
  { member }: Pick<MemberContext, "member">,
  ...requestedRoles: Role[]
): void {
  if (requestedRoles.every((role) => canGrant(member.role, role))) return;
  throw problem.roleRequired(roleAllows(member.role, "members") ? "owners" : "members");
}

/** Lists the roles that this member may grant and remove. */
export const grantableRoles = ({ member }: Pick<MemberContext, "member">): Role[] =>
  roles.filter((role) => canGrant(member.role, role));

/** Changes a member's role, removes the member and its tokens, or restores it. Ends the member's sessions. */
export async function changeMember(
  ctx: MemberContext,
  id: string,
  change: { role?: Role | undefined; disabled?: boolean | undefined },
): Promise<void> {
  const before = (await listMembers(ctx.databases.home)).find((member) => member.id === id);
  if (!before) throw problem.notFound();
  const role = change.role ?? before.role;
  requireGrantableRoles(ctx, before.role, role);
  const isRemoved = change.disabled ?? before.disabledAt !== null;
  if (role === before.role && isRemoved === (before.disabledAt !== null)) return;
  const disabledAt = isRemoved ? (before.disabledAt ?? ctx.now()) : null;
  const entry = auditRecord(ctx, isRemoved ? "member.remove" : "member.change", `member:${id}`);
  const { version } = before;
  const outcome = await updateMember(
    ctx.databases.home,
    ctx.member,
    { id, version, role, disabledAt },
    entry,
  );
  if (outcome === "last_owner")
    throw problem.conflict("At least one owner must remain.", "last_owner");
  if (outcome === "member_changed") throw memberChangedProblem();
  const since = disabledAt ?? entry.at;
  await ctx.pushCredentials(await listMemberCredentials(ctx.databases.home, id, since));
}

const memberChangedProblem = () =>
  problem.conflict(
    "Someone else changed this member. Reload it and repeat your change.",
    "member_changed",
  );

/** Ends all sessions of the member except the one with `exceptHash`. */
export async function endSessions(ctx: MemberContext, exceptHash: string): Promise<void> {
  const { id } = ctx.member;
  await endOtherSessions(
    ctx.databases.home,
    { id, exceptHash },
    auditRecord(ctx, "member.sign_out_everywhere", `member:${id}`),
  );
}

/** Lists the member's sessions, the last used one first. */
export const listSessions = ({
  databases,
  member,
  now,
}: Pick<MemberContext, "databases" | "member" | "now">): Promise<SessionSummary[]> =>
  listStoredSessions(databases.home, member.id, now());

/** Identifies a session to its member. */
export const sessionIdOf = (hash: string): string => hash.slice(0, sessionIdLength);

/** Ends one of the member's sessions. */
export async function endSession(ctx: MemberContext, sessionId: string): Promise<void> {
  const { id } = ctx.member;
  const entry = auditRecord(ctx, "member.sign_out_session", `member:${id}`);
  await endStoredSession(ctx.databases.home, { id, start: sessionId }, entry);
}

/** A name as people enter it. */
export const memberNameSchema = lazy(() =>
  z.pipe(
    z.string().check(
      z.trim(),
      z.maxLength(100),
      z.refine((name) => isStorable(name) && hasNoControls(name), reasonFor("notOneLine")),
    ),
    z.transform((name: string) => name.normalize("NFC")),
  ),
);

/** Changes the name of the acting member. */
export async function changeName(
  ctx: MemberContext & { member: { name: string } },
  name: string,
): Promise<void> {
  const detail = { name: { from: ctx.member.name, to: name } };
  const entry = auditRecord(ctx, "member.name", `member:${ctx.member.id}`, { detail });
  await updateName(ctx.databases.home, ctx.member, name, entry);
}

/** Stores the settings of the acting member. The audit log omits them, because they do not affect others. */
export const changePreferences = (
  ctx: Pick<MemberContext, "databases" | "member">,
  chosen: MemberPreferences,
): Promise<void> => updatePreferences(ctx.databases.home, ctx.member, chosen);

/** The minimum time between two updates of a session's last use. */
const seenPeriodMs = 10 * 60 * 1000;

/** Stores that a session is in use, unless this was stored recently. */
export async function recordSessionUse(
  db: HomeDatabase,
  hash: string,
  { seenAt, now }: { seenAt: number; now: number },
): Promise<void> {
  if (now - seenAt >= seenPeriodMs) await touchSession(db, hash, now);
}

/** Changes the member's password and ends all its sessions except the one with `exceptHash`. */
export async function changePassword(
  ctx: MemberContext,
  exceptHash: string,
  newPassword: string,
): Promise<void> {
  const { id, version } = ctx.member;
  const password = await ctx.passwords.hash(newPassword);
  const entry = auditRecord(ctx, "member.password", `member:${id}`);
  if (!(await updatePassword(ctx.databases.home, { id, version, exceptHash, password }, entry))) {
    throw memberChangedProblem();
  }
}

export interface SignInContext extends ActionContext {
  keys: SigningKeys;
  passwords: Passwords;
  /** Counts an attempt under this name. Rejects it when the limit per minute is reached. */
  limitAttempts(name: string): Promise<void>;
  /** Counts an attempt of the caller's networks. Rejects it when the limit per minute is reached. */
  limitAttemptsOfNetwork(): Promise<void>;
  /** The caller's IPv4 address, or the /64 of its IPv6 address. */
  network: string;
  /** The caller's browser and system. */
  device: string;
}

const sessionLifetimeMs = 12 * 60 * 60 * 1000;
/** The cookie outlives the session, so that an expired member can still send a large form, which is kept during sign-in. */
const cookieLifetimeMs = 14 * sessionLifetimeMs;

/**
 * Starts a session and returns its id for the cookie. Returns undefined for a wrong account or password, after the same
 * time. Attempts are limited per network and per account, against guesses over many accounts or networks. A network
 * with an earlier sign-in has its own limit, so attempts from other networks cannot lock the member out.
 */
export async function signIn(
  ctx: SignInContext,
  email: string,
  password: string,
): Promise<{ sessionId: string; maxAge: number } | undefined> {
  const account = email.toLowerCase();
  const { network } = ctx;
  await ctx.limitAttemptsOfNetwork();
  const { member, addresses = [] } = (await findMemberForSignIn(ctx.databases.home, account)) ?? {};
  const address = await sha256(`${member?.id ?? ""} ${network}`);
  const isKnownAddress = addresses.includes(address);
  await ctx.limitAttempts(
    isKnownAddress ? `account ${account} from ${network}` : `account ${account}`,
  );
  const isCorrect = await ctx.passwords.verify(password, member?.password);
  if (!member || !isCorrect) return undefined;
  const sessionId = await signSecret(ctx.keys, "session", createRandomSecret(ctx.random));
  const createdAt = ctx.now();
  const session = {
    hash: await sha256(sessionId),
    createdAt,
    expiresAt: createdAt + sessionLifetimeMs,
    device: ctx.device,
  };
  if (!(await insertSession(ctx.databases.home, member, session, address))) return undefined;
  return { sessionId, maxAge: cookieLifetimeMs / 1000 };
}

/** Finds the member whose session has this hash. */
export async function findSessionMember(
  db: HomeDatabase,
  hash: string,
  now: number,
  list?: string,
): Promise<SessionMember | undefined> {
  return hash === "" ? undefined : findMemberBySession(db, hash, now, list);
}

/** Finds the member with the address that Cloudflare Access has signed in. */
export const findAccessMember = (
  db: HomeDatabase,
  email: string,
  list?: string,
): Promise<ListingMember | undefined> => findListingMember(db, email, list);

export async function signOut(db: HomeDatabase, sessionId: string): Promise<void> {
  await deleteSession(db, await sha256(sessionId));
}

/** Whether the first owner exists. The administration area never removes the last owner. */
export const hasFirstOwner = (db: HomeDatabase): Promise<boolean> => hasMembers(db);

/** Hashes the password of a new member. Hashes nothing if Cloudflare Access signs members in. */
export async function hashNewPassword(
  { passwords }: Pick<SignInContext, "passwords">,
  password: string | undefined,
): Promise<string> {
  return password === undefined ? noPassword : passwords.hash(password);
}

/**
 * Creates the first owner, without a password if it is undefined. Returns false when the secret is wrong or a member
 * already exists.
 */
export async function createFirstOwner(
  ctx: SignInContext,
  secret: { sent: string; expected: string },
  owner: { email: string; name: string; password: string | undefined },
): Promise<boolean> {
  if (secret.expected === "" || !constantTimeEqual(secret.sent, secret.expected)) return false;
  const id = ctx.newId();
  const password = await hashNewPassword(ctx, owner.password);
  const email = owner.email.toLowerCase();
  return insertFirstOwner(
    ctx.databases.home,
    { id, email, name: owner.name, password },
    auditRecord(ctx, "member.setup", `member:${id}`),
  );
}
