import { and, eq, sql } from "drizzle-orm";
import { lazySql } from "#store/db/lazy.ts";
import { retryTransient } from "#store/db/retry.ts";
import type { HomeDatabase } from "#store/db/database.ts";
import { webhook } from "#store/db/schema.ts";
import { homeStatement } from "#store/db/statement.ts";
import { neverEndsMs } from "./valid-credentials.ts";

/**
 * SQL for the time when the rights of a webhook's maker end; 0 if they have ended. Must agree with `isValidCredential`.
 * Each read of a webhook selects it to decide whether the webhook can send.
 */
export const rightsEndAtSql = lazySql(
  () => sql<number>`case when ${webhook.maker} like 'member:%'
    then iif(exists (select 1 from member where id = substr(${webhook.maker}, 8) and disabled_at is null),
      ${sql.raw(neverEndsMs)}, 0)
    else coalesce((select case when c.revoked_at is not null or (c.kind <> 'client' and m.disabled_at is not null)
        then 0 else coalesce(c.expires_at, ${sql.raw(neverEndsMs)}) end
      from credential c join member m on m.id = c.member_id
      where c.id = substr(${webhook.maker}, 12)), 0) end`,
);

/** The time of the next attempt and the error of the failed one. */
export interface PendingRetry {
  retryAt: number | null;
  lastError: string | null;
}

const updateRetryStatement = homeStatement<PendingRetry & { id: string }>((db, v) =>
  db
    .update(webhook)
    .set({ retryAt: v.retryAt, lastError: v.lastError })
    .where(and(eq(webhook.id, v.id), eq(webhook.state, "active"))),
);

/** Stores the pending retry of an active webhook for its readers; null after a success. Keeps its version. */
export async function storePendingRetry(
  db: HomeDatabase,
  id: string,
  retry: PendingRetry,
): Promise<void> {
  await retryTransient(db, () => updateRetryStatement(db, { id, ...retry }).run());
}
