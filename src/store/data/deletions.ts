import {
  batchHomeAndData,
  orm,
  query,
  type CollectionDatabase,
  type DataDatabase,
  type Databases,
} from "#store/db/database.ts";
import { and, eq, ne, sql } from "drizzle-orm";
import type { CollectionKind, CollectionRef, View } from "#domain/definition/collection.ts";
import type { Actor } from "#domain/audit.ts";
import { insertAuditEntry, type AuditRecord } from "#store/home/audit.ts";
import {
  loseAccess,
  regainAccess,
  selectNamed,
  type RestoredAccess,
} from "#store/home/former-access.ts";
import { updateListenedStatement } from "#store/home/listened.ts";
import { guardCode, collectionGuard, dataGuard, jointGuard, runGuarded } from "#store/db/guard.ts";
import { isOwnColumn, listEach } from "#store/db/lists.ts";
import { retryTransient } from "#store/db/retry.ts";
import { collection, deletion, tally } from "#store/db/schema.ts";
import { collectionStatement, nextVersionSql, type Placeholders } from "#store/db/statement.ts";
import { guardUnreferenced } from "./references.ts";
import type { CurrentCollection } from "./collections.ts";
import { buildDropStatements, guardRevision } from "./definition-statements.ts";

/** The time during which a deleted app or form can be restored. */
const graceMs = 7 * 24 * 60 * 60 * 1000;

/** Hides the collection. Keys start with a letter and ids are positive, so no lookup finds the hidden row. */
const hide = collectionStatement<object>((db, v) =>
  db
    .update(collection)
    .set({ id: sql`-id`, key: sql`'~' || key`, listened: 0 })
    .where(eq(collection.id, v.collectionId)),
);

interface DeletionValues {
  kind: CollectionKind;
  key: string;
  at: number;
  actor: Actor;
  eraseAt: number;
}

const insertDeletion = collectionStatement<DeletionValues>((db, v) =>
  db.insert(deletion).values({
    collectionId: v.collectionId,
    kind: v.kind,
    key: v.key,
    deletedAt: v.at,
    deletedBy: v.actor,
    eraseAt: v.eraseAt,
    state: "deleted",
  }),
);

/**
 * Hides an app or form in one batch and removes it from all credentials. Returns false if its definition changed
 * concurrently, or if a field refers to it. If credentials are in another database, they lose their access right after
 * the batch.
 */
export async function hideCollection(
  { singleDatabase, home }: Databases,
  db: CollectionDatabase,
  { collection: { id, kind, key, revision }, pending }: CurrentCollection,
  auditRecord: AuditRecord,
  restorableMs = graceMs,
): Promise<boolean> {
  const name = `${kind}:${key}`;
  const { at, actor } = auditRecord;
  const statements = [
    guardRevision(db, { revision }),
    // After a restore of the database, the deletion is repeated. Nothing referred to the app when it was first deleted.
    ...(kind === "app" && restorableMs > 0 ? [guardUnreferenced(db, { key })] : []),
    ...buildDropStatements(db, pending),
    hide(db, {}),
    insertDeletion(db, { kind, key, at, actor, eraseAt: at + restorableMs }),
    insertAuditEntry(db, { ...auditRecord, collectionId: id }),
  ];
  if (singleDatabase)
    return runGuarded(singleDatabase, [...statements, ...loseAccess(singleDatabase, name)]);
  const isHidden = await runGuarded(db, statements);
  if (isHidden) await retryTransient(home, () => home.batch(loseAccess(home, name)));
  return isHidden;
}

const isRestorable = collectionGuard<{ at: number }>(
  (v) => sql`select ${guardCode("item_changed")} as code where not exists (
    select 1 from deletion where collection_id = ${v.collectionId} and state = 'deleted' and erase_at > ${v.at})`,
);

const show = collectionStatement<object>((db, v) =>
  db
    .update(collection)
    .set({
      id: sql`-id`,
      key: sql`substr(key, 2)`,
      revision: nextVersionSql(sql`revision`),
    })
    .where(eq(collection.id, sql`-${v.collectionId}`)),
);

const forgetDeletion = collectionStatement<object>((db, v) =>
  db.delete(deletion).where(eq(deletion.collectionId, v.collectionId)),
);

/** Loads the views of a deleted app or form. */
export async function loadDeletedViews(db: CollectionDatabase): Promise<View[]> {
  const [row] = await retryTransient(db, () =>
    orm(db)
      .select({ views: collection.views })
      .from(collection)
      .where(eq(collection.id, sql`-${db.collectionId}`)),
  );
  return JSON.parse(row?.views ?? "[]") as View[];
}

/**
 * Makes a deleted app or form visible again. Returns false once its erasure may have started. If credentials are in
 * another database, they regain their access first, so that a failed restore can be repeated. They cannot see a hidden
 * collection either.
 */
export async function showCollection(
  databases: Databases,
  db: CollectionDatabase,
  access: RestoredAccess,
  auditRecord: AuditRecord,
): Promise<boolean> {
  const { singleDatabase, home } = databases;
  const statements = [
    isRestorable(db, { at: auditRecord.at }),
    show(db, {}),
    forgetDeletion(db, {}),
    insertAuditEntry(db, { ...auditRecord, collectionId: db.collectionId }),
  ];
  if (singleDatabase) {
    const updates = [
      ...regainAccess(singleDatabase, access),
      updateListenedStatement(singleDatabase, {}),
    ];
    return runGuarded(singleDatabase, [...statements, ...updates]);
  }
  await retryTransient(home, () => home.batch(regainAccess(home, access)));
  return runGuarded(db, statements);
}

/** The effects of deleting an app or form. */
export interface DeletionPreview {
  name: string;
  itemCount: number;
  fieldCount: number;
  /** The numbers of credentials and webhooks that name it. */
  credentials: number;
  webhooks: number;
}

/** Counts what a deletion would remove, in one round trip. */
export async function previewDeletion(
  databases: Databases,
  { kind, key }: CollectionRef,
): Promise<DeletionPreview | undefined> {
  const [[[named]], [sizes]] = await retryTransient(databases, () =>
    batchHomeAndData(
      databases,
      (db) => [selectNamed(db, `${kind}:${key}`)],
      (db) => [selectSize(db, { kind, key })],
    ),
  );
  const [size] = sizes.merge(() => "the only one");
  return size && named && { ...size, ...named };
}

const selectSize = (db: DataDatabase, { kind, key }: CollectionRef) =>
  query(db, (on) =>
    on
      .select({
        isOwn: isOwnColumn("collection.id"),
        name: sql<string>`${collection.name}`.as("name"),
        itemCount: sql<number>`${tally.live}`.as("items"),
        fieldCount: sql<number>`json_array_length(${collection.fields}, '$.fields')`.as("fields"),
      })
      .from(collection)
      .innerJoin(tally, eq(tally.collectionId, collection.id))
      .where(and(eq(collection.kind, kind), eq(collection.key, key))),
  );

/** A deleted app or form whose key is still reserved. */
export interface DeletedCollection extends CollectionRef {
  id: number;
  name: string;
  itemCount: number;
  deletedAt: number;
  deletedBy: Actor;
  eraseAt: number;
  isErasing: boolean;
}

const maxListed = 200;

/** Lists the deleted apps and forms that are not erased yet, newest first. */
export async function listDeleted(databases: Databases): Promise<DeletedCollection[]> {
  const lists = await listEach(databases, (db) =>
    orm(db)
      .select({
        isOwn: isOwnColumn("deletion.collection_id"),
        id: deletion.collectionId,
        kind: deletion.kind,
        key: deletion.key,
        name: collection.name,
        itemCount: tally.live,
        deletedAt: deletion.deletedAt,
        deletedBy: deletion.deletedBy,
        eraseAt: deletion.eraseAt,
        state: deletion.state,
      })
      .from(deletion)
      .innerJoin(collection, eq(collection.id, sql`-${deletion.collectionId}`))
      .innerJoin(tally, eq(tally.collectionId, deletion.collectionId))
      .where(ne(deletion.state, "erased"))
      .orderBy(sql`${deletion.deletedAt} desc`)
      .limit(maxListed),
  );
  return lists
    .merge(({ id }) => id)
    .map(({ state, ...row }) => ({ ...row, isErasing: state === "erasing" }));
}

const isReservedSql = (v: Placeholders<CollectionRef>) => sql`exists (
    select 1 from deletion where kind = ${v.kind} and key = ${v.key} and state <> 'erased')`;

/** Aborts the creation of an app or form whose key belongs to a deleted one. */
export const keyIsFree = dataGuard<CollectionRef>(
  (v) => sql`select ${guardCode("key_used")} as code where ${isReservedSql(v)}`,
);

/**
 * The same check for a single database. While the first data database is added, other isolates may already have placed
 * a collection with this key there.
 */
export const keyIsUnplaced = jointGuard<CollectionRef>(
  (v) => sql`select ${guardCode("key_used")} as code where ${isReservedSql(v)}
    or exists (select 1 from placement where kind = ${v.kind} and key = ${v.key})`,
);

/** Returns the earliest time at which the key of a deleted app or form becomes free. Undefined if it is free now. */
export async function reservedUntil(
  db: DataDatabase,
  { kind, key }: CollectionRef,
): Promise<number | undefined> {
  const [row] = await retryTransient(db, () =>
    orm(db)
      .select({ eraseAt: deletion.eraseAt })
      .from(deletion)
      .where(and(eq(deletion.kind, kind), eq(deletion.key, key), ne(deletion.state, "erased"))),
  );
  return row?.eraseAt;
}
