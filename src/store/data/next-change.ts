import { lazySql } from "#store/db/lazy.ts";
import type { CollectionDatabase } from "#store/db/database.ts";
import { eq, sql } from "drizzle-orm";
import type { ItemAction } from "#domain/item/change.ts";
import { itemNumberRange, type Item } from "#domain/item/item.ts";
import { retryTransient } from "#store/db/retry.ts";
import { collection, item } from "#store/db/schema.ts";
import { collectionStatement, dataStatement, placeholders } from "#store/db/statement.ts";
import { changeColumns, changeFromRow, type Change, type ChangeRow } from "./changes.ts";
import {
  definitionHeadColumns,
  definitionHeadFromRow,
  outdatedColumn,
  parseFieldIds,
  type DefinitionHead,
  type DefinitionHeadRow,
  type OutdatedRow,
} from "./definition-head.ts";
import { itemColumns, itemFromRow, type ItemRow } from "./items.ts";

/** The number of changes that one step scans for a match. */
const maxScannedChanges = 1000;

interface NextChangeValues {
  after: number;
  below: number;
  /** Names of actions, JSON. */
  actions: string;
  /** The mark of the view that a change must have. Null for changes in any view or none. */
  viewMark: string | null;
  /** The actions that match only if one of `limitedFields` changed. JSON; null if there are none. */
  limitedActions: string | null;
  limitedFields: string | null;
}

const nextChangeValues = placeholders<NextChangeValues>();
const scannedChangesSql = lazySql(
  () => sql`(select * from change where number > ${nextChangeValues.after} and number < ${nextChangeValues.below}
  order by number limit ${sql.raw(String(maxScannedChanges))})`,
);
const firstMatchSql = lazySql(
  () => sql`(select * from ${scannedChangesSql} where action in (select value from json_each(${nextChangeValues.actions}))
    and (${nextChangeValues.viewMark} is null or instr(views, ${nextChangeValues.viewMark}))
    and (${nextChangeValues.limitedActions} is null
      or action not in (select value from json_each(${nextChangeValues.limitedActions}))
      or exists (select 1 from json_each(fields) f join json_each(${nextChangeValues.limitedFields}) l on l.value = f.value))
  order by number limit 1)`,
);

const selectScanEnd = dataStatement<NextChangeValues>((db) =>
  db
    .select({
      through: sql<number | null>`max(number)`.as("through"),
      count: sql<number>`count(*)`.as("count"),
    })
    .from(sql`${scannedChangesSql}`),
);

const selectFirstMatch = dataStatement<NextChangeValues>((db) =>
  db.select(changeColumns).from(sql`${firstMatchSql}`),
);

const selectItem = dataStatement<NextChangeValues>((db) =>
  db
    .select(itemColumns())
    .from(item)
    .where(sql`number = (select item from ${firstMatchSql})`),
);

const selectHead = collectionStatement<{ stamps: string; isNarrow: 0 | 1 }>(
  (db, { collectionId, stamps, isNarrow }) =>
    db
      .select({ ...definitionHeadColumns(stamps), ...outdatedColumn(isNarrow) })
      .from(collection)
      .where(eq(collection.id, collectionId)),
);

export interface NextChange {
  change: Change | null;
  /** The current item, or null if it was deleted. */
  item: Item | null;
  /** The ids of the fields whose results the item may lack. Only with a view mark. */
  outdated: number[];
  /** The number of the last change that the scan covered. */
  scannedThrough: number;
  /** Whether `scannedThrough` is the current end of the feed. */
  isAtEnd: boolean;
  /** Null when the collection is deleted. */
  head: DefinitionHead | null;
}

/** Conditions for the change to find. */
export interface ChangeFilter {
  actions: readonly ItemAction[];
  /** The mark that the views of the item must contain; null for any views. */
  viewMark: string | null;
  /** With one of these actions, a change must concern one of these fields. Null if no action is limited. */
  limited: { actions: readonly ItemAction[]; fields: readonly number[] } | null;
}

/** Finds the first change after `after` that passes the filter, and its current item. */
export async function loadNextChange(
  db: CollectionDatabase,
  after: number,
  { actions, viewMark, limited }: ChangeFilter,
  stamps: string,
): Promise<NextChange> {
  const { below } = itemNumberRange(db.collectionId);
  const values = {
    after,
    below,
    actions: JSON.stringify(actions),
    viewMark,
    limitedActions: limited && JSON.stringify(limited.actions),
    limitedFields: limited && JSON.stringify(limited.fields),
  };
  const [scanEnds, changes, items, collections] = await retryTransient(db, () =>
    db.batch([
      selectScanEnd(db, values),
      selectFirstMatch(db, values),
      selectItem(db, values),
      selectHead(db, { stamps, isNarrow: viewMark === null ? 0 : 1 }),
    ]),
  );
  const [scanEnd] = (scanEnds?.results ?? []) as { through: number | null; count: number }[];
  const [changeRow] = (changes?.results ?? []) as ChangeRow[];
  const [itemRow] = (items?.results ?? []) as ItemRow[];
  const [headRow] = (collections?.results ?? []) as (DefinitionHeadRow & OutdatedRow)[];
  const firstChange = changeRow ? changeFromRow(changeRow) : null;
  return {
    change: firstChange,
    item: itemRow ? itemFromRow(itemRow) : null,
    outdated: parseFieldIds(headRow?.outdated),
    scannedThrough: firstChange?.number ?? scanEnd?.through ?? after,
    isAtEnd: firstChange === null && (scanEnd?.count ?? 0) < maxScannedChanges,
    head: headRow ? definitionHeadFromRow(headRow) : null,
  };
}
