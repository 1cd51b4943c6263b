import { textOf } from "#admin/form-input.ts";
import {
  type Credential,
  type Resources,
  type CredentialKind,
  findValidSecrets,
} from "#domain/credential/credential.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import type { Permission } from "#domain/credential/permissions.ts";
import type { Tone } from "#html/parts.tsx";
import { dayInZone, formatTimestamp } from "#domain/time.ts";

export const credentialLabels = {
  purpose: "Purpose",
  permissions: "Permissions",
  resources: "Resources",
  kind: "Kind",
  name: "Name",
  expires: "Expires",
  expires_on: "Expiry date",
  requests: "Requests per minute",
  writes: "Writes per minute",
  origins: "Allowed origins",
};

export const toTextList = (value: unknown): string[] =>
  Array.isArray(value) ? value.map(textOf) : value === undefined ? [] : [textOf(value)];

/** A summary like “Read, write”. Write includes create, so it omits create after write. */
function describeActions(actions: readonly string[]): string {
  const visibleActions = actions.filter(
    (action) => action !== "create" || !actions.includes("write"),
  );
  const text = visibleActions.join(", ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A short description of permissions: “Read, write”, “Create submissions”, “Edit definitions”. */
function describePermissions(permissions: readonly Permission[]): string {
  const actionsOf = (prefix: string) =>
    permissions.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
  const recordActions = actionsOf("records:");
  const submissionActions = actionsOf("submissions:");
  const schemaActions = actionsOf("schema:");
  const dataText =
    recordActions.length > 0 && submissionActions.length > 0
      ? describeActions([...new Set([...recordActions, ...submissionActions])])
      : recordActions.length > 0
        ? `${describeActions(recordActions)} records`
        : submissionActions.length > 0
          ? `${describeActions(submissionActions)} submissions`
          : "";
  if (schemaActions.includes("write"))
    return dataText === "" ? "Edit definitions" : `${dataText}, edit definitions`;
  if (dataText !== "") return dataText;
  if (schemaActions.includes("read")) return "Read definitions";
  return permissions.length > 0 ? "Manage webhooks" : "No permissions";
}

/** What a credential may do with the items of one kind: “Read, write”. */
export function describePermissionsOf(
  { permissions }: Pick<Credential, "permissions">,
  kind: CollectionKind,
): string {
  const prefix = kind === "app" ? "records:" : "submissions:";
  const own = permissions.filter((name) => name.startsWith(prefix) || name.startsWith("schema:"));
  return own.length === 0 ? "Nothing" : describePermissions(own);
}

/** A short description of resources: “All forms and apps”, “2 forms, 1 app”. */
export function describeResources(resources: Resources): string {
  if (resources === "all") return "All forms and apps";
  const formatKindCount = (kind: string) => {
    const number = resources.filter((resource) => resource.startsWith(`${kind}:`)).length;
    const counted = `${number} ${kind}${number === 1 ? "" : "s"}`;
    return number === 0 ? "" : counted;
  };
  const counts = [formatKindCount("form"), formatKindCount("app")].filter((text) => text !== "");
  const parts = resources.filter((resource) => resource.includes("/")).length;
  if (parts === 0) return counts.join(", ");
  return parts === resources.length
    ? `Part of ${counts.join(", ")}`
    : `${counts.join(", ")} (${parts} in part)`;
}

export function describeAccess({
  permissions,
  resources,
}: Pick<Credential, "permissions" | "resources">): string {
  return `${describePermissions(permissions)} · ${describeResources(resources)}`;
}

const expiryWarningMs = 14 * 24 * 60 * 60 * 1000;

export type CredentialState = "active" | "ends_soon" | "expired" | "revoked";

export const credentialStateBadges: Record<CredentialState, readonly [name: string, tone: Tone]> = {
  active: ["Active", "good"],
  ends_soon: ["Expires soon", "warn"],
  expired: ["Expired", "bad"],
  revoked: ["Revoked", "quiet"],
};

export function credentialStateAt(
  { revokedAt, expiresAt }: Pick<Credential, "revokedAt" | "expiresAt">,
  now: number,
): CredentialState {
  if (revokedAt !== null) return "revoked";
  if (expiresAt === null || expiresAt > now + expiryWarningMs) return "active";
  return expiresAt > now ? "ends_soon" : "expired";
}

export const credentialKindLabels: Record<CredentialKind, string> = {
  token: "Personal token",
  client: "API client",
};

/** The label of each permission. */
export const permissionLabels: Record<Permission, string> = {
  "records:read": "Read and search records",
  "records:create": "Create records",
  "records:write": "Create and edit records",
  "submissions:read": "Read and search submissions",
  "submissions:create": "Create and validate submissions",
  "submissions:write": "Create and edit submissions",
  "submissions:delete": "Delete submissions",
  "schema:read": "Read definitions and OpenAPI documents",
  "schema:write": "Create and edit forms and apps",
  "webhooks:manage": "Manage webhooks and view deliveries",
};

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

export const clientId = ({ id }: Credential) => `efc_${id}`;

/** Describes an expiry. If it is the end of a day, names the day and its time zone. */
function describeExpiry(at: number | null, zone: string | null): string {
  if (at === null) return "never";
  if (zone === null) return `at ${formatTimestamp(at).slice(0, 16).replace("T", " ")} UTC`;
  return `at the end of ${dayInZone(at - 1, zone)} (${zone})`;
}

export const credentialPath = ({ id }: Pick<Credential, "id">) => `/admin/integrations/${id}`;
