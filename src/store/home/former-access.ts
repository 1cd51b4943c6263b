import {
  orm,
  query,
  type Database,
  type HomeDatabase,
  type PreparedStatement,
} from "#store/db/database.ts";
import { eq, inArray, sql, type SQL } from "drizzle-orm";
import type { Permission } from "#domain/credential/permissions.ts";
import type { Credential } from "#domain/credential/credential.ts";
import { retryTransient } from "#store/db/retry.ts";
import { credential, formerAccess, webhook } from "#store/db/schema.ts";
import { homeStatement, nextVersionSql, type Placeholders } from "#store/db/statement.ts";
import { credentialFromRow, selectCredentials } from "./credentials.ts";

/** The resources of credentials and webhooks that name a deleted app or form. */

interface NameValues {
  /** `app:KEY` or `form:KEY`. */
  name: string;
}

/** SQL for whether a resource is the app or form with this name, or a view of it. */
const isWithin = (resource: SQL, name: SQL) =>
  sql`(${resource} = ${name} or substr(${resource}, 1, length(${name}) + 1) = ${name} || '/')`;

const has = (resources: SQL, name: SQL) =>
  sql`(json_type(${resources}) = 'array'
    and exists (select 1 from json_each(${resources}) j where ${isWithin(sql`j.value`, name)}))`;

const without = (resources: SQL, name: SQL) =>
  sql`(select json_group_array(j.value) from json_each(${resources}) j
    where not ${isWithin(sql`j.value`, name)})`;

/**
 * Deletes earlier lost access of the credential, which a failed or concurrent restore may have left. The current access
 * replaces it.
 */
const forgetEarlierAccess = homeStatement<NameValues>((db, v) =>
  db.delete(formerAccess).where(
    sql`name = ${v.name} and credential_id in (
        select id from credential where ${has(sql`resources`, v.name)})`,
  ),
);

const keepAccess = homeStatement<NameValues>((db, v) =>
  db
    .insert(formerAccess)
    .select(
      sql`select ${v.name}, c.id, j.value from credential c, json_each(c.resources) j
        where json_type(c.resources) = 'array' and ${isWithin(sql`j.value`, v.name)}`,
    )
    .onConflictDoNothing(),
);

const removeAccess = homeStatement<NameValues>((db, v) =>
  db
    .update(credential)
    .set({
      resources: without(sql`resources`, v.name),
      version: nextVersionSql(sql`version`),
    })
    .where(has(sql`resources`, v.name)),
);

/** The access that credentials regain when an app or form is restored. */
export interface RestoredAccess extends NameValues {
  readPermission: Permission;
  /** The resources with views that depend on the caller. */
  personal: readonly string[];
}

interface ReturnValues extends NameValues {
  readPermission: string;
  /** JSON. */
  personal: string;
}

const holds = (...held: SQL[]) =>
  sql`exists (select 1 from json_each(permissions) p where p.value in (${sql.join(held, sql`, `)}))`;

/** SQL for whether the credential, in its current state, may have the resource (`assertViewsAllow`). */
const mayReturn = (v: Placeholders<ReturnValues>) => sql`(instr(f.resource, '/') = 0
  or (not ${holds(sql`'schema:write'`, sql`'webhooks:manage'`)}
    and (origins = '[]' or not ${holds(sql`${v.readPermission}`)}
      or f.resource not in (select value from json_each(${v.personal})))))`;

/** A credential that was granted access to everything in the meantime keeps that access. */
const returnAccess = homeStatement<ReturnValues>((db, v) =>
  db
    .update(credential)
    .set({
      resources: sql`(select json_group_array(value) from (select value from json_each(resources)
        union select f.resource from former_access f where f.name = ${v.name} and f.credential_id = credential.id
          and ${mayReturn(v)}))`,
      version: nextVersionSql(sql`version`),
    })
    .where(
      sql`json_type(resources) = 'array' and revoked_at is null and exists (
        select 1 from former_access f where f.name = ${v.name} and f.credential_id = credential.id)`,
    ),
);

const forgetAccess = homeStatement<NameValues>((db, v) =>
  db.delete(formerAccess).where(sql`name = ${v.name}`),
);

/** A webhook that would listen to nothing else keeps the name and is disabled. */
const removeFromWebhooks = homeStatement<NameValues & { reason: string }>((db, v) => {
  const others = without(sql`collections`, v.name);
  const isEmpty = sql`${others} = '[]'`;
  return db
    .update(webhook)
    .set({
      collections: sql`iif(${isEmpty}, collections, ${others})`,
      state: sql`iif(${isEmpty}, 'disabled', state)`,
      reason: sql`iif(${isEmpty}, ${v.reason}, reason)`,
      version: nextVersionSql(sql`version`),
    })
    .where(
      sql`state <> 'deleted' and ${has(sql`collections`, v.name)}
        and not (state = 'disabled' and reason is ${v.reason})`,
    );
});

/** Removes the access to a deleted app or form from all credentials, and remembers it. */
export const loseAccess = (db: Database<"home">, name: string): PreparedStatement<"home">[] => [
  forgetEarlierAccess(db, { name }),
  keepAccess(db, { name }),
  removeAccess(db, { name }),
];

export const regainAccess = (
  db: Database<"home">,
  { name, personal, ...access }: RestoredAccess,
): PreparedStatement<"home">[] => [
  returnAccess(db, { name, ...access, personal: JSON.stringify(personal) }),
  forgetAccess(db, { name }),
];

/** Removes the name from all credentials and webhooks, so that another app or form may use it. */
export async function forgetName(home: HomeDatabase, name: string): Promise<void> {
  const noun = name.startsWith("app:") ? "app" : "form";
  const reason = `The ${noun} "${name.slice(noun.length + 1)}" was deleted.`;
  await retryTransient(home, () =>
    home.batch([
      removeAccess(home, { name }),
      forgetAccess(home, { name }),
      removeFromWebhooks(home, { name, reason }),
    ]),
  );
}

/** Selects the numbers of credentials and webhooks that name an app or form. */
export const selectNamed = (db: HomeDatabase, name: string) =>
  query(db, (on) =>
    on
      .select({
        credentials: sql<number>`(select count(*) from credential
          where revoked_at is null and ${has(sql`resources`, sql`${name}`)})`,
        webhooks: sql<number>`(select count(*) from webhook
          where state <> 'deleted' and ${has(sql`collections`, sql`${name}`)})`,
      })
      .from(sql`(select 1)`),
  );

const maxPushed = 1000;

/** Lists the ids of the credentials that lost access to a deleted app or form. */
export async function listFormerAccess(home: HomeDatabase, name: string): Promise<string[]> {
  const rows = await retryTransient(home, () =>
    orm(home)
      .selectDistinct({ id: formerAccess.credentialId })
      .from(formerAccess)
      .where(eq(formerAccess.name, name))
      .limit(maxPushed),
  );
  return rows.map(({ id }) => id);
}

export async function loadCredentials(
  home: HomeDatabase,
  ids: readonly string[],
): Promise<Credential[]> {
  const listed = sql`(select value from json_each(${JSON.stringify(ids)}))`;
  const rows = await retryTransient(home, () =>
    selectCredentials(home, inArray(credential.id, listed), maxPushed),
  );
  return rows.map(credentialFromRow);
}
