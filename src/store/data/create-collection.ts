import { eq } from "drizzle-orm";
import type { CollectionKind, Definition } from "#domain/definition/collection.ts";
import { lowestVersion } from "#domain/timeline.ts";
import type {
  CollectionDatabase,
  Database,
  Databases,
  PreparedStatement,
} from "#store/db/database.ts";
import { retryTransient } from "#store/db/retry.ts";
import { owner } from "#store/db/schema.ts";
import { collectionStatement } from "#store/db/statement.ts";
import type { AuditRecord } from "#store/home/audit.ts";
import { finishPlacement, type PlacedSite } from "#store/home/placements.ts";
import { hasGlobalListener } from "#store/home/listened.ts";
import {
  auditCreation,
  definitionToRow,
  insertCollection,
  insertOwner,
  insertPlacedCollection,
  insertTally,
  type SaveResult,
} from "./definition-statements.ts";
import { keyIsFree, keyIsUnplaced } from "./deletions.ts";
import { runSave } from "./patch-definition.ts";
import { guardApps } from "./references.ts";

export interface NewCollection {
  kind: CollectionKind;
  key: string;
  definition: Definition;
}

/** Creates a collection. With data databases, `place` is the reserved placement of the collection. */
export async function createCollection(
  databases: Databases,
  { kind, key, definition }: NewCollection,
  place: PlacedSite | null,
  auditRecord: AuditRecord,
): Promise<SaveResult> {
  const { singleDatabase, home, timeline } = databases;
  const firstVersion = lowestVersion(timeline);
  const row = {
    ...definitionToRow(definition, firstVersion, auditRecord.at),
    kind,
    key,
    location: definition.location ?? null,
    createdAt: auditRecord.at,
  };
  const values = { ...auditRecord, ...row, version: firstVersion, revision: firstVersion };
  if (singleDatabase) {
    const statements = [
      keyIsUnplaced(singleDatabase, values),
      insertCollection(singleDatabase, values),
      ...buildCompanionInserts(singleDatabase, values, definition),
    ];
    return runSave(singleDatabase, statements);
  }
  if (!place) return { outcome: "stale" };
  const { collectionId: _id, ...columns } = values;
  const { collectionId, epoch } = place.placement;
  // The row in `owner` is unique, so an abandoned creation cannot finish.
  const db = place.db.unfenced({ id: collectionId });
  // Later changes of webhooks update `listened` themselves (`updateListenedColumns`). The schedule repeats failed
  // updates.
  const hasListeners = (await hasGlobalListener(home)) ? 1 : 0;
  const result = await runSave(db, [
    keyIsFree(db, values),
    insertOwner(db, { epoch }),
    insertPlacedCollection(db, { ...columns, listened: hasListeners }),
    ...buildCompanionInserts(db, values, definition),
  ]);
  // If this fails, requests still find the collection through its reserved placement.
  if (result.outcome === "saved") await finishPlacement(home, collectionId);
  return result;
}

const insertFormerOwner = collectionStatement<object>((db, v) =>
  db
    .insert(owner)
    .values({ collectionId: v.collectionId, epoch: 0, state: "moved" })
    .onConflictDoNothing(),
);
const selectOwner = collectionStatement<object>((db, v) =>
  db.select({ state: owner.state }).from(owner).where(eq(owner.collectionId, v.collectionId)),
);

/** Prevents an unfinished creation from finishing in this database. Returns false if it has finished. */
export async function abandonCreation(db: CollectionDatabase): Promise<boolean> {
  const results = await retryTransient(db, () =>
    db.batch<{ state: string }>([insertFormerOwner(db, {}), selectOwner(db, {})]),
  );
  return results.at(-1)?.results[0]?.state === "moved";
}

const buildCompanionInserts = (
  db: Database<"data">,
  values: Parameters<typeof auditCreation>[1],
  definition: Definition,
): PreparedStatement<"data">[] => [
  ...guardApps(db, definition),
  insertTally(db, values),
  auditCreation(db, values),
];
