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
import { isValidSql } from "./valid-credentials.ts";
import { selectWebhooks, webhookFromRow } from "./webhooks.ts";

/** A credential that sees a collection only through a view, or a webhook that follows one through a view. */
export interface ViewUser {
  kind: "credential" | "webhook";
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

/**
 * Lists all valid credentials that can access a collection, like `form:purchase`, only through one of these views. An
 * expired one that becomes valid again is checked like a new one (`editCredential`).
 */
export async function listViewUsers(
  db: HomeDatabase,
  collection: string,
  views: readonly string[],
  now: number,
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
      // `instr` avoids a row for each resource of the credentials that cannot access this collection.
      .where(
        sql`${isValidSql(now)} and instr(${credential.resources}, ${`"${start}`}) > 0
          and j.value in (select value from json_each(${names}))`,
      ),
  );
  return rows.map(({ id, name, permissions, origins, resource }) => ({
    kind: "credential",
    id,
    name,
    view: resource.slice(start.length),
    permissions: JSON.parse(permissions) as Permission[],
    hasOrigins: origins !== "[]",
  }));
}

const pageSize = 200;

/** An app or form with the credentials and webhooks that can see it. */
export interface StoredAccess {
  current: CurrentCollection | undefined;
  /** A page of the valid credentials that can access the collection or a view of it, newest first. */
  credentials: Credential[];
  /** The id of the last credential on this page if there are more. */
  next: string | null;
  webhooks: Webhook[];
}

/** Loads the credentials after `before`, and the webhooks, that can see an app or form, in one round trip. */
export async function loadAccess(
  databases: Databases,
  kind: CollectionKind,
  key: string,
  before: string | null,
  now: number,
): Promise<StoredAccess> {
  const name = `${kind}:${key}`;
  const start = `${name}/`;
  const reaches = sql`${isValidSql(now)}
    and (${before} is null or ${credential.id} < ${before})
    and (${credential.resources} = '"all"'
      or exists (select 1 from json_each(${credential.resources})
        where value = ${name} or substr(value, 1, ${start.length}) = ${start}))`;
  const [[found, webhooks], [definitions]] = await retryTransient(databases, () =>
    batchHomeAndData(
      databases,
      (db) => [selectCredentials(db, reaches, pageSize + 1), selectWebhooks(db)],
      (db) => [queryByKey(db, kind, key)],
    ),
  );
  const credentials = found.slice(0, pageSize).map(credentialFromRow);
  const [row] = definitions.merge(({ collection_id: id }) => id);
  return {
    current: currentFromRow((row as CurrentCollectionRow | undefined) ?? null, databases.timeline),
    credentials,
    next: found.length > pageSize ? (credentials.at(-1)?.id ?? null) : null,
    webhooks: webhooks.map(webhookFromRow),
  };
}
