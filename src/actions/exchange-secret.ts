import type { ExchangeResult } from "#domain/credential/credential.ts";
import {
  permissions as everyPermission,
  permissionsAllow,
  type Permission,
} from "#domain/credential/permissions.ts";
import type { SigningKeys } from "#domain/credential/keys.ts";
import {
  createAccessToken,
  decodeSecret,
  type PresentedCredential,
} from "#domain/credential/tokens.ts";

/** The dependencies of exchanging a client's secret. */
export interface ExchangeContext {
  keys: SigningKeys;
  now(): number;
  /** Calls the credential's Durable Object or its fallback. Returns undefined for an invalid secret. */
  admit(presented: PresentedCredential): Promise<ExchangeResult | undefined>;
}

export interface AccessGrant {
  accessToken: string;
  /** Seconds. */
  expiresIn: number;
  scope: Permission[];
}

export type ExchangeError =
  | { error: "unknown_client" }
  /** The client made too many requests in a minute. `retryAfter` is in seconds. */
  | { error: "too_many"; retryAfter: number }
  | { error: "unsupported_grant_type" }
  /** `allowedScope` lists the permissions that the client may request. */
  | { error: "invalid_scope"; allowedScope: readonly Permission[] };

const tokenLifetimeSeconds = 3600;

/** Issues an access token (RFC 6749, section 4.4). It never outlives the client. */
export async function exchangeClientSecret(
  ctx: ExchangeContext,
  client: { id: string; secret: string },
  request: { grantType: string; scope: string | null },
): Promise<AccessGrant | ExchangeError> {
  const presented = await decodeSecret(ctx.keys, "efs", client.secret);
  if (!presented || client.id !== `efc_${presented.credentialId}`) {
    return { error: "unknown_client" };
  }
  const exchangeResult = await ctx.admit(presented);
  if (!exchangeResult) return { error: "unknown_client" };
  if ("retryAfter" in exchangeResult) return { error: "too_many", ...exchangeResult };
  if (request.grantType !== "client_credentials") return { error: "unsupported_grant_type" };
  const { permissions, expiresAt } = exchangeResult.grant;
  const scope = findGrantedScope(request.scope, permissions);
  if (!scope) return { error: "invalid_scope", allowedScope: permissions };
  const now = ctx.now();
  const expiresIn = Math.min(
    tokenLifetimeSeconds,
    Math.floor(((expiresAt ?? Infinity) - now) / 1000),
  );
  const accessToken = await createAccessToken(ctx.keys, {
    credentialId: presented.credentialId,
    secretId: exchangeResult.secretId,
    expiresAt: now + expiresIn * 1000,
    scope,
  });
  return { accessToken, expiresIn, scope };
}

/** Returns the requested scope if the client has all of it. Without a requested scope, returns all its permissions. */
function findGrantedScope(
  requestedScope: string | null,
  allowedScope: readonly Permission[],
): Permission[] | undefined {
  const names = (requestedScope ?? "").split(" ").filter((name) => name !== "");
  if (names.length === 0) return [...allowedScope];
  const scope = everyPermission.filter(
    (name) => names.includes(name) && permissionsAllow(allowedScope, name),
  );
  return names.every((name) => scope.some((permission) => permission === name)) ? scope : undefined;
}
