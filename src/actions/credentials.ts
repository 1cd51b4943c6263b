import {
  defaultRateLimits,
  type CredentialKind,
  type RateLimits,
  maxValidCredentials,
  type Credential,
  type Secret,
  type Resources,
  emptyUsage,
} from "#domain/credential/credential.ts";
import {
  roleAllows,
  filterAllowed,
  type Role,
  type Permission,
} from "#domain/credential/permissions.ts";
import { problem, type FieldError } from "#domain/problem/problem.ts";
import { sha256, type SigningKeys } from "#domain/credential/keys.ts";
import { createSecret, publicPartLength } from "#domain/credential/tokens.ts";
import {
  findCredential,
  insertCredential,
  updateCredential,
  type StoreCredentialResult,
  type StoreResult,
} from "#store/home/credentials.ts";
import {
  findCredentialWithLabels,
  findCredentialWithExamples,
  type ExampleCollections,
} from "#store/home/credential-lists.ts";
import { revokeCredential as storeRevocation } from "#store/home/revoke-credential.ts";
import { auditRecord, type ActionContext } from "./context.ts";
import type { CheckedDefinition } from "#store/data/confirm-definitions.ts";
import { storeWithViews } from "./store-with-views.ts";
import { limitViews } from "./limit-views.ts";
import { visibleLabels, type CollectionLabel } from "./operand-names.ts";
import type { LabelChoice } from "#store/home/label-sql.ts";
import { assertViewsAllow } from "./view-users.ts";
import { reasonFor } from "#domain/problem/reasons.ts";

/** The requested rights of a credential. The member's role limits them. */
interface RequestedRights {
  permissions: readonly Permission[];
  limits: RateLimits;
  expiresAt: number | null;
}

/** Members who may not raise limits can keep the `current` limits of the credential. */
export function assertCanGrant(
  ctx: { member: { role: Role }; now(): number },
  kind: CredentialKind,
  input: RequestedRights,
  current = defaultRateLimits,
): void {
  const { role } = ctx.member;
  const errors: FieldError[] = roleAllows(role, "credentials")
    ? []
    : findLimitErrors(input.limits, current);
  if (kind === "client" && !roleAllows(role, "credentials")) {
    const reason = reasonFor("tokensOnly", { role });
    errors.push({ field: "kind", pointer: "/kind", code: "not_an_option", reason });
  }
  const allowed = filterAllowed(role, input.permissions);
  if (kind === "token" && allowed.length < input.permissions.length) {
    const reason = reasonFor("exceedsRole", { role });
    const field = "permissions";
    errors.push({ field, pointer: `/${field}`, code: "not_an_option", reason });
  }
  if (input.expiresAt !== null && input.expiresAt <= ctx.now()) {
    const reason = reasonFor("notFuture");
    errors.push({ field: "expires", pointer: "/expires", code: "too_small", reason });
  }
  if (errors.length > 0) throw problem.invalidInput(errors);
}

/** Only members who manage all credentials may grant more than the default limits. */
function findLimitErrors(requested: RateLimits, current: RateLimits): FieldError[] {
  return (["requests", "writes"] as const).flatMap((field): FieldError[] => {
    const maximum = Math.max(defaultRateLimits[field], current[field]);
    if (requested[field] <= maximum) return [];
    const reason = reasonFor("limitTooHigh", { maximum });
    return [{ field, pointer: `/${field}`, code: "too_large", reason, maximum }];
  });
}

/** The additional dependencies of credential management. */
export interface CredentialContext extends ActionContext {
  member: { id: string; version: number; role: Role };
  keys: SigningKeys;
  /** Pushes the credential to its Durable Object, so that a change applies to its next request. */
  pushCredential(credential: Credential): Promise<void>;
  /** Returns the credentials with their current last use and counts, which the database may not have yet. */
  withCurrentUse(credentials: readonly Credential[]): Promise<Credential[]>;
}

export interface CredentialInput {
  name: string;
  permissions: Permission[];
  resources: Resources;
  limits: RateLimits;
  /** Milliseconds since 1970, or null for never. */
  expiresAt: number | null;
  /** The time zone of the chosen expiry day. Null when no day was chosen. */
  expiresZone: string | null;
  origins: string[];
}

export interface CredentialWithSecret {
  credential: Credential;
  /** Shown only once. */
  secret: string;
}

export async function getCredential(ctx: CredentialContext, id: string): Promise<Credential> {
  return requireVisibleCredential(ctx, await findCredential(ctx.databases.home, id));
}

/** Returns the credential with the labels of all collections. They contain its views, and with a choice also others. */
export async function getCredentialWithLabels(
  ctx: CredentialContext,
  id: string,
  choice: LabelChoice | null = null,
): Promise<{ credential: Credential; reachable: CollectionLabel[] }> {
  const { found, stored } = (await findCredentialWithLabels(ctx.databases, id, choice)) ?? {};
  const credential = requireVisibleCredential(ctx, found);
  const labels = stored ? visibleLabels(ctx, stored) : [];
  return { credential, reachable: limitViews(labels, credential.resources, choice) };
}

/** Like `getCredentialWithLabels`, with the current last use, which the database may not have yet. */
export async function getUsedCredentialWithLabels(
  ...[ctx, id, choice]: Parameters<typeof getCredentialWithLabels>
): ReturnType<typeof getCredentialWithLabels> {
  const { credential: stored, reachable } = await getCredentialWithLabels(ctx, id, choice);
  const [credential = stored] = await ctx.withCurrentUse([stored]);
  return { credential, reachable };
}

/** Returns the credential with examples of the collections that it can access. */
export async function getCredentialWithExamples(
  ctx: CredentialContext,
  id: string,
): Promise<{ credential: Credential; examples: ExampleCollections }> {
  const { credential, examples } = await findCredentialWithExamples(ctx.databases, id);
  return { credential: requireVisibleCredential(ctx, credential), examples };
}

function requireVisibleCredential(
  { member }: CredentialContext,
  credential: Credential | undefined,
): Credential {
  const canSee = roleAllows(member.role, "credentials") || credential?.createdBy.id === member.id;
  if (!credential || !canSee) throw problem.notFound();
  return credential;
}

/** Returns a credential that is not revoked. */
export async function getUnrevokedCredential(
  ctx: CredentialContext,
  id: string,
): Promise<Credential> {
  const credential = await getCredential(ctx, id);
  if (credential.revokedAt !== null) throw problem.notFound();
  return credential;
}

export async function issueCredential(
  ctx: CredentialContext,
  kind: CredentialKind,
  input: CredentialInput,
): Promise<CredentialWithSecret> {
  assertCanGrant(ctx, kind, input);
  const check = () => assertViewsAllow(ctx, input);
  const checked = await check();
  const id = ctx.newId();
  const { secret, storedSecret } = await issueSecret(ctx, kind, id, 1);
  const credential: Credential = {
    ...input,
    id,
    version: 1,
    kind,
    secrets: [storedSecret],
    revokedAt: null,
    createdAt: ctx.now(),
    createdBy: ctx.member,
    lastUsedAt: null,
    usage: emptyUsage(),
    called: false,
  };
  const entry = auditRecord(ctx, "credential.issue", `credential:${id}`);
  const isStored = await storeWithViews(ctx, {
    check,
    checked,
    store: async (definitions) =>
      withinLimit(
        await insertCredential(ctx.databases, ctx.member, credential, definitions, entry),
      ),
    undo: () => revokeCredential(ctx, id),
  });
  if (!isStored) throw new Error(`The new credential ${id} was rejected without a reason.`);
  return { credential, secret };
}

/** Throws 409 if the member has too many valid credentials. */
export function withinLimit(result: StoreCredentialResult): StoreResult {
  if (result !== "too_many_credentials") return result;
  throw problem.conflict(
    `A member can have at most ${maxValidCredentials} valid credentials. Revoke one that is no longer needed.`,
    result,
  );
}

/** Revokes the credential. A repeated call pushes the revocation to the Durable Object again. */
export async function revokeCredential(ctx: CredentialContext, id: string): Promise<void> {
  const { revokedAt } = await getCredential(ctx, id);
  if (revokedAt === null) {
    const entry = auditRecord(ctx, "credential.revoke", `credential:${id}`);
    await storeRevocation(ctx.databases.home, ctx.member, id, entry);
  }
  await pushStoredCredential(ctx, id);
}

export async function replaceCredential(
  ctx: CredentialContext,
  expectedVersion: number,
  after: Credential,
  action: Replacement,
): Promise<Credential> {
  const result = await storeReplacement(ctx, expectedVersion, after, action, []);
  if (result !== "stored") throw changedMeanwhile();
  return pushStoredCredential(ctx, after.id);
}

type Replacement = "credential.edit" | "credential.rotate";

export function storeReplacement(
  ctx: CredentialContext,
  expectedVersion: number,
  after: Credential,
  action: Replacement,
  definitions: readonly CheckedDefinition[],
): Promise<StoreCredentialResult> {
  const { databases, member } = ctx;
  const entry = auditRecord(ctx, action, `credential:${after.id}`);
  return updateCredential(databases, member, expectedVersion, after, definitions, entry);
}

export const changedMeanwhile = () =>
  problem.conflict(
    "Someone else changed this credential. Reload it and repeat your change.",
    "credential_changed",
  );

/** Reads the credential from the database and pushes it, so that the object has the stored state. */
export async function pushStoredCredential(
  ctx: CredentialContext,
  id: string,
): Promise<Credential> {
  const stored = await findCredential(ctx.databases.home, id);
  if (!stored) throw new Error(`Credential ${id} is gone, though credentials are never deleted.`);
  await ctx.pushCredential(stored);
  return stored;
}

export async function issueSecret(
  ctx: CredentialContext,
  kind: CredentialKind,
  credentialId: string,
  id: number,
): Promise<{ secret: string; storedSecret: Secret }> {
  const prefix = kind === "token" ? "efp" : "efs";
  const secret = await createSecret(ctx.keys, prefix, credentialId, ctx.random.bytes(32));
  const first_characters = secret.slice(0, publicPartLength);
  const hash = await sha256(secret);
  const last_characters = secret.slice(-4);
  const characters = { first_characters, last_characters };
  const created_at = ctx.now();
  return { secret, storedSecret: { id, hash, ...characters, created_at, expires_at: null } };
}
