import { and, eq, isNull, sql } from "drizzle-orm";
import { emptyUsage, type Credential, type Usage } from "#domain/credential/credential.ts";
import type { HomeDatabase } from "#store/db/database.ts";
import { retryTransient } from "#store/db/retry.ts";
import { credential } from "#store/db/schema.ts";
import { homeStatement, pick } from "#store/db/statement.ts";
import { credentialFromRow, selectCredential, type CredentialRow } from "./credentials.ts";

/** The queries of a credential's object. */

const subscribe = homeStatement<{ id: string; usage: string }>((db, v) =>
  db
    .update(credential)
    .set(pick(v, ["usage"]))
    .where(and(eq(credential.id, v.id), isNull(credential.usage))),
);

/**
 * Loads a credential for a gate object that has no copy of it. Setting `usage` subscribes the object to changes. One
 * batch does both, so the object misses no change.
 */
export async function loadAndSubscribe(
  db: HomeDatabase,
  id: string,
): Promise<Credential | undefined> {
  const usage = JSON.stringify(emptyUsage());
  const [, selected] = await retryTransient(db, () =>
    db.batch<CredentialRow>([subscribe(db, { id, usage }), selectCredential(db, { id })]),
  );
  const row = selected?.results[0];
  return row && credentialFromRow(row);
}

const updateUse = homeStatement<{ id: string; lastUsedAt: number; usage: string }>((db, v) =>
  db
    .update(credential)
    .set({
      lastUsedAt: sql`max(coalesce(${credential.lastUsedAt}, 0), ${v.lastUsedAt})`,
      usage: v.usage,
    })
    .where(eq(credential.id, v.id)),
);

/** Stores the last use and the call counts that the credential's object reports. */
export async function recordUse(
  db: HomeDatabase,
  id: string,
  lastUsedAt: number | null,
  usage: Usage,
): Promise<void> {
  const values = { id, lastUsedAt: lastUsedAt ?? 0, usage: JSON.stringify(usage) };
  await updateUse(db, values).run();
}
