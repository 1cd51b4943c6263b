import { sql, type SQL } from "drizzle-orm";
import type { PendingRules } from "#domain/definition/collection.ts";
import { itemNumberRange } from "#domain/item/item.ts";
import type { CollectionDatabase } from "#store/db/database.ts";
import { retryTransient } from "#store/db/retry.ts";
import { item } from "#store/db/schema.ts";
import { dataStatement, type Placeholders } from "#store/db/statement.ts";
import type { PendingChange } from "./collections.ts";

// Queries for stored values that prevent a change of the definition.

/** The location of a field's values in an item. A column's values are in the rows of the list `within`. */
type Slot = [slot: string, within: string | null];

export interface SlotValues {
  above: number;
  below: number;
  slots: string;
}

/** True when an item has a value in one of the slots. */
export const isAnyFilledSql = (v: Placeholders<SlotValues>): SQL => sql`exists (
      select 1 from item cross join json_each(${v.slots}) f
      where number > ${v.above} and number < ${v.below}
        and case when f.value ->> 1 is null
          then data ->> (f.value ->> 0) is not null
          else exists (select 1 from json_each(item.data, '$."' || (f.value ->> 1) || '"') row
            where row.value ->> (f.value ->> 0) is not null) end)`;

export function buildSlotValues(
  collectionId: number,
  fields: PendingChange["emptied"],
): SlotValues {
  const slots = fields.map(({ id, within }): Slot => [
    String(id),
    within === null ? null : String(within),
  ]);
  return { ...itemNumberRange(collectionId), slots: JSON.stringify(slots) };
}

const selectFilled = dataStatement<SlotValues>((db, v) =>
  db
    .select({ filled: sql<number>`1`.as("filled") })
    .from(sql`(select 1)`)
    .where(isAnyFilledSql(v)),
);

/** Dates on the same calendar day count as equal. Drafts have no unique values. */
const selectShared = dataStatement<{ above: number; below: number; fields: string }>((db, v) =>
  db
    .select({ field: sql<number>`f.value ->> 0`.as("field") })
    .from(sql`${item} cross join json_each(${v.fields}) f`)
    .where(
      sql`number > ${v.above} and number < ${v.below}
        and data ->> (f.value ->> 1) is not null and status is not 'draft'`,
    )
    .groupBy(
      sql`f.key, case when f.value ->> 2 then substr(data ->> (f.value ->> 1), 1, 10)
        else data ->> (f.value ->> 1) end`,
    )
    .having(sql`count(*) > 1`)
    .limit(1),
);

interface StoredValuesCheck {
  /** Whether an item has a value in a field that changes its type. */
  isFilled: boolean;
  /** A field that would become unique although two items have the same value in it. Null if there is none. */
  duplicateId: number | null;
}

export async function checkStoredValues(
  db: CollectionDatabase,
  { emptied, gained }: PendingRules,
): Promise<StoredValuesCheck> {
  if (emptied.length + gained.length === 0) return { isFilled: false, duplicateId: null };
  const fields = gained.map(({ id, type }) => [id, String(id), type === "date" ? 1 : 0]);
  const duplicateCheck = { ...itemNumberRange(db.collectionId), fields: JSON.stringify(fields) };
  const [filled, duplicates] = await retryTransient(db, () =>
    db.batch<{ filled?: number; field?: number }>([
      selectFilled(db, buildSlotValues(db.collectionId, emptied)),
      selectShared(db, duplicateCheck),
    ]),
  );
  return {
    isFilled: filled?.results[0] !== undefined,
    duplicateId: duplicates?.results[0]?.field ?? null,
  };
}
