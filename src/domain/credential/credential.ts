import type { CollectionKind } from "#domain/definition/collection.ts";
import type { Permission, Role } from "./permissions.ts";

/** All apps and forms, or those named `app:KEY` and `form:KEY`. */
export type Resources = "all" | readonly string[];

export function isVisible(resources: Resources, kind: CollectionKind, key: string): boolean {
  return resources === "all" || resources.includes(`${kind}:${key}`);
}

/** The keys of one kind that are visible, or "all". */
export function visibleKeys(resources: Resources, kind: CollectionKind): "all" | string[] {
  if (resources === "all") return "all";
  return resources
    .filter((name) => name.startsWith(`${kind}:`))
    .map((name) => name.slice(kind.length + 1));
}

export interface Counted {
  calls: number;
  refused: number;
}

/** How many calls there were, as lists know it: by hours since 1970 for a day, by days (UTC) for 30. */
export interface Usage {
  hours: Record<number, Counted>;
  days: Record<number, Counted>;
}

export const noUsage = (): Usage => ({ hours: {}, days: {} });

const hour = 60 * 60 * 1000;
const lengths = { hours: hour, days: 24 * hour };

/** What is told of counts that are kept by the hour for 30 days. */
export function usageOf(hours: Record<number, Counted>, now: number): Usage {
  const usage = noUsage();
  const since = Math.floor(now / hour) - 24;
  for (const [each, { calls, refused }] of Object.entries(hours)) {
    const counted = (usage.days[Math.floor(Number(each) / 24)] ??= { calls: 0, refused: 0 });
    counted.calls += calls;
    counted.refused += refused;
    if (Number(each) >= since) usage.hours[Number(each)] = { calls, refused };
  }
  return usage;
}

/** Calls and refusals of the hours or days that begin at `from` or later and before `until`. */
export function countCalls(
  usage: Usage,
  by: keyof Usage,
  from: number,
  until = Infinity,
): { requests: number; refusals: number } {
  const counted = Object.entries(usage[by]).filter(
    ([each]) => Number(each) * lengths[by] >= from && Number(each) * lengths[by] < until,
  );
  return {
    requests: counted.reduce((sum, [, { calls }]) => sum + calls, 0),
    refusals: counted.reduce((sum, [, { refused }]) => sum + refused, 0),
  };
}

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

/** What a request may do, once its credential is known. */
export interface Grant {
  credentialId: string;
  kind: CredentialKind;
  name: string;
  permissions: Permission[];
  resources: Resources;
  limits: Limits;
  expiresAt: number | null;
  /** Absent of a credential that its object kept before there were any. */
  origins?: string[];
}

/** What a client's secret is exchanged for, or when to come back; the access token names the secret by its id. */
export type Exchanged = { grant: Grant; secretId: number } | { retryAfter: number };
