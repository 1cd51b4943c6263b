import {
  orm,
  query,
  type Databases,
  type HomeDatabase,
  type PreparedStatement,
} from "#store/db/database.ts";
import { and, asc, count, eq, getTableColumns, ne, sql, type SQL } from "drizzle-orm";
import { lazy } from "#domain/lazy.ts";
import type { Webhook, WebhookSecret, WebhookType } from "#domain/webhook/webhook.ts";
import { insertAuditEntryIfChanged, type AuditRecord } from "./audit.ts";
import { confirmStatements, type CheckedDefinition } from "#store/data/confirm-definitions.ts";
import { classifyError, retryTransient, runOnce } from "#store/db/retry.ts";
import { webhook } from "#store/db/schema.ts";
import { named, pick, homeStatement, nextVersionSql } from "#store/db/statement.ts";
import type { Credential } from "#domain/credential/credential.ts";
import {
  credentialFromRow,
  selectCredential,
  type CredentialRow,
  type StoreResult,
} from "./credentials.ts";
import { updateListenedColumns, updateListenedStatement } from "./listened.ts";
import type { StartPositions } from "./listeners.ts";
import { rightsEndAtSql } from "./webhook-status.ts";

type StoredWebhook = typeof webhook.$inferSelect;
/** A webhook as a Drizzle query or D1 returns it. */
type WebhookRow = Omit<StoredWebhook, "starts" | "recalculations"> & {
  makerRightsEndAt: number;
  recalculations: boolean | number;
};

export const webhookColumns = lazy(() => {
  const { starts: _, ...storedColumns } = getTableColumns(webhook);
  return {
    ...storedColumns,
    makerRightsEndAt: sql<number>`${rightsEndAtSql}`.as("makerRightsEndAt"),
  };
});

export function webhookFromRow(row: WebhookRow): Webhook {
  return {
    ...row,
    state: row.state as Webhook["state"],
    types: JSON.parse(row.types) as WebhookType[],
    collections: JSON.parse(row.collections) as Webhook["collections"],
    changedFields: row.changedFields === null ? null : (JSON.parse(row.changedFields) as string[]),
    secrets: JSON.parse(row.secrets) as WebhookSecret[],
    // D1 returns 0 or 1 for booleans.
    recalculations: Boolean(row.recalculations),
  };
}

const isNotDeleted = () => ne(webhook.state, "deleted");
export const hasId = (id: string | SQL) => and(eq(webhook.id, id), isNotDeleted());

/** Selects one webhook. The object of the webhook runs this for each change. */
const selectWebhook = homeStatement<{ id: string }>((db, v) =>
  db.select(named(webhookColumns())).from(webhook).where(hasId(v.id)),
);

export async function findWebhook(db: HomeDatabase, id: string): Promise<Webhook | undefined> {
  const row = await retryTransient(db, () => selectWebhook(db, { id }).first<WebhookRow>());
  return row ? webhookFromRow(row) : undefined;
}

/** Loads a webhook and the credential that created it in one round trip. */
export async function findWebhookAndCredential(
  db: HomeDatabase,
  id: string,
  credentialId: string,
): Promise<{ hook: Webhook | undefined; credential: Credential | undefined }> {
  const [hooks, credentials] = await retryTransient(db, () =>
    db.batch([selectWebhook(db, { id }), selectCredential(db, { id: credentialId })]),
  );
  const hook = hooks?.results[0] as WebhookRow | undefined;
  const row = credentials?.results[0] as CredentialRow | undefined;
  return { hook: hook && webhookFromRow(hook), credential: row && credentialFromRow(row) };
}

/** Lists all webhooks in the order of creation. The list has no pages, because the number of webhooks is limited. */
export async function listWebhooks(db: HomeDatabase): Promise<Webhook[]> {
  const rows = await retryTransient(db, () => selectWebhooks(db));
  return rows.map(webhookFromRow);
}

export const selectWebhooks = (db: HomeDatabase) =>
  query(db, (on) =>
    on.select(webhookColumns()).from(webhook).where(isNotDeleted()).orderBy(asc(webhook.id)),
  );

/**
 * Stores a change of a webhook and updates which collections have listeners. With two databases, stores the webhook
 * first, because its row is authoritative. If updating the collections fails, the schedule repeats it. A single
 * database also confirms the definitions of the webhook's views, and the batch aborts if one has changed.
 */
async function storeChange(
  databases: Databases,
  runWithRetries: typeof runOnce,
  statements: readonly PreparedStatement<"home">[],
  definitions: readonly CheckedDefinition[] = [],
): Promise<D1Result[]> {
  const { home, singleDatabase } = databases;
  if (singleDatabase) {
    const batch = [
      ...statements,
      updateListenedStatement(singleDatabase, {}),
      ...confirmStatements(singleDatabase, definitions),
    ];
    return runWithRetries(singleDatabase, () => singleDatabase.batch(batch));
  }
  const results = await runWithRetries(home, () => home.batch(statements));
  await updateListenedColumns(databases).catch(() => undefined);
  return results;
}

const mutableColumns = [
  "name",
  "url",
  "types",
  "collections",
  "include",
  "recalculations",
  "changedFields",
  "state",
  "reason",
  "secrets",
  "maker",
  "updatedAt",
] as const;

/** The columns in the order of the table, because the insert sets columns by position. */
const allColumns = () => Object.keys(getTableColumns(webhook)) as (keyof StoredWebhook)[];

const insertStatement = homeStatement<StoredWebhook & { maxWebhooks: number }>((db, v) =>
  db
    .insert(webhook)
    .select(
      sql`select ${sql.join(
        allColumns().map((name) => v[name]),
        sql`, `,
      )} where (select count(*) from webhook where state <> 'deleted') < ${v.maxWebhooks}`,
    )
    .onConflictDoNothing(),
);

const updateStatement = homeStatement<Omit<StoredWebhook, "starts"> & { starts: string | null }>(
  (db, v) =>
    db
      .update(webhook)
      .set({
        ...pick(v, mutableColumns),
        version: nextVersionSql(sql`version`),
        starts: sql`coalesce(${v.starts}, starts)`,
        retryAt: sql`case when state = ${v.state} then retry_at end`,
        lastError: sql`case when state = ${v.state} then last_error end`,
      })
      .where(and(eq(webhook.id, v.id), eq(webhook.version, v.version), isNotDeleted())),
);

function webhookToRow(hook: Webhook) {
  const { types, collections, secrets, changedFields } = hook;
  return {
    ...hook,
    changedFields: changedFields && JSON.stringify(changedFields),
    types: JSON.stringify(types),
    collections: JSON.stringify(collections),
    secrets: JSON.stringify(secrets),
  };
}

/** Inserts a webhook unless the limit is reached. A repeated call with the same id does not store the webhook again. */
export async function insertWebhook(
  databases: Databases,
  hook: Webhook,
  { starts, maxWebhooks }: { starts: StartPositions; maxWebhooks: number },
  definitions: readonly CheckedDefinition[],
  auditRecord: AuditRecord,
): Promise<StoreResult> {
  const { home: db } = databases;
  const values = { ...webhookToRow(hook), starts: JSON.stringify(starts), maxWebhooks };
  const statements = [insertStatement(db, values), insertAuditEntryIfChanged(db, auditRecord)];
  const results = await storeConfirmed(databases, retryTransient, statements, definitions);
  if (!results) return "definition_changed";
  const rows = await retryTransient(db, () =>
    orm(db).select({ n: count() }).from(webhook).where(eq(webhook.id, hook.id)),
  );
  return (rows[0]?.n ?? 0) > 0 ? "stored" : "refused";
}

/** Updates a webhook unless it was changed or deleted after version `hook.version`. */
export async function updateWebhookRow(
  databases: Databases,
  hook: Webhook,
  starts: StartPositions | null,
  definitions: readonly CheckedDefinition[],
  auditRecord: AuditRecord,
): Promise<StoreResult> {
  const { home: db } = databases;
  const values = { ...webhookToRow(hook), starts: starts && JSON.stringify(starts) };
  const statements = [updateStatement(db, values), insertAuditEntryIfChanged(db, auditRecord)];
  const results = await storeConfirmed(databases, runOnce, statements, definitions);
  if (!results) return "definition_changed";
  return (results[0]?.meta.changes ?? 0) > 0 ? "stored" : "refused";
}

/** Like `storeChange`, but returns undefined and stores nothing if a definition has changed. */
async function storeConfirmed(
  ...change: Parameters<typeof storeChange>
): Promise<D1Result[] | undefined> {
  try {
    return await storeChange(...change);
  } catch (error) {
    if (classifyError(error).kind === "guard") return undefined;
    throw error;
  }
}

const markDeletedStatement = homeStatement<{ id: string; version: number }>((db, v) =>
  db
    .update(webhook)
    .set({ state: "deleted", version: nextVersionSql(sql`version`), secrets: "[]" })
    .where(and(eq(webhook.id, v.id), eq(webhook.version, v.version), isNotDeleted())),
);

/**
 * Marks a webhook as deleted. Its row remains until its object has deleted its data. Returns false when another request
 * changed the webhook.
 */
export async function deleteWebhookRow(
  databases: Databases,
  { id, version }: Pick<Webhook, "id" | "version">,
  auditRecord: AuditRecord,
): Promise<boolean> {
  const [result] = await storeChange(databases, runOnce, [
    markDeletedStatement(databases.home, { id, version }),
    insertAuditEntryIfChanged(databases.home, auditRecord),
  ]);
  return (result?.meta.changes ?? 0) > 0;
}
