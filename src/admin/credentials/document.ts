import { liveSecrets, type Credential } from "../../domain/credential/credential";
import { dayInZone } from "../../domain/time-zone";
import { stamp } from "../../domain/time";
import { stateOf } from "./state";

const stampOr = (at: number | null) => (at === null ? null : stamp(at));

/** A credential as scripts read it. */
export function credentialDocument(credential: Credential, now: number) {
  const { id, version, kind, name, permissions, resources, limits } = credential;
  const { expiresAt, expiresZone } = credential;
  return {
    id,
    version,
    kind,
    name,
    state: stateOf(credential, now),
    ...(kind === "client" ? { client_id: clientId(credential) } : {}),
    secrets: liveSecrets(credential, now).map((secret) => ({
      first_characters: secret.first_characters,
      last_characters: secret.last_characters ?? null,
      created_at: stamp(secret.created_at),
      expires_at: stampOr(secret.expires_at),
    })),
    permissions,
    resources,
    limits,
    origins: credential.origins,
    created_by: credential.createdBy.id,
    created_at: stamp(credential.createdAt),
    expires_at: stampOr(expiresAt),
    expires: expiryInWords(expiresAt, expiresZone),
    revoked_at: stampOr(credential.revokedAt),
    last_used_at: stampOr(credential.lastUsedAt),
  };
}

export const clientId = ({ id }: Credential) => `efc_${id}`;

/** A credential that ends with a day says with which, and where. */
function expiryInWords(at: number | null, zone: string | null): string {
  if (at === null) return "never";
  if (zone === null) return `at ${stamp(at).slice(0, 16).replace("T", " ")} UTC`;
  return `at the end of ${dayInZone(at - 1, zone)} (${zone})`;
}
