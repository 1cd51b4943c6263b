import type { Credential } from "../../domain/credential/credential";
import type { Tone } from "../../html/parts/badge";

const soon = 14 * 24 * 60 * 60 * 1000;

export type CredentialState = "active" | "ends_soon" | "expired" | "revoked";

export const stateNames: Record<CredentialState, readonly [name: string, tone: Tone]> = {
  active: ["Active", "good"],
  ends_soon: ["Expires soon", "warn"],
  expired: ["Expired", "bad"],
  revoked: ["Revoked", "quiet"],
};

export function stateOf(
  { revokedAt, expiresAt }: Pick<Credential, "revokedAt" | "expiresAt">,
  now: number,
): CredentialState {
  if (revokedAt !== null) return "revoked";
  if (expiresAt === null || expiresAt > now + soon) return "active";
  return expiresAt > now ? "ends_soon" : "expired";
}
