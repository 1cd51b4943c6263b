import { defaultLimits, type CredentialKind, type Limits, isLive, liveSecrets, mostLiveCredentials, type Credential, type Secret, type Resources, noUsage } from "#domain/credential/credential.ts";
import { may, within, type Role, type Permission } from "#domain/credential/permissions.ts";
import { problem, type FieldError } from "#domain/problem/problem.ts";
import { sha256, type SigningKeys } from "#domain/credential/keys.ts";
import { makeSecret, openLength } from "#domain/credential/tokens.ts";
import { findCredential, insertCredential, revokeCredential as storeRevocation, updateCredential } from "#store/home/credentials.ts";
import { findWithReachable, type Reachable, findWithReached, type Reached, listCredentials, type CredentialStateFilter } from "#store/home/credential-lists.ts";
import { act, type ActionContext } from "./context.ts";

/** What of a credential somebody may ask for too much. */
interface Asked {
  permissions: readonly Permission[];
  limits: Limits;
  expiresAt: number | null;
}

/** `had` are the limits that it has already: who may not raise them may leave them as they are. */
export function refuseInput(
  ctx: { member: { role: Role }; now(): number },
  kind: CredentialKind,
  input: Asked,
  had = defaultLimits,
): void {
  const { role } = ctx.member;
  const errors: FieldError[] = may(role, "credentials") ? [] : limitErrors(input.limits, had);
  if (kind === "client" && !may(role, "credentials")) {
    const reason = `The role ${role} issues personal tokens only.`;
    errors.push({ field: "kind", pointer: "/kind", code: "not_an_option", reason });
  }
  const allowed = within(role, input.permissions);
  if (kind === "token" && allowed.length < input.permissions.length) {
    const reason = `A personal token never exceeds its member's role, which is ${role}.`;
    errors.push({
      field: "permissions",
      pointer: "/permissions",
      code: "not_an_option",
      reason,
    });
  }
  if (input.expiresAt !== null && input.expiresAt <= ctx.now()) {
    const reason = "Must lie in the future.";
    errors.push({ field: "expires", pointer: "/expires", code: "too_small", reason });
  }
  if (errors.length > 0) throw problem.invalidInput(errors);
}

/** What is more than the default is given by who manages credentials. */
function limitErrors(asked: Limits, had: Limits): FieldError[] {
  return (["requests", "writes"] as const).flatMap((field): FieldError[] => {
    const maximum = Math.max(defaultLimits[field], had[field]);
    if (asked[field] <= maximum) return [];
    const reason = `Must be at most ${maximum}; owners and admins can give more.`;
    return [{ field, pointer: `/${field}`, code: "too_large", reason, maximum }];
  });
}

/** What managing credentials needs besides: who does it, and the credential's object to tell of changes. */
export interface CredentialContext extends ActionContext {
  member: { id: string; version: number; role: Role };
  keys: SigningKeys;
  /** 32 random bytes. */
  random(): Uint8Array;
  /** Tells the credential's object, so that a change holds for its next request. */
  announce(credential: Credential): Promise<void>;
}

export interface CredentialInput {
  name: string;
  permissions: Permission[];
  resources: Resources;
  limits: Limits;
  /** Milliseconds since 1970, or null for never. */
  expiresAt: number | null;
  /** The zone in which the day ends that was chosen; null where no day was. */
  expiresZone: string | null;
  origins: string[];
}

export interface Issued {
  credential: Credential;
  /** Shown this once. */
  secret: string;
}

export async function visibleCredential(ctx: CredentialContext, id: string): Promise<Credential> {
  return visible(ctx, await findCredential(ctx.db, id));
}

/** The same, with all that a credential could reach. */
export async function visibleWithReachable(
  ctx: CredentialContext,
  id: string,
): Promise<{ credential: Credential; reachable: Reachable[] }> {
  const { credential, reachable } = await findWithReachable(ctx.db, id);
  return { credential: visible(ctx, credential), reachable };
}

/** The same, with examples of what it reaches. */
export async function visibleWithReached(
  ctx: CredentialContext,
  id: string,
): Promise<{ credential: Credential; reached: Reached }> {
  const { credential, reached } = await findWithReached(ctx.db, id);
  return { credential: visible(ctx, credential), reached };
}

function visible({ member }: CredentialContext, credential: Credential | undefined): Credential {
  const own = may(member.role, "credentials") || credential?.createdBy.id === member.id;
  if (!credential || !own) throw problem.notFound();
  return credential;
}

/** One that can still be changed. */
async function liveCredential(ctx: CredentialContext, id: string): Promise<Credential> {
  const credential = await visibleCredential(ctx, id);
  if (credential.revokedAt !== null) throw problem.notFound();
  return credential;
}

export async function issueCredential(
  ctx: CredentialContext,
  kind: CredentialKind,
  input: CredentialInput,
): Promise<Issued> {
  refuseInput(ctx, kind, input);
  const id = ctx.newId();
  const { secret, kept } = await newSecret(ctx, kind, id, 1);
  const credential: Credential = {
    ...input,
    id,
    version: 1,
    kind,
    secrets: [kept],
    revokedAt: null,
    createdAt: ctx.now(),
    createdBy: ctx.member,
    lastUsedAt: null,
    usage: noUsage(),
    called: false,
  };
  const entry = act(ctx, "credential.issue", `credential:${id}`);
  if (await insertCredential(ctx.db, ctx.member, credential, entry)) return { credential, secret };
  throw problem.conflict(
    `A member has at most ${mostLiveCredentials} live credentials: revoke those that are not needed.`,
  );
}

/** Changes what is given of it; `version` is the one that the change was made for, where the caller knows. */
export async function editCredential(
  ctx: CredentialContext,
  before: Credential,
  change: Partial<CredentialInput>,
  version = before.version,
): Promise<Credential> {
  if (before.revokedAt !== null) throw problem.notFound();
  const after = { ...before, ...change };
  refuseInput(ctx, before.kind, after, before.limits);
  return replace(ctx, version, after, "credential.edit");
}

const mostSecrets = 2;

/** Adds a secret; the one before it lives on for `overlap` milliseconds. An older third one ends at once. */
export async function rotateCredential(
  ctx: CredentialContext,
  id: string,
  overlap: number,
): Promise<Issued> {
  const before = await liveCredential(ctx, id);
  const now = ctx.now();
  if (!isLive(before, now)) throw problem.notFound();
  // A new secret has all the rights of the credential: it is for those who could issue it as it is.
  refuseInput(ctx, before.kind, before, before.limits);
  const newest = Math.max(...before.secrets.map((each) => each.id));
  const { secret, kept } = await newSecret(ctx, before.kind, id, newest + 1);
  const ending = now + overlap;
  const old = liveSecrets(before, now)
    .slice(1 - mostSecrets)
    .map((each) => ({ ...each, expires_at: Math.min(each.expires_at ?? ending, ending) }));
  const after = { ...before, secrets: [...old, kept] };
  const credential = await replace(ctx, before.version, after, "credential.rotate");
  return { credential, secret };
}

/** Ends it. Repeated, its object is told again: it is done once both know. */
export async function revokeCredential(ctx: CredentialContext, id: string): Promise<void> {
  const { revokedAt } = await visibleCredential(ctx, id);
  if (revokedAt === null) {
    await storeRevocation(
      ctx.db,
      ctx.member,
      id,
      act(ctx, "credential.revoke", `credential:${id}`),
    );
  }
  await announceStored(ctx, id);
}

async function replace(
  ctx: CredentialContext,
  expected: number,
  after: Credential,
  action: "credential.edit" | "credential.rotate",
): Promise<Credential> {
  const entry = act(ctx, action, `credential:${after.id}`);
  if (!(await updateCredential(ctx.db, ctx.member, expected, after, entry))) {
    throw problem.conflict("Somebody else changed this credential meanwhile: look at it again.");
  }
  return announceStored(ctx, after.id);
}

/** Tells the object what holds: what is read of the database, as the object would read it. */
async function announceStored(ctx: CredentialContext, id: string): Promise<Credential> {
  const stored = await findCredential(ctx.db, id);
  if (!stored) throw new Error(`Credential ${id} is gone, though credentials are never deleted.`);
  await ctx.announce(stored);
  return stored;
}

async function newSecret(
  ctx: CredentialContext,
  kind: CredentialKind,
  credentialId: string,
  id: number,
): Promise<{ secret: string; kept: Secret }> {
  const prefix = kind === "token" ? "efp" : "efs";
  const secret = await makeSecret(ctx.keys, prefix, credentialId, ctx.random());
  const first_characters = secret.slice(0, openLength);
  const hash = await sha256(secret);
  const last_characters = secret.slice(-4);
  const characters = { first_characters, last_characters };
  return { secret, kept: { id, hash, ...characters, created_at: ctx.now(), expires_at: null } };
}

/** What ends within this needs attention. */
const soon = 14 * 24 * 60 * 60 * 1000;

interface Wanted {
  kind?: CredentialKind | undefined;
  state: CredentialStateFilter;
  /** The id of the last one of the page before. */
  before: string | null;
  limit: number;
}

/** A page of the credentials that this member may see, newest first, and where the next begins. */
export async function visibleCredentials(
  ctx: CredentialContext,
  { kind, state, before, limit }: Wanted,
): Promise<{ found: Credential[]; next: string | null }> {
  const { id, role } = ctx.member;
  const now = ctx.now();
  const memberId = may(role, "credentials") ? null : id;
  const filter = { memberId, kind, state, now, soon: now + soon };
  const found = await listCredentials(ctx.db, filter, before, limit + 1);
  const shown = found.slice(0, limit);
  return { found: shown, next: found.length > limit ? (shown.at(-1)?.id ?? null) : null };
}
