import { sql } from "drizzle-orm";
import { dataStatement } from "#store/db/statement.ts";

/** A field number and a value. */
export type FieldValue = readonly [field: number, value: string];

const selectMissing = dataStatement<{ requested: string }>((db, v) =>
  db
    .select({ missing: sql<number>`e.key`.as("missing") })
    .from(sql`json_each(${v.requested}) e`)
    .where(
      sql`not exists (select 1 from search_entry s
        where s.field = e.value ->> 0 and s.value = e.value ->> 1)`,
    ),
);

/** Returns the statement that finds the values that no item has. Null when there are none to find. */
export function missingValuesStatement(
  db: Parameters<typeof selectMissing>[0],
  values: readonly FieldValue[] = [],
) {
  return values.length > 0 ? selectMissing(db, { requested: JSON.stringify(values) }) : null;
}

/** Returns the indexes of the values that no item has. */
export function missingFromResult(result: D1Result | undefined): number[] {
  return ((result?.results ?? []) as { missing: number }[]).map(({ missing }) => missing);
}
