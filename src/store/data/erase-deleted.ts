import {
  orm,
  type CollectionDatabase,
  type DataDatabase,
  type Databases,
  type PreparedStatement,
} from "#store/db/database.ts";
import { and, asc, eq, lte, or, sql } from "drizzle-orm";
import { fieldsPerCollection } from "#domain/data/values.ts";
import { removing } from "./files.ts";
import { itemNumberRange } from "#domain/item/item.ts";
import { auditTimeSql, type AuditRecord } from "#store/home/audit.ts";
import { forgetName } from "#store/home/former-access.ts";
import { retryTransient } from "#store/db/retry.ts";
import { auditEntry, deletion } from "#store/db/schema.ts";
import { collectionStatement } from "#store/db/statement.ts";

const beginErasure = collectionStatement<{ now: number }>((db, v) =>
  db
    .update(deletion)
    .set({ state: "erasing" })
    .where(
      and(
        eq(deletion.collectionId, v.collectionId),
        eq(deletion.state, "deleted"),
        lte(deletion.eraseAt, v.now),
      ),
    ),
);

const selectErasing = collectionStatement<object>((db, v) =>
  db
    .select({ id: deletion.collectionId })
    .from(deletion)
    .where(and(eq(deletion.collectionId, v.collectionId), eq(deletion.state, "erasing"))),
);

const rowsPerStep = 1000;

/** The tables whose rows belong to a collection, with their key and the range of numbers that its first column has. */
const numberedTables = [
  { table: "item", key: "number", range: "item" },
  { table: "deleted_item", key: "number", range: "item" },
  { table: "search_entry", key: "field, value, item", range: "field" },
  { table: "unique_value", key: "field, value", range: "field" },
  { table: "change", key: "number", range: "item" },
  { table: "erasure", key: "change", range: "item" },
  { table: "former_entry", key: "field", range: "field" },
  { table: "former_unique", key: "field", range: "field" },
] as const;

const collectionTables = ["former_definition", "indexing", "pending_change", "index_check"];

/** Every batch checks this, so that no step deletes a collection that was restored concurrently. */
const isErasing = "exists (select 1 from deletion where collection_id = ?1 and state = 'erasing')";

function eraseRows(db: CollectionDatabase): PreparedStatement<"data">[] {
  const { collectionId } = db;
  const { above, below } = itemNumberRange(collectionId);
  const ranges = {
    item: [above, below],
    field: [collectionId * fieldsPerCollection - 1, (collectionId + 1) * fieldsPerCollection],
  };
  const numbered = numberedTables.map(({ table, key, range }) => {
    const [first] = key.split(",");
    const text = `delete from ${table} where (${key}) in (select ${key} from ${table}
      where ${first} > ?2 and ${first} < ?3 limit ${rowsPerStep}) and ${isErasing}`;
    return db.prepare<"data">(text, [collectionId, ...ranges[range]]);
  });
  // Marks the files for removal. The schedule deletes their objects first, then their rows.
  const releaseFiles = db.prepare<"data">(
    `update file set remove_at = ${removing} where id in (select id from file
      where item > ?2 and item < ?3 and remove_at is not ${removing} limit ${rowsPerStep}) and ${isErasing}`,
    [collectionId, above, below],
  );
  const namedDeletions = collectionTables.map((table) =>
    db.prepare<"data">(`delete from ${table} where collection_id = ?1 and ${isErasing}`, [
      collectionId,
    ]),
  );
  return [...numbered, ...namedDeletions, releaseFiles];
}

/** Whether files of items remain. Unattached files expire long before the erasure of their collection. */
async function hasFiles(db: CollectionDatabase): Promise<boolean> {
  const { above, below } = itemNumberRange(db.collectionId);
  const statement = db.prepare<"data">("select 1 from file where item > ?1 and item < ?2 limit 1", [
    above,
    below,
  ]);
  return (await retryTransient(db, () => statement.first())) !== null;
}

function finishErasure(
  db: CollectionDatabase,
  entry: Omit<AuditRecord, "collectionId">,
): Promise<unknown> {
  const { collectionId } = db;
  const run = (text: string) => db.prepare<"data">(text, [collectionId]);
  return retryTransient(db, () =>
    db.batch([
      run(`delete from tally where collection_id = ?1 and ${isErasing}`),
      run(`delete from collection where id = -?1 and ${isErasing}`),
      insertErasureEntry(db, { ...entry }),
      run("update deletion set state = 'erased' where collection_id = ?1 and state = 'erasing'"),
    ]),
  );
}

const insertErasureEntry = collectionStatement<Omit<AuditRecord, "collectionId">>((db, v) =>
  db.insert(auditEntry).select(
    sql`select null, ${auditTimeSql(v.at)}, ${v.actor}, ${v.action}, d.collection_id, ${v.subject}, null,
      null, ${v.requestId}, null, null
      from deletion d where d.collection_id = ${v.collectionId} and d.state = 'erasing'`,
  ),
);

/**
 * Erases one step of the first app or form that can no longer be restored. The last step frees its key. Returns whether
 * more may remain.
 */
export async function eraseDeleted(
  { home }: Pick<Databases, "home">,
  dataDb: DataDatabase,
  requestId: string,
  now: number,
): Promise<boolean> {
  const [next] = await retryTransient(dataDb, () =>
    orm(dataDb)
      .select({ id: deletion.collectionId, kind: deletion.kind, key: deletion.key })
      .from(deletion)
      .where(
        or(
          eq(deletion.state, "erasing"),
          and(eq(deletion.state, "deleted"), lte(deletion.eraseAt, now)),
        ),
      )
      .orderBy(asc(deletion.collectionId))
      .limit(1),
  );
  if (!next) return false;
  const db = dataDb.of({ id: next.id });
  const results = await retryTransient(db, () =>
    db.batch([beginErasure(db, { now }), ...eraseRows(db), selectErasing(db, {})]),
  );
  const isRestored = results.at(-1)?.results.length === 0;
  if (isRestored) return true;
  if (results.slice(1, -1).some(({ meta }) => meta.changes > 0)) return true;
  if (await hasFiles(db)) return false;
  const name = `${next.kind}:${next.key}`;
  // A credential or a webhook may still name the key, so it is removed from both before it becomes free.
  await forgetName(home, name);
  await finishErasure(db, {
    at: now,
    actor: "system",
    action: "definition.erase",
    subject: name,
    version: null,
    session: null,
    requestId,
    sentRequestId: null,
    detail: null,
  });
  return true;
}
