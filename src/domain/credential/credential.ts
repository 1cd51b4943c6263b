import type { CollectionKind } from "#domain/definition/collection.ts";
import type { Permission, Role } from "./permissions.ts";

/** All apps and forms, or the ones named `app:KEY` and `form:KEY`, or the parts of them named `app:KEY/VIEW`. */
export type Resources = "all" | readonly string[];

/** The part of a collection that resources include: all of it, one of its views, or nothing. */
export type Reach = "whole" | { view: string } | null;

export function resourceExtent(resources: Resources, kind: CollectionKind, key: string): Reach {
  const name = `${kind}:${key}`;
  if (resources === "all" || resources.includes(name)) return "whole";
  const narrow = resources.find((resource) => resource.startsWith(`${name}/`));
  return narrow === undefined ? null : { view: narrow.slice(name.length + 1) };
}

/** Whether the caller sees the collection, or a part of it. */
export function isVisible(resources: Resources, kind: CollectionKind, key: string): boolean {
  return resourceExtent(resources, kind, key) !== null;
}

/** Whether the caller sees all of the collection. */
export function hasWholeAccess(resources: Resources, kind: CollectionKind, key: string): boolean {
  return resourceExtent(resources, kind, key) === "whole";
}

/** Whether the resources include only views of collections. */
export function isNarrow(resources: Resources): boolean {
  return resources !== "all" && resources.some((name) => name.includes("/"));
}

/** Returns the visible keys of one kind, or "all". */
export function visibleKeys(resources: Resources, kind: CollectionKind): "all" | string[] {
  if (resources === "all") return "all";
  return resources
    .filter((name) => name.startsWith(`${kind}:`))
    .map((name) => name.slice(kind.length + 1).replace(/\/.*/, ""));
}

export interface CallCounts {
  calls: number;
  refused: number;
}

/** The number of calls: by hour since 1970 for the last day, and by day (UTC) for the last 30 days. */
export interface Usage {
  hours: Record<number, CallCounts>;
  days: Record<number, CallCounts>;
}

export const emptyUsage = (): Usage => ({ hours: {}, days: {} });

const hourMs = 60 * 60 * 1000;

/** The maximum delay until the object of a credential writes its counts to the database. */
export const maxUsageDelayMs = hourMs;

/** The last use and the counts of a credential. */
export interface CredentialUse {
  lastUsedAt: number | null;
  usage: Usage;
}

/**
 * Whether the object of the credential may have counts that the database lacks. A report can be late by the maximum
 * delay, and the last use in it can be older by the same delay.
 */
export const mayHaveNewerUse = ({ lastUsedAt }: CredentialUse, now: number): boolean =>
  lastUsedAt !== null && lastUsedAt > now - 2 * maxUsageDelayMs;

const periodMs = { hours: hourMs, days: 24 * hourMs };

/** Builds the usage from the hourly counts of the last 30 days. */
export function buildUsage(hours: Record<number, CallCounts>, now: number): Usage {
  const usage = emptyUsage();
  const firstHour = Math.floor(now / hourMs) - 24;
  for (const [hour, { calls, refused }] of Object.entries(hours)) {
    const dayCounts = (usage.days[Math.floor(Number(hour) / 24)] ??= { calls: 0, refused: 0 });
    dayCounts.calls += calls;
    dayCounts.refused += refused;
    if (Number(hour) >= firstHour) usage.hours[Number(hour)] = { calls, refused };
  }
  return usage;
}

/** Sums the calls and rejected calls of the hours or days that start at or after `from` and before `until`. */
export function countCalls(
  usage: Usage,
  period: keyof Usage,
  from: number,
  until = Infinity,
): { requests: number; refusals: number } {
  const periods = Object.entries(usage[period]).filter(
    ([index]) =>
      Number(index) * periodMs[period] >= from && Number(index) * periodMs[period] < until,
  );
  return {
    requests: periods.reduce((sum, [, { calls }]) => sum + calls, 0),
    refusals: periods.reduce((sum, [, { refused }]) => sum + refused, 0),
  };
}

export type CredentialKind = "token" | "client";

/** The states that can filter a list of credentials. */
export const credentialStates = ["current", "ends_soon", "expired", "revoked", "all"] as const;
export type CredentialStateFilter = (typeof credentialStates)[number];

/**
 * A secret of a credential. Two secrets can be valid at the same time, so that they can be rotated without downtime.
 */
export interface Secret {
  /** Distinguishes the secrets of one credential. An access token names the secret that created it. */
  id: number;
  /** SHA-256 of the whole secret, base64url. */
  hash: string;
  first_characters: string;
  /** Lets members recognize the secret. Older secrets lack it. */
  last_characters?: string;
  created_at: number;
  expires_at: number | null;
}

export interface Credential {
  id: string;
  /** Increases with every change of the credential or its member. */
  version: number;
  kind: CredentialKind;
  name: string;
  permissions: Permission[];
  resources: Resources;
  /** Requests and writes in any 60 seconds. */
  limits: RateLimits;
  secrets: Secret[];
  expiresAt: number | null;
  /** The time zone of the chosen expiry day; null when no day was chosen. */
  expiresZone: string | null;
  /** The origins whose browser pages may use the credential. */
  origins: string[];
  revokedAt: number | null;
  createdAt: number;
  createdBy: { id: string; role: Role | null };
  lastUsedAt: number | null;
  usage: Usage;
  /** Whether the credential was ever used. Its object then has a copy, and must get every change. */
  called: boolean;
}

export interface RateLimits {
  requests: number;
  writes: number;
}

/** The maximum number of credentials of one member. Revoked and expired credentials do not count. */
export const maxValidCredentials = 100;

export const maxOrigins = 20;

export const defaultRateLimits: RateLimits = { requests: 600, writes: 120 };

/** Returns the secrets that are valid at `now`. */
export function findValidSecrets(credential: Credential, now: number): Secret[] {
  return credential.secrets.filter(({ expires_at }) => expires_at === null || now < expires_at);
}

/** Whether the credential is valid at `now`. A personal token ends with its member. */
export function isValidCredential(credential: Credential, now: number): boolean {
  if (credential.revokedAt !== null) return false;
  if (credential.expiresAt !== null && now >= credential.expiresAt) return false;
  return credential.kind === "client" || credential.createdBy.role !== null;
}

export type CredentialState = "active" | "ends_soon" | "expired" | "revoked";

const expiryWarningMs = 14 * 24 * 60 * 60 * 1000;

export function credentialStateAt(
  { revokedAt, expiresAt }: Pick<Credential, "revokedAt" | "expiresAt">,
  now: number,
): CredentialState {
  if (revokedAt !== null) return "revoked";
  if (expiresAt === null || expiresAt > now + expiryWarningMs) return "active";
  return expiresAt > now ? "ends_soon" : "expired";
}

/** Returns the client ID of the credential in the client credentials grant. */
export const clientId = ({ id }: Pick<Credential, "id">) => `efc_${id}`;

/** The rights of a request with a valid credential. */
export interface Grant {
  credentialId: string;
  kind: CredentialKind;
  name: string;
  permissions: Permission[];
  resources: Resources;
  limits: RateLimits;
  expiresAt: number | null;
  /** Absent when the credential's object stored its copy before origins existed. */
  origins?: string[];
}

/** The grant and the secret's id for a new access token, or the seconds to wait before a retry. */
export type ExchangeResult = { grant: Grant; secretId: number } | { retryAfter: number };
