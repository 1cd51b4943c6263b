import { sql } from "drizzle-orm";
import type { Webhook } from "#domain/webhook/webhook.ts";
import { query, type Databases, type HomeDatabase } from "#store/db/database.ts";
import { lazySql } from "#store/db/lazy.ts";
import { webhook } from "#store/db/schema.ts";
import { findWithLabels, type StoredLabels } from "./collection-labels.ts";
import type { LabelChoice } from "./label-sql.ts";
import { hasId, webhookColumns, webhookFromRow } from "./webhooks.ts";

const makerNameSql = lazySql(
  () => sql<string | null>`case when ${webhook.maker} like 'member:%'
    then (select coalesce(nullif(name, ''), email) from member where id = substr(${webhook.maker}, 8))
    else (select name from credential where id = substr(${webhook.maker}, 12)) end`,
);

function selectWebhookWithMaker(db: HomeDatabase, id: string) {
  return query(db, (builder) =>
    builder
      .select({ hook: webhookColumns(), makerName: sql<string | null>`${makerNameSql}` })
      .from(webhook)
      .where(hasId(id)),
  );
}

/** A webhook with the e-mail address or name of its maker. The name is null when the maker no longer exists. */
interface WebhookWithMaker {
  hook: Webhook;
  makerName: string | null;
}

/** Loads a webhook with the name of its maker, and the labels of all apps and forms (`findWithLabels`). */
export function findWebhookWithLabels(
  databases: Databases,
  id: string,
  choice: LabelChoice | null,
): Promise<{ found: WebhookWithMaker; stored: StoredLabels } | undefined> {
  return findWithLabels(
    databases,
    {
      select: (db) => selectWebhookWithMaker(db, id),
      fromRow: ({ hook, makerName }): WebhookWithMaker => ({
        hook: webhookFromRow(hook),
        makerName,
      }),
      resourcesOf: ({ hook }) => hook.collections,
      resourcesSql: sql`(select collections from webhook where id = ${id})`,
    },
    choice,
  );
}
