import { and, desc, eq, gt, isNull, ne, sql, type SQL } from "drizzle-orm";
import type { CollectionKind } from "#domain/definition/collection.ts";
import {
  batchHomeAndData,
  query,
  type Database,
  type Databases,
  type HomeDatabase,
} from "#store/db/database.ts";
import { isOwnColumn, listEach } from "#store/db/lists.ts";
import { retryTransient } from "#store/db/retry.ts";
import { credential, member, webhook } from "#store/db/home-schema.ts";
import { collection } from "#store/db/schema.ts";
import { selectItems, type FoundItem } from "./find-items.ts";

/** The maximum number of names of each kind that are compared with a search, newest first. */
const maxNames = 1000;

interface NamedThing {
  id: string;
  name: string;
}

interface NamedMember extends NamedThing {
  email: string;
}

export interface NamedCollection {
  kind: CollectionKind;
  key: string;
  name: string;
  /** The key and name of each view, as JSON. */
  views: string;
}

/** The lists that a member may see. */
export interface FindScope {
  /** The member whose credentials are included. Null includes the credentials of all members. */
  credentialsOf: string | null;
  members: boolean;
  webhooks: boolean;
}

export interface FoundNames {
  collections: NamedCollection[];
  credentials: NamedThing[];
  members: NamedMember[];
  webhooks: NamedThing[];
  items: FoundItem[];
}

/** Loads the names to compare with the search, and finds items, in one round trip. */
export async function loadNames(
  databases: Databases,
  scope: FindScope,
  text: string,
): Promise<FoundNames> {
  const [[credentials, members, webhooks], [collections, items]] = await retryTransient(
    databases,
    () =>
      batchHomeAndData(
        databases,
        (db) => [
          selectCredentialNames(db, scope),
          selectMemberNames(db, scope),
          selectHooks(db, scope),
        ],
        (db) => [selectCollections(db), selectItems(db, text)],
      ),
  );
  return {
    credentials,
    members,
    webhooks,
    collections: collections.merge(nameOf),
    items: items.merge(({ id }) => id),
  };
}

/** Loads the names of the newest apps and forms. */
export async function loadCollectionNames(databases: Databases): Promise<NamedCollection[]> {
  return (await listEach(databases, selectCollections)).merge(nameOf);
}

const nameOf = ({ kind, key }: Pick<NamedCollection, "kind" | "key">) => `${kind}:${key}`;

const onlyIf = (isAllowed: boolean): SQL | undefined => (isAllowed ? undefined : sql`false`);

const selectCredentialNames = (db: HomeDatabase, { credentialsOf }: FindScope) =>
  query(db, (on) =>
    on
      .select({ id: credential.id, name: credential.name })
      .from(credential)
      .where(
        and(
          isNull(credential.revokedAt),
          credentialsOf === null ? undefined : eq(credential.memberId, credentialsOf),
        ),
      )
      .orderBy(desc(credential.id))
      .limit(maxNames),
  );

const selectMemberNames = (db: HomeDatabase, { members }: FindScope) =>
  query(db, (on) =>
    on
      .select({ id: member.id, name: member.name, email: member.email })
      .from(member)
      .where(and(isNull(member.disabledAt), onlyIf(members)))
      .orderBy(desc(member.id))
      .limit(maxNames),
  );

const selectHooks = (db: HomeDatabase, { webhooks }: FindScope) =>
  query(db, (on) =>
    on
      .select({ id: webhook.id, name: webhook.name })
      .from(webhook)
      .where(and(ne(webhook.state, "deleted"), onlyIf(webhooks)))
      .orderBy(desc(webhook.id))
      .limit(maxNames),
  );

const selectCollections = (db: Database<"data">) =>
  query(db, (on) =>
    on
      .select({
        isOwn: isOwnColumn("collection.id"),
        kind: collection.kind,
        key: collection.key,
        name: collection.name,
        views:
          sql<string>`(select json_group_array(json_object('key', value ->> 'key', 'name', value ->> 'name'))
          from json_each(${collection.views}))`.as("view_names"),
      })
      .from(collection)
      .where(gt(collection.id, 0))
      .orderBy(desc(collection.id))
      .limit(maxNames),
  );
