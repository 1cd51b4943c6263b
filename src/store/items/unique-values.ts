import { sql } from "drizzle-orm";
import type { UniqueValue } from "../../domain/data/unique-values";
import type { Gained } from "../../domain/definition/pending";
import { numbersOf } from "../../domain/item/item";
import { attempt } from "../db/attempt";
import { runsOf } from "../db/runs";
import { item } from "../db/schema";
import { statement } from "../db/statement";

const findTaken = statement<{ wanted: string }>((db, v) =>
  db
    .select({
      field: sql<number>`u.field`.as("field"),
      id: sql<string>`i.id`.as("id"),
      wanting: sql<number | null>`(e.value ->> 2)`.as("wanting"),
    })
    .from(
      sql`json_each(${v.wanted}) e
        cross join unique_value u on u.field = e.value ->> 0 and u.value = e.value ->> 1
        cross join item i on i.number = u.item
        where u.item is not (e.value ->> 2)`,
    ),
);

/** A unique value, and the number of the item that is to have it; any other where it is not stored yet. */
export type Wanted = [...UniqueValue, item: number | null];

/** A field whose value another item has. */
export interface Taken {
  field: number;
  /** The other item. */
  id: string;
}

/** Which of these values others have than the items that want them, in one round trip. */
export async function takenAmong(
  db: D1Database,
  all: readonly Wanted[],
): Promise<(Taken & { wanting: number | null })[]> {
  const asked = runsOf(all).map((wanted) => findTaken(db, { wanted }));
  if (asked.length === 0) return [];
  const found = await attempt(() => db.batch<Taken & { wanting: number | null }>(asked));
  return found.flatMap(({ results }) => results);
}

/** The fields among `unique` whose value another item than `self` has. */
export function takenValues(
  db: D1Database,
  unique: readonly UniqueValue[],
  self: number | null,
): Promise<Taken[]> {
  return takenAmong(
    db,
    unique.map((value) => [...value, self]),
  );
}

const selectDuplicate = statement<{ above: number; below: number; isDate: number; slot: string }>(
  (db, v) =>
    db
      .select({ items: sql<string>`json_group_array(id)`.as("items") })
      .from(item)
      .where(
        sql`number > ${v.above} and number < ${v.below}
        and data ->> ${v.slot} is not null and status is not 'draft'`,
      )
      .groupBy(sql`case when ${v.isDate} then substr(data ->> ${v.slot}, 1, 10)
      else data ->> ${v.slot} end`)
      .having(sql`count(*) > 1`)
      .limit(1),
);

/** The items, at most 10, that share one of the values that keep a field from becoming unique. */
export async function findDuplicate(
  db: D1Database,
  collectionId: number,
  gained: readonly Gained[],
): Promise<{ key: string; items: string[] } | undefined> {
  for (const { id, key, type } of gained) {
    const values = {
      ...numbersOf(collectionId),
      slot: String(id),
      isDate: type === "date" ? 1 : 0,
    };
    const row = await attempt(() => selectDuplicate(db, values).first<{ items: string }>());
    if (row) return { key, items: (JSON.parse(row.items) as string[]).slice(0, 10) };
  }
  return undefined;
}
