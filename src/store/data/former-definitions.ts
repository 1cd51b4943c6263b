import { and, eq, sql } from "drizzle-orm";
import type { Collection, CollectionKind, Definition } from "#domain/definition/collection.ts";
import type { CollectionDatabase, DataDatabase, PreparedStatement } from "#store/db/database.ts";
import { retryTransient } from "#store/db/retry.ts";
import { formerDefinition } from "#store/db/schema.ts";
import { collectionStatement, dataStatement } from "#store/db/statement.ts";
import {
  currentFromRow,
  selectByKey,
  type CurrentCollection,
  type CurrentCollectionRow,
} from "./collections.ts";

/** The number of replaced definitions that a collection keeps. */
const maxFormerDefinitions = sql.raw("100");

const insertFormer = collectionStatement<{ version: number; definition: string }>((db, v) =>
  db
    .insert(formerDefinition)
    .values({ collectionId: v.collectionId, version: v.version, definition: v.definition })
    .onConflictDoNothing(),
);

const deleteOldest = collectionStatement<object>((db, v) =>
  db.delete(formerDefinition).where(
    and(
      eq(formerDefinition.collectionId, v.collectionId),
      sql`version <= (select version from former_definition where collection_id = ${v.collectionId}
          order by version desc limit 1 offset ${maxFormerDefinitions})`,
    ),
  ),
);

/** Keeps the definition that a change replaces. Runs in the batch of the change. */
export function keepFormerDefinition(
  db: CollectionDatabase,
  { version, definition }: Collection,
): PreparedStatement<"data">[] {
  return [
    insertFormer(db, { version, definition: JSON.stringify(definition) }),
    deleteOldest(db, {}),
  ];
}

const selectAround = dataStatement<{ kind: CollectionKind; key: string; version: number }>(
  (db, v) =>
    db
      .select({ version: formerDefinition.version, definition: formerDefinition.definition })
      .from(formerDefinition)
      .where(
        sql`collection_id = (select id from collection where kind = ${v.kind} and key = ${v.key})
          and version <= ${v.version}`,
      )
      .orderBy(sql`version desc`)
      .limit(2),
);

const selectOne = dataStatement<{ kind: CollectionKind; key: string; version: number }>((db, v) =>
  db
    .select({ version: formerDefinition.version, definition: formerDefinition.definition })
    .from(formerDefinition)
    .where(
      sql`collection_id = (select id from collection where kind = ${v.kind} and key = ${v.key})
        and version = ${v.version}`,
    ),
);

interface FormerVersion {
  version: number;
  definition: Definition;
}

/** A collection with the kept definitions of a version and of the one before it. */
export interface DefinitionVersions {
  current: CurrentCollection;
  /** Newest first. */
  former: FormerVersion[];
  /** The version to compare with instead of the previous one. Undefined if it is no longer stored. */
  base: FormerVersion | undefined;
}

/** Loads the definitions of a version, the previous version and a chosen one, in one round trip. */
export async function loadDefinitionVersions(
  db: DataDatabase,
  kind: CollectionKind,
  key: string,
  { version, from }: { version: number; from: number },
): Promise<DefinitionVersions | undefined> {
  type Row = CurrentCollectionRow & { version: number; definition: string };
  const [currentResult, formerResult, baseResult] = await retryTransient(db, () =>
    db.batch<Row>([
      selectByKey(db, { kind, key, id: null }),
      selectAround(db, { kind, key, version }),
      selectOne(db, { kind, key, version: from }),
    ]),
  );
  const current = currentFromRow(currentResult?.results[0] ?? null, db.timeline);
  if (!current) return undefined;
  const parse = (row: Row): FormerVersion => ({
    version: row.version,
    definition: JSON.parse(row.definition) as Definition,
  });
  const former = (formerResult?.results ?? []).map(parse);
  return { current, former, base: (baseResult?.results ?? []).map(parse)[0] };
}
