import { and, eq, gt, gte, isNotNull, isNull, lt, lte, or } from "drizzle-orm";
import type { Credential, CredentialKind } from "../../domain/credential/credential";
import { attempt } from "../db/attempt";
import { credential } from "../db/people-schema";
import { credentialFromRow, selectCredentials } from "./credentials";

export const credentialStates = ["current", "ends_soon", "expired", "revoked", "all"] as const;
export type CredentialStateFilter = (typeof credentialStates)[number];

export interface CredentialFilter {
  /** Those of one member; null for everybody's. */
  memberId: string | null;
  kind?: CredentialKind | undefined;
  state: CredentialStateFilter;
  /** Milliseconds since 1970. */
  now: number;
  /** What counts as soon. */
  soon: number;
}

function inState({ state, now, soon }: CredentialFilter) {
  switch (state) {
    case "current":
      return isNull(credential.revokedAt);
    case "ends_soon":
      return and(
        isNull(credential.revokedAt),
        gt(credential.expiresAt, now),
        lt(credential.expiresAt, soon),
      );
    case "expired":
      return and(isNull(credential.revokedAt), lte(credential.expiresAt, now));
    case "revoked":
      return isNotNull(credential.revokedAt);
    case "all":
      return undefined;
  }
}

/** A page of credentials, newest first; `before` is the id of the last one of the page before. */
export async function listCredentials(
  db: D1Database,
  filter: CredentialFilter,
  before: string | null,
  limit: number,
): Promise<Credential[]> {
  const { memberId, kind } = filter;
  const rows = await attempt(() =>
    selectCredentials(
      db,
      and(
        inState(filter),
        memberId === null ? undefined : eq(credential.memberId, memberId),
        kind === undefined ? undefined : eq(credential.kind, kind),
        before === null ? undefined : lt(credential.id, before),
      ),
      limit,
    ),
  );
  return rows.map(credentialFromRow);
}

const mostOfMember = 1000;

/** Those of a member that are not revoked, or were with its removal at `since`. */
export async function listMemberCredentials(
  db: D1Database,
  memberId: string,
  since: number,
): Promise<Credential[]> {
  const live = or(isNull(credential.revokedAt), gte(credential.revokedAt, since));
  const rows = await attempt(() =>
    selectCredentials(db, and(eq(credential.memberId, memberId), live), mostOfMember),
  );
  return rows.map(credentialFromRow);
}
