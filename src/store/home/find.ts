import { and, desc, eq, gt, isNull, ne, sql, type SQL } from "drizzle-orm";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { parseReceiptSequences, sequencesPerCollection } from "#domain/item/item.ts";
import {
  batchHomeAndData,
  query,
  type Database,
  type Databases,
  type HomeDatabase,
} from "#store/db/database.ts";
import { mergeLists } from "#store/db/merge-lists.ts";
import { retryTransient } from "#store/db/retry.ts";
import { credential, member, webhook } from "#store/db/home-schema.ts";
import { collection, item } from "#store/db/schema.ts";

/** At most this many names of each kind are compared with a search, the newest first. */
const maxNames = 1000;
const maxItems = 10;

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
}

/** An item whose ID or receipt number was entered. */
interface NamedItem {
  id: string;
  receipt: string | null;
  kind: CollectionKind;
  key: string;
  collectionName: string;
}

/** Which lists a member may see. */
export interface FindScope {
  /** Null: every credential. */
  credentialsOf: string | null;
  members: boolean;
  webhooks: boolean;
}

export interface FoundNames {
  collections: NamedCollection[];
  credentials: NamedThing[];
  members: NamedMember[];
  webhooks: NamedThing[];
  items: NamedItem[];
}

/** Loads the names that a search compares, and the items with this ID or receipt number, in one round trip. */
export async function loadNames(
  databases: Databases,
  scope: FindScope,
  text: string,
): Promise<FoundNames> {
  const [[credentials, members, webhooks], data] = await retryTransient(databases, () =>
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
    collections: mergeLists(
      data.map(([collections]) => collections),
      ({ kind, key }) => `${kind}:${key}`,
    ),
    items: mergeLists(
      data.map(([, items]) => items),
      ({ id }) => id,
    ),
  };
}

/** Loads the names of the newest apps and forms. */
export async function loadCollectionNames(databases: Databases): Promise<NamedCollection[]> {
  const [, data] = await retryTransient(databases, () =>
    batchHomeAndData(
      databases,
      () => [],
      (db) => [selectCollections(db)],
    ),
  );
  return mergeLists(
    data.map(([collections]) => collections),
    ({ kind, key }) => `${kind}:${key}`,
  );
}

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
      .select({ kind: collection.kind, key: collection.key, name: collection.name })
      .from(collection)
      .where(gt(collection.id, 0))
      .orderBy(desc(collection.id))
      .limit(maxNames),
  );

/** A receipt number ends with the number of its record, which each app has once. */
function selectItems(db: Database<"data">, text: string) {
  const sequences = JSON.stringify(parseReceiptSequences(text));
  const numbers = sql`(select c.id * ${sql.raw(String(sequencesPerCollection))} + s.value
    from (select id from collection where kind = 'app' and id > 0 order by id desc limit ${sql.raw(String(maxNames))}) c
      join json_each(${sequences}) s)`;
  const hasReceipt = sql`(${item.number} in ${numbers} and ${item.receiptNumber} = ${text} collate nocase)`;
  return query(db, (on) =>
    on
      .select({
        id: item.id,
        receipt: item.receiptNumber,
        kind: collection.kind,
        key: collection.key,
        collectionName: sql<string>`${collection.name}`.as("collection_name"),
      })
      .from(item)
      .innerJoin(collection, and(eq(collection.id, item.collectionId), gt(collection.id, 0)))
      .where(sql`${item.id} = ${text} or ${hasReceipt}`)
      .limit(maxItems),
  );
}
