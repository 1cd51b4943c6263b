import type { FileChanges } from "#domain/files/file-changes.ts";
import type { CollectionDatabase, PreparedStatement } from "#store/db/database.ts";
import { guardCodes } from "#store/db/guard.ts";
import { jsonChunks } from "#store/db/statement.ts";
import { removing } from "./files.ts";

/** The files that a batch attaches to one item and detaches from it. */
export interface ItemFiles extends FileChanges {
  item: string;
}

interface AttachValues {
  actor: string;
  /** Milliseconds since 1970. */
  now: number;
  /** Whether an item may attach a file again that already belongs to it. A repeated create must not. */
  mayReturn: boolean;
}

/** Rows: file, field, item. Attaches a complete, unattached file of the caller, or one that the item attaches again. */
const attachText = `update file set item = r.number, detached = null, remove_at = null
  from (select e.value ->> 0 as id, e.value ->> 1 as field, i.number
    from json_each(?1) e cross join item i on i.id = e.value ->> 2) r
  where file.id = r.id and file.field = r.field and file.collection_id = ?2 and content_type is not null
    and (file.item = r.number and ?5 or file.item is null and owner = ?3 and remove_at > max(?4, ${removing}))`;

/** Aborts the batch if a file belongs to another item, for example because two items of the batch attach it. */
const attachedText = `insert into guard select ${guardCodes.unusable_file} where exists (
  select 1 from json_each(?1) e cross join item i on i.id = e.value ->> 2
    left join file f on f.id = e.value ->> 0 where f.item is not i.number)`;

const detachText = `update file set detached = (select i.last_change from item i where i.number = file.item)
  where id in (select value from json_each(?1)) and collection_id = ?2 and item is not null`;

/**
 * Statements that attach and detach files. They run after the statements that store the items, and abort the batch if a
 * file cannot be attached.
 */
export function attachFiles(
  db: CollectionDatabase,
  files: readonly ItemFiles[],
  { actor, now, mayReturn }: AttachValues,
): PreparedStatement<"data">[] {
  const rows = files.flatMap(({ item, attached }) => attached.map((each) => [...each, item]));
  const detached = files.flatMap((each) => each.detached);
  return [
    ...jsonChunks(rows).flatMap((chunk) => [
      db.prepare<"data">(attachText, [chunk, db.collectionId, actor, now, mayReturn ? 1 : 0]),
      db.prepare<"data">(attachedText, [chunk]),
    ]),
    ...jsonChunks(detached).map((chunk) =>
      db.prepare<"data">(detachText, [chunk, db.collectionId]),
    ),
  ];
}

/** Marks all files of deleted items for removal. */
export const releaseFiles = (
  db: CollectionDatabase,
  numbers: readonly number[],
): PreparedStatement<"data">[] =>
  jsonChunks(numbers).map((chunk) =>
    db.prepare<"data">(
      `update file set remove_at = ${removing} where item in (select value from json_each(?1))`,
      [chunk],
    ),
  );
