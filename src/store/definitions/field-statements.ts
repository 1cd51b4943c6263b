import { sql } from "drizzle-orm";
import { fieldNumber } from "../../domain/data/field-number";
import { numbersOf } from "../../domain/item/item";
import { guardCode, guardStatement } from "../db/guard";
import { formerUnique, uniqueValue } from "../db/schema";
import { statement } from "../db/statement";
import type { PendingChange } from "./collection-now";

/** What changed fields ask of stored values: one statement each, however many fields they are. */

/** A field whose values are sought, in the slots of items; a column's one level down, in the rows within its list. */
type Slot = [slot: string, within: string | null];

const isEmpty = guardStatement<{ above: number; below: number; slots: string }>(
  (v) => sql`select ${guardCode("values_exist")} as code where exists (
      select 1 from item cross join json_each(${v.slots}) f
      where number > ${v.above} and number < ${v.below}
        and case when f.value ->> 1 is null
          then data ->> (f.value ->> 0) is not null
          else exists (select 1 from json_each(item.data, '$."' || (f.value ->> 1) || '"') row
            where row.value ->> (f.value ->> 0) is not null) end)`,
);

/** Refuses where an item has a value of one of the fields: one statement, however many they are. */
export function areEmpty(
  db: D1Database,
  collectionId: number,
  fields: PendingChange["emptied"],
): D1PreparedStatement[] {
  if (fields.length === 0) return [];
  const slots = fields.map(({ id, within }): Slot => [
    String(id),
    within === null ? null : String(within),
  ]);
  return [isEmpty(db, { ...numbersOf(collectionId), slots: JSON.stringify(slots) })];
}

const formerUniques = statement<{ fields: string }>((db, v) =>
  db
    .insert(formerUnique)
    .select(sql`select value from json_each(${v.fields}) where true`)
    .onConflictDoNothing(),
);

/** The values of these fields are none any more; they are swept in steps. */
export function endUnique(
  db: D1Database,
  collectionId: number,
  uniqueIds: readonly number[],
): D1PreparedStatement[] {
  if (uniqueIds.length === 0) return [];
  const fields = uniqueIds.map((each) => fieldNumber(collectionId, each));
  return [formerUniques(db, { fields: JSON.stringify(fields) })];
}

type Filled = [field: number, slot: string, isDate: 0 | 1];

/** Dates are the same on the same calendar day; drafts hold no unique values. */
const fillUniques = statement<{ above: number; below: number; fields: string }>((db, v) =>
  db.insert(uniqueValue).select(
    sql`select f.value ->> 0,
          case when f.value ->> 2 then substr(data ->> (f.value ->> 1), 1, 10)
            else data ->> (f.value ->> 1) end, number
        from item cross join json_each(${v.fields}) f
        where number > ${v.above} and number < ${v.below}
          and data ->> (f.value ->> 1) is not null and status is not 'draft'`,
  ),
);

/** Takes the values of fields that become unique out of all items; fails where two share one. */
export function fillUnique(
  db: D1Database,
  collectionId: number,
  gained: PendingChange["gained"],
): D1PreparedStatement[] {
  if (gained.length === 0) return [];
  const fields = gained.map(({ id, type, uniqueId }): Filled => [
    fieldNumber(collectionId, uniqueId),
    String(id),
    type === "date" ? 1 : 0,
  ]);
  return [fillUniques(db, { ...numbersOf(collectionId), fields: JSON.stringify(fields) })];
}
