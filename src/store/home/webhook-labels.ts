import { sql } from "drizzle-orm";
import type { Webhook } from "#domain/webhook/webhook.ts";
import { batchHomeAndData, query, type Databases, type HomeDatabase } from "#store/db/database.ts";
import { lazySql } from "#store/db/lazy.ts";
import { retryTransient } from "#store/db/retry.ts";
import { webhook } from "#store/db/schema.ts";
import {
  labelQueries,
  labelScope,
  listLabels,
  mergeLabels,
  selectActorsInViews,
  type StoredLabels,
} from "./collection-labels.ts";
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

/**
 * Loads a webhook with the name of its maker, and the labels of all apps and forms. They contain its views, and with a
 * choice also others. Takes one round trip with a single database, otherwise two.
 */
export async function findWebhookWithLabels(
  databases: Databases,
  id: string,
  choice: LabelChoice | null,
): Promise<(WebhookWithMaker & { stored: StoredLabels }) | undefined> {
  const { singleDatabase, home } = databases;
  if (!singleDatabase) {
    const [found] = await retryTransient(home, () => selectWebhookWithMaker(home, id));
    if (!found) return undefined;
    const hook = webhookFromRow(found.hook);
    return { ...found, hook, stored: await listLabels(databases, hook.collections, choice) };
  }
  const collections = sql`(select collections from webhook where id = ${id})`;
  const scope = labelScope(databases, collections, choice);
  const [[[row], actors], lists] = await retryTransient(databases, () =>
    batchHomeAndData(
      databases,
      (db) => [selectWebhookWithMaker(db, id), selectActorsInViews(db, scope)],
      (db) => labelQueries(db, scope),
    ),
  );
  if (!row) return undefined;
  const stored = await mergeLabels(databases, lists, actors);
  return { ...row, hook: webhookFromRow(row.hook), stored };
}
