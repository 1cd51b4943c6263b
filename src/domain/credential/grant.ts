import type { Permission } from "./permissions";
import type { Resources } from "./resources";
import type { CredentialKind, Limits } from "./credential";

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
