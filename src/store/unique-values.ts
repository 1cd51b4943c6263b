import { sql } from "drizzle-orm";
import type { UniqueValue } from "../domain/data/unique-values";
import { attempt } from "./attempt";
import { uniqueValue } from "./schema";
import { statement } from "./statement";

const { placeholder } = sql;

const findTaken = statement((db) =>
  db
    .select({ field: uniqueValue.field })
    .from(uniqueValue)
    .where(
      sql`(field, value) in (select e.value ->> 0, e.value ->> 1 from json_each(${placeholder("unique")}) e)
        and item is not ${placeholder("item")}`,
    ),
);

/** The field numbers among `unique` whose value another item than `self` has. */
export async function takenFields(
  db: D1Database,
  unique: readonly UniqueValue[],
  self: number | null,
): Promise<number[]> {
  const values = { unique: JSON.stringify(unique), item: self };
  const { results } = await attempt(() => findTaken(db, values).all<{ field: number }>());
  return results.map(({ field }) => field);
}
