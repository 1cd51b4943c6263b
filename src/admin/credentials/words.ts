import type { CredentialKind } from "../../domain/credential/credential";
import type { Permission } from "../../domain/credential/permissions";

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
