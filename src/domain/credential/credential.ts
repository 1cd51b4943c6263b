import type { Permission } from "./permissions";
import type { Resources } from "./resources";
import type { Role } from "./roles";
import type { Usage } from "./usage";

export type CredentialKind = "token" | "client";

/** One live secret of a credential; two can live at a time, so that one can be rotated without downtime. */
export interface Secret {
  /** Distinguishes the secrets of one credential, and the access tokens that they were exchanged for. */
  id: number;
  /** SHA-256 of the whole secret, base64url. */
  hash: string;
  first_characters: string;
  /** Tells one secret from another; absent of those that were made before it was kept. */
  last_characters?: string;
  created_at: number;
  expires_at: number | null;
}

export interface Credential {
  id: string;
  /** Grows with every change, that of its member included. */
  version: number;
  kind: CredentialKind;
  name: string;
  permissions: Permission[];
  resources: Resources;
  /** Requests and writes in any 60 seconds. */
  limits: Limits;
  secrets: Secret[];
  expiresAt: number | null;
  /** The zone in which the day ends that was chosen; null where no day was. */
  expiresZone: string | null;
  /** Pages of these origins may call with it from a browser. */
  origins: string[];
  revokedAt: number | null;
  createdAt: number;
  createdBy: { id: string; role: Role | null };
  lastUsedAt: number | null;
  usage: Usage;
  /** Whether it was ever called, so that its object knows it and has to be told of changes. */
  called: boolean;
}

export interface Limits {
  requests: number;
  writes: number;
}

/** Of one member, those that are neither revoked nor expired. */
export const mostLiveCredentials = 100;

export const mostOrigins = 20;

export const defaultLimits: Limits = { requests: 600, writes: 120 };

/** The secrets that are accepted at `now`. */
export function liveSecrets(credential: Credential, now: number): Secret[] {
  return credential.secrets.filter(({ expires_at }) => expires_at === null || now < expires_at);
}

/** Whether the credential itself is good at `now`; a personal token dies with its member. */
export function isLive(credential: Credential, now: number): boolean {
  if (credential.revokedAt !== null) return false;
  if (credential.expiresAt !== null && now >= credential.expiresAt) return false;
  return credential.kind === "client" || credential.createdBy.role !== null;
}
