import type { Exchanged } from "#domain/credential/credential.ts";
import type { Permission } from "#domain/credential/permissions.ts";
import type { SigningKeys } from "#domain/credential/keys.ts";
import { makeAccessToken, readSecret, type Presented } from "#domain/credential/tokens.ts";

/** What exchanging a client's secret needs from outside. */
export interface ExchangeContext {
  keys: SigningKeys;
  now(): number;
  /** Asks the credential's object, or what stands in for it; undefined where the secret is not good. */
  admit(presented: Presented): Promise<Exchanged | undefined>;
}

export interface AccessGrant {
  accessToken: string;
  /** Seconds. */
  expiresIn: number;
  scope: Permission[];
}

export type ExchangeRefusal =
  | { refusal: "unknown_client" }
  /** In a minute; with the seconds to wait. */
  | { refusal: "too_many"; retryAfter: number }
  | { refusal: "unsupported_grant_type" }
  /** With what the client may ask for. */
  | { refusal: "invalid_scope"; had: readonly Permission[] };

const lifetime = 3600;

/** RFC 6749, section 4.4: an access token for a client that knows its secret, never longer than the client lives. */
export async function exchangeClientSecret(
  ctx: ExchangeContext,
  client: { id: string; secret: string },
  asked: { grantType: string; scope: string | null },
): Promise<AccessGrant | ExchangeRefusal> {
  const presented = await readSecret(ctx.keys, "efs", client.secret);
  if (!presented || client.id !== `efc_${presented.credentialId}`) {
    return { refusal: "unknown_client" };
  }
  const exchanged = await ctx.admit(presented);
  if (!exchanged) return { refusal: "unknown_client" };
  if ("retryAfter" in exchanged) return { refusal: "too_many", ...exchanged };
  if (asked.grantType !== "client_credentials") return { refusal: "unsupported_grant_type" };
  const { permissions, expiresAt } = exchanged.grant;
  const scope = scopeOf(asked.scope, permissions);
  if (!scope) return { refusal: "invalid_scope", had: permissions };
  const now = ctx.now();
  const expiresIn = Math.min(lifetime, Math.floor(((expiresAt ?? Infinity) - now) / 1000));
  const accessToken = await makeAccessToken(ctx.keys, {
    credentialId: presented.credentialId,
    secretId: exchanged.secretId,
    expiresAt: now + expiresIn * 1000,
    scope,
  });
  return { accessToken, expiresIn, scope };
}

/** What was asked for, if the client has all of it; everything that it has when nothing was asked. */
function scopeOf(asked: string | null, had: readonly Permission[]): Permission[] | undefined {
  const names = (asked ?? "").split(" ").filter((name) => name !== "");
  const scope = had.filter((permission) => names.length === 0 || names.includes(permission));
  return names.every((name) => scope.some((permission) => permission === name)) ? scope : undefined;
}
