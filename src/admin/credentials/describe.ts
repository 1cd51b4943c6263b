import { textOf } from "#admin/form-input.ts";
import { type Credential, type Resources, type CredentialKind, liveSecrets } from "#domain/credential/credential.ts";
import type { Permission } from "#domain/credential/permissions.ts";
import type { Tone } from "#html/parts.tsx";
import { dayInZone, stamp } from "#domain/time.ts";

export const labels = {
  purpose: "Purpose",
  permissions: "Permissions",
  resources: "Access to",
  kind: "Kind",
  name: "Name",
  expires: "Expires",
  expires_on: "Day",
  requests: "Requests a minute",
  writes: "Writes a minute",
  origins: "Allowed origins",
};

export const listed = (value: unknown): string[] =>
  Array.isArray(value) ? value.map(textOf) : value === undefined ? [] : [textOf(value)];

const verbs: Record<string, string> = {
  read: "read",
  create: "create",
  write: "write",
  delete: "delete",
};

/** As in “Read, write”: whoever may write may create. */
function tell(actions: readonly string[]): string {
  const told = actions.filter((each) => each !== "create" || !actions.includes("write"));
  const text = told.map((each) => verbs[each] ?? each).join(", ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Permissions in a few words: “Read, write”, “Create submissions”, “Define”. */
function permissionsInWords(permissions: readonly Permission[]): string {
  const of = (noun: string) =>
    permissions.filter((each) => each.startsWith(noun)).map((each) => each.split(":")[1] ?? "");
  const [records, submissions, schema] = [of("records:"), of("submissions:"), of("schema:")];
  const data =
    records.length > 0 && submissions.length > 0
      ? tell([...new Set([...records, ...submissions])])
      : records.length > 0
        ? `${tell(records)} records`
        : submissions.length > 0
          ? `${tell(submissions)} submissions`
          : "";
  if (data === "" && permissions.every((each) => each === "webhooks:manage"))
    return "Manage webhooks";
  if (!schema.includes("write")) return data || "Read definitions";
  return data === "" ? "Define forms and apps" : `${data}, define`;
}

/** What is reached in a few words: “everything”, “2 forms, 1 app”. */
export function resourcesInWords(resources: Resources): string {
  if (resources === "all") return "everything";
  const count = (kind: string) => {
    const found = resources.filter((each) => each.startsWith(`${kind}:`)).length;
    return found === 0 ? "" : `${found} ${kind}${found === 1 ? "" : "s"}`;
  };
  return [count("form"), count("app")].filter((each) => each !== "").join(", ");
}

export function accessInWords({
  permissions,
  resources,
}: Pick<Credential, "permissions" | "resources">): string {
  return `${permissionsInWords(permissions)} · ${resourcesInWords(resources)}`;
}

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

export const kindNames: Record<CredentialKind, string> = {
  token: "Personal token",
  client: "API client",
};

/** What a permission lets a system do, as people say it. */
export const permissionNames: Record<Permission, string> = {
  "records:read": "Read and search records",
  "records:create": "Create records",
  "records:write": "Create and change records",
  "submissions:read": "Read and search submissions",
  "submissions:create": "Create and check submissions",
  "submissions:write": "Create and change submissions",
  "submissions:delete": "Delete submissions",
  "schema:read": "Read definitions and API documents",
  "schema:write": "Make and change forms and apps",
  "webhooks:manage": "Make and change webhooks, and look at their deliveries",
};

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
