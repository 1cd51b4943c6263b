import { sql, type SQL } from "drizzle-orm";
import { credential, member } from "#store/db/schema.ts";

/** A time after every other, for rights that do not end. */
export const neverEndsMs = String(Number.MAX_SAFE_INTEGER);

/**
 * SQL for `isValidCredential`. A partial index contains the credentials that are not revoked, by this time of their
 * expiry.
 */
export const isValidSql = (now: number | SQL): SQL =>
  sql`${credential.revokedAt} is null
    and coalesce(${credential.expiresAt}, ${sql.raw(neverEndsMs)}) > ${now}
    and (${credential.kind} = 'client' or exists (select 1 from ${member}
      where ${member.id} = ${credential.memberId} and ${member.disabledAt} is null))`;
