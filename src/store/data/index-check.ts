import { sql, type Column, type SQL, and, eq } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { fieldNumber, fieldsPerCollection } from "#domain/data/values.ts";
import { type Item, numbersOf } from "#domain/item/item.ts";
import { attempt, once } from "#store/db/retry.ts";
import { insertAct, type Act } from "#store/home/audit.ts";
import { startIndexing } from "./definition-statements.ts";
import { itemFromRow, itemColumns, type ItemRow } from "./items.ts";
import { indexCheck, item, searchEntry } from "#store/db/schema.ts";
import { runsOf, parameters, statement } from "#store/db/statement.ts";

/** Whose turn it is: the collection behind this one, or the first again, but none of those that stand aside. */
export interface Turn {
  after: number;
  aside: readonly number[];
}

export const firstTurn: Turn = { after: 0, aside: [] };

export function inTurn(column: Column, { after, aside }: Turn): { where: SQL; order: SQL } {
  return {
    where: sql`${column} not in (select value from json_each(${JSON.stringify(aside)}))`,
    order: sql`${column} <= ${after}, ${column}`,
  };
}

export type IndexCheck = typeof indexCheck.$inferSelect;

const begin = statement<{ field: number; id: number }>((db, v) =>
  db
    .insert(indexCheck)
    .select(sql`select ${v.id}, ${v.field}, '', 0, 0, 0 where true`)
    .onConflictDoUpdate({
      target: indexCheck.collectionId,
      set: {
        field: sql`excluded.field`,
        value: sql`excluded.value`,
        item: sql`excluded.item`,
        seen: sql`excluded.seen`,
        removed: sql`excluded.removed`,
      },
    }),
);

/** Begins a check from the start, and makes all entries of these fields anew. */
export async function beginIndexCheck(
  db: D1Database,
  collectionId: number,
  fields: readonly number[],
  act: Act,
): Promise<void> {
  const values = { id: collectionId, ...numbersOf(collectionId) };
  await once(() =>
    db.batch([
      begin(db, { id: collectionId, field: fieldNumber(collectionId, 0) }),
      startIndexing(db, { ...values, unindexed: JSON.stringify(fields) }),
      insertAct(db, { ...act }),
    ]),
  );
}

export async function nextIndexCheck(
  db: D1Database,
  turn = firstTurn,
): Promise<IndexCheck | undefined> {
  const { where, order } = inTurn(indexCheck.collectionId, turn);
  const [row] = await attempt(() =>
    drizzle(db).select().from(indexCheck).where(where).orderBy(order).limit(1),
  );
  return row;
}

/** An entry with the item that it tells of; none where that has gone. */
interface CheckedEntry {
  field: number;
  value: string | number;
  number: number;
  item: Item | undefined;
}

/** Entries behind the place of the check, with their items: as many as hold `bytes` of data, one at the least. */
const place = parameters<{
  below: number;
  field: number;
  item: number;
  limit: number;
  value: string | number;
}>();
const behind = sql`select field, value, item from search_entry
  where (field, value, item) > (${place.field}, ${place.value}, ${place.item})
    and field < ${place.below}
  order by field, value, item limit ${place.limit}`;

/** An entry whose item has gone counts as well. */
const cost = sql`(octet_length(e.value) + coalesce(octet_length(i.data), 0))`;

const selectEntries = statement<{
  below: number;
  bytes: number;
  field: number;
  item: number;
  limit: number;
  value: string | number;
}>((db, v) =>
  db
    .select({
      ...itemColumns,
      entry_field: sql`e.field`.as("entry_field"),
      entry_value: sql`e.value`.as("entry_value"),
      entry_item: sql`e.item`.as("entry_item"),
    })
    .from(sql`(select e.*, sum(${cost}) over (rows unbounded preceding) - ${cost} as spent
      from (${behind}) e left join item i on i.number = e.item) e`)
    .leftJoin(item, sql`${item.number} = e.item`)
    .where(sql`e.spent < ${v.bytes}`),
);

type Row = ItemRow & { entry_field: number; entry_value: string | number; entry_item: number };

export async function entriesToCheck(
  db: D1Database,
  check: IndexCheck,
  limit: number,
  bytes: number,
): Promise<CheckedEntry[]> {
  const below = fieldNumber(check.collectionId, 0) + fieldsPerCollection;
  const values = { ...check, below, limit, bytes };
  const { results } = await attempt(() => selectEntries(db, values).all<Row>());
  return results.map((row) => ({
    field: row.entry_field,
    value: row.entry_value,
    number: row.entry_item,
    item: row.id === null ? undefined : itemFromRow(row),
  }));
}

/** Entries whose item is as it was when it was read, or still gone. */
const removeWrong = statement<{ wrong: string }>((db, v) =>
  db.delete(searchEntry).where(
    sql`(field, value, item) in (
        select e.value ->> 0, e.value ->> 1, e.value ->> 2 from json_each(${v.wrong}) e
        where (select version from item where number = e.value ->> 2) is (e.value ->> 3))`,
  ),
);

const advance = statement<{
  collectionId: number;
  count: number;
  field: number;
  item: number;
  toField: number;
  toItem: number;
  toValue: string;
  wrongCount: number;
}>((db, v) =>
  db
    .update(indexCheck)
    .set({
      field: v.toField,
      value: sql`(${v.toValue} ->> 0)`,
      item: v.toItem,
      seen: sql`seen + ${v.count}`,
      removed: sql`removed + ${v.wrongCount}`,
    })
    .where(
      and(
        eq(indexCheck.collectionId, v.collectionId),
        eq(indexCheck.field, v.field),
        eq(indexCheck.item, v.item),
      ),
    ),
);

const finish = statement<{ collectionId: number }>((db, v) =>
  db.delete(indexCheck).where(eq(indexCheck.collectionId, v.collectionId)),
);

export async function storeCheckStep(
  db: D1Database,
  check: IndexCheck,
  looked: readonly CheckedEntry[],
  wrong: readonly CheckedEntry[],
): Promise<void> {
  const last = looked.at(-1);
  if (!last) {
    await attempt(() => finish(db, { collectionId: check.collectionId }).run());
    return;
  }
  const rows = wrong.map(({ field, value, number, item: own }) => [
    field,
    value,
    number,
    own?.version ?? null,
  ]);
  const values = {
    ...check,
    toField: last.field,
    toValue: JSON.stringify([last.value]),
    toItem: last.number,
    count: looked.length,
    wrongCount: wrong.length,
  };
  const removing = runsOf(rows).map((run) => removeWrong(db, { wrong: run }));
  await attempt(() => db.batch([...removing, advance(db, values)]));
}

const rowsPerStep = 2000;

/** Deletes values of fields that are unique no more; gives whether there may be more. */
export function sweepFormerUnique(db: D1Database): Promise<boolean> {
  return sweepFields(db, "former_unique", "unique_value", "field, value");
}

/** Deletes search entries that nothing reads any more; gives whether there may be more. */
export function sweepFormerEntries(db: D1Database): Promise<boolean> {
  return sweepFields(db, "former_entry", "search_entry", "field, value, item");
}

/** A step of the rows of the first field that `former` lists; the field leaves the list with its last row. */
async function sweepFields(
  db: D1Database,
  former: "former_unique" | "former_entry",
  rows: "unique_value" | "search_entry",
  key: string,
): Promise<boolean> {
  const field = await attempt(() =>
    db.prepare(`select min(field) as field from ${former}`).first<number | null>("field"),
  );
  if (field === null) return false;
  const some = `select ${key} from ${rows} where field = ?1 limit ${rowsPerStep}`;
  await attempt(() =>
    db.batch(
      [
        `delete from ${rows} where (${key}) in (${some})`,
        `delete from ${former} where field = ?1 and not exists (select 1 from ${rows} where field = ?1)`,
      ].map((text) => db.prepare(text).bind(field)),
    ),
  );
  return true;
}
