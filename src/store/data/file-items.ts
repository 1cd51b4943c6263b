import { eq, sql } from "drizzle-orm";
import type { Item } from "#domain/item/item.ts";
import type { CollectionDatabase, DataDatabase } from "#store/db/database.ts";
import { retryTransient } from "#store/db/retry.ts";
import { collection, item } from "#store/db/schema.ts";
import { dataStatement } from "#store/db/statement.ts";
import {
  definitionHeadColumns,
  definitionHeadFromRow,
  type DefinitionHead,
  type DefinitionHeadRow,
  outdatedColumn,
  type OutdatedRow,
  parseFieldIds,
} from "./definition-head.ts";
import { selectFile, type FileRow } from "./files.ts";
import { itemColumns, itemFromRow, type ItemRow } from "./items.ts";

interface FileValues {
  id: string;
  stamps: string;
  isNarrow: 0 | 1;
}

const selectHead = dataStatement<FileValues>((db, { id, stamps, isNarrow }) =>
  db
    .select({ ...definitionHeadColumns(stamps), ...outdatedColumn(isNarrow) })
    .from(collection)
    .where(eq(collection.id, sql`(select collection_id from file where id = ${id})`)),
);

const selectItem = dataStatement<FileValues>((db, { id }) =>
  db
    .select(itemColumns())
    .from(item)
    .where(eq(item.number, sql`(select item from file where id = ${id})`)),
);

/** A file with its collection and the item that it is attached to. */
export interface FileWithItem {
  file: FileRow;
  head: DefinitionHead;
  item: Item | null;
  /** The fields whose results are being recalculated. Empty for callers that see whole collections. */
  outdated: number[];
}

/** Loads a file in one round trip. Undefined if it or its collection is gone. */
export async function findFileWithItem(
  db: CollectionDatabase,
  values: FileValues,
): Promise<FileWithItem | undefined> {
  const [files, heads, items] = await retryTransient(db, () =>
    db.batch<object>([selectFile(db, values), selectHead(db, values), selectItem(db, values)]),
  );
  const [file] = (files?.results ?? []) as FileRow[];
  const [head] = (heads?.results ?? []) as (DefinitionHeadRow & OutdatedRow)[];
  const [row] = (items?.results ?? []) as ItemRow[];
  if (!file || !head) return undefined;
  return {
    file,
    head: definitionHeadFromRow(head),
    item: row ? itemFromRow(row) : null,
    outdated: parseFieldIds(head.outdated),
  };
}

/** Lists the IDs of the files of a collection after an ID, whether they have content or not. */
export async function listFileIds(
  db: DataDatabase,
  collectionId: number,
  after: string,
  limit: number,
): Promise<string[]> {
  const sqlText = "select id from file where id > ?1 and collection_id = ?2 order by id limit ?3";
  const { results } = await retryTransient(db, () =>
    db.prepare<"data">(sqlText, [after, collectionId, limit]).all<{ id: string }>(),
  );
  return results.map(({ id }) => id);
}
