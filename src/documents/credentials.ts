import {
  clientId,
  credentialStateAt,
  findValidSecrets,
  type Credential,
} from "#domain/credential/credential.ts";
import { dayInZone, formatTimestamp } from "#domain/time.ts";

const formatTimestampOrNull = (at: number | null) => (at === null ? null : formatTimestamp(at));

/** A credential as JSON. */
export function credentialDocument(credential: Credential, now: number) {
  const { id, version, kind, name, permissions, resources, limits } = credential;
  const { expiresAt, expiresZone } = credential;
  return {
    id,
    version,
    kind,
    name,
    state: credentialStateAt(credential, now),
    ...(kind === "client" ? { client_id: clientId(credential) } : {}),
    secrets: findValidSecrets(credential, now).map((secret) => ({
      first_characters: secret.first_characters,
      last_characters: secret.last_characters ?? null,
      created_at: formatTimestamp(secret.created_at),
      expires_at: formatTimestampOrNull(secret.expires_at),
    })),
    permissions,
    resources,
    limits,
    origins: credential.origins,
    created_by: credential.createdBy.id,
    created_at: formatTimestamp(credential.createdAt),
    expires_at: formatTimestampOrNull(expiresAt),
    expires: describeExpiry(expiresAt, expiresZone),
    revoked_at: formatTimestampOrNull(credential.revokedAt),
    last_used_at: formatTimestampOrNull(credential.lastUsedAt),
  };
}

/** Describes an expiry. If it is the end of a day, includes the day and its time zone. */
function describeExpiry(at: number | null, zone: string | null): string {
  if (at === null) return "never";
  if (zone === null) return `at ${formatTimestamp(at).slice(0, 16).replace("T", " ")} UTC`;
  return `at the end of ${dayInZone(at - 1, zone)} (${zone})`;
}
