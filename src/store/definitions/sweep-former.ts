import { attempt } from "../db/attempt";

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
