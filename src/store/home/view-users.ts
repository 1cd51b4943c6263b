import { sql } from "drizzle-orm";
import type { Permission } from "#domain/credential/permissions.ts";
import { orm, type HomeDatabase } from "#store/db/database.ts";
import { retryTransient } from "#store/db/retry.ts";
import { credential } from "#store/db/home-schema.ts";
import type { Credential } from "#domain/credential/credential.ts";
import { credentialFromRow, selectCredentials } from "./credentials.ts";

/** A credential that sees a collection only through a view, or a webhook that follows it through one. */
export interface ViewUser {
  id: string;
  name: string;
  /** The key of the view. */
  view: string;
}

/** A credential that sees a collection only through a view. */
export interface ViewCredential extends ViewUser {
  permissions: Permission[];
  /** Whether pages may use it, whose visitors all share it. */
  hasOrigins: boolean;
}

const maxUsers = 1000;

/** Lists the credentials that reach a collection, like `form:purchase`, only through one of its views. */
export async function listViewUsers(
  db: HomeDatabase,
  collection: string,
): Promise<ViewCredential[]> {
  const start = `${collection}/`;
  const resource = sql<string>`(select value from json_each(${credential.resources})
    where substr(value, 1, ${start.length}) = ${start} limit 1)`;
  const rows = await retryTransient(db, async () =>
    orm(db)
      .select({
        id: credential.id,
        name: credential.name,
        permissions: credential.permissions,
        origins: credential.origins,
        resource: resource.as("resource"),
      })
      .from(credential)
      .where(sql`${credential.revokedAt} is null and ${resource} is not null`)
      .limit(maxUsers),
  );
  return rows.map(({ id, name, permissions, origins, resource: value }) => ({
    id,
    name,
    view: value.slice(start.length),
    permissions: JSON.parse(permissions) as Permission[],
    hasOrigins: origins !== "[]",
  }));
}

const maxReaching = 200;

/** Lists the unrevoked credentials that reach a collection, like `form:purchase`, or a view of it. Newest first. */
export async function listReachingCredentials(
  db: HomeDatabase,
  collection: string,
): Promise<Credential[]> {
  const start = `${collection}/`;
  const reaches = sql`${credential.revokedAt} is null and (${credential.resources} = '"all"'
    or exists (select 1 from json_each(${credential.resources})
      where value = ${collection} or substr(value, 1, ${start.length}) = ${start}))`;
  const rows = await retryTransient(db, () => selectCredentials(db, reaches, maxReaching));
  return rows.map(credentialFromRow);
}
