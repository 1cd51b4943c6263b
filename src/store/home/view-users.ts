import { sql } from "drizzle-orm";
import type { Permission } from "#domain/credential/permissions.ts";
import { batchHomeAndData, orm, type Databases, type HomeDatabase } from "#store/db/database.ts";
import { retryTransient } from "#store/db/retry.ts";
import { credential } from "#store/db/home-schema.ts";
import type { Credential } from "#domain/credential/credential.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import type { Webhook } from "#domain/webhook/webhook.ts";
import {
  currentFromRow,
  queryByKey,
  type CurrentCollection,
  type CurrentCollectionRow,
} from "#store/data/collections.ts";
import { credentialFromRow, selectCredentials } from "./credentials.ts";
import { selectWebhooks, webhookFromRow } from "./webhooks.ts";

/** A credential that sees a collection only through a view, or a webhook that follows one through a view. */
export interface ViewUser {
  id: string;
  name: string;
  /** The key of the view. */
  view: string;
}

/** A credential that sees a collection only through a view. */
export interface ViewCredential extends ViewUser {
  permissions: Permission[];
  /** Whether web pages may use the credential. All visitors of a page share it. */
  hasOrigins: boolean;
}

/** Lists all credentials that can access a collection, like `form:purchase`, only through one of these views. */
export async function listViewUsers(
  db: HomeDatabase,
  collection: string,
  views: readonly string[],
): Promise<ViewCredential[]> {
  const start = `${collection}/`;
  const names = JSON.stringify(views.map((view) => start + view));
  const rows = await retryTransient(db, async () =>
    orm(db)
      .select({
        id: credential.id,
        name: credential.name,
        permissions: credential.permissions,
        origins: credential.origins,
        resource: sql<string>`j.value`.as("resource"),
      })
      .from(credential)
      .innerJoin(sql`json_each(${credential.resources}) j`, sql`true`)
      .where(
        sql`${credential.revokedAt} is null and j.value in (select value from json_each(${names}))`,
      ),
  );
  return rows.map(({ id, name, permissions, origins, resource }) => ({
    id,
    name,
    view: resource.slice(start.length),
    permissions: JSON.parse(permissions) as Permission[],
    hasOrigins: origins !== "[]",
  }));
}

const maxReaching = 200;

/** An app or form with the credentials and webhooks that can see it. */
export interface StoredAccess {
  current: CurrentCollection | undefined;
  /** Unrevoked credentials that can access the collection or a view of it, newest first. */
  credentials: Credential[];
  webhooks: Webhook[];
}

/** Loads the credentials and webhooks that can see an app or form, in one round trip. */
export async function loadAccess(
  databases: Databases,
  kind: CollectionKind,
  key: string,
): Promise<StoredAccess> {
  const name = `${kind}:${key}`;
  const start = `${name}/`;
  const reaches = sql`${credential.revokedAt} is null and (${credential.resources} = '"all"'
    or exists (select 1 from json_each(${credential.resources})
      where value = ${name} or substr(value, 1, ${start.length}) = ${start}))`;
  const [[credentials, webhooks], [definitions]] = await retryTransient(databases, () =>
    batchHomeAndData(
      databases,
      (db) => [selectCredentials(db, reaches, maxReaching), selectWebhooks(db)],
      (db) => [queryByKey(db, kind, key)],
    ),
  );
  const [row] = definitions.merge(({ collection_id: id }) => id);
  return {
    current: currentFromRow((row as CurrentCollectionRow | undefined) ?? null, databases.timeline),
    credentials: credentials.map(credentialFromRow),
    webhooks: webhooks.map(webhookFromRow),
  };
}
