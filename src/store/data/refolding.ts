import { orm, type DataDatabase } from "#store/db/database.ts";
import { foldCase } from "#domain/data/index-entries.ts";
import { retryTransient } from "#store/db/retry.ts";
import { refolding } from "#store/db/schema.ts";
import { jsonChunks } from "#store/db/statement.ts";

/** The maximum number of entries that a step reads, and the maximum bytes of their values. */
const entriesPerStep = 10_000;
const bytesPerStep = 1_000_000;

/** The foldings of earlier versions differ only in texts with these letters. A test verifies that. */
export const refoldedLetters = "ıΣσς";

interface Entry {
  field: number;
  value: string | number;
  item: number;
  folded: string | null;
}

const selectStepSql = `with step as materialized (
    select *, row_number() over (order by field, value, item) as place from (
      select *, sum(octet_length(value)) over (order by field, value, item rows unbounded preceding) as bytes
      from (select field, value, item, folded from search_entry
        where (field, value, item) > (?1, ?2, ?3) order by field, value, item limit ${entriesPerStep}))
    where bytes - octet_length(value) < ${bytesPerStep})
  select field, value, item, folded from step
  where place = (select max(place) from step)
    or (typeof(value) = 'text' and value glob '*[${refoldedLetters}]*') order by place`;

const updateFoldedSql = `update search_entry set folded = e.value ->> 3 from json_each(?1) e
  where search_entry.field = e.value ->> 0 and search_entry.value = e.value ->> 1
    and search_entry.item = e.value ->> 2`;

/**
 * Rewrites the folded texts of the next entries. Folding depends only on the value, so a step can be repeated. Returns
 * whether more may remain.
 */
export async function refoldStep(db: DataDatabase): Promise<boolean> {
  const [position] = await retryTransient(db, () => orm(db).select().from(refolding));
  if (!position) return false;
  const { field, value, item } = position;
  const { results: entries } = await retryTransient(db, () =>
    db.prepare(selectStepSql, [field, value, item]).all<Entry>(),
  );
  const last = entries.at(-1);
  if (!last) {
    await retryTransient(db, () => db.prepare("delete from refolding", []).run());
    return false;
  }
  const updates = jsonChunks(entries.flatMap(refoldEntry)).map((rows) =>
    db.prepare(updateFoldedSql, [rows]),
  );
  const advanceStatement = db.prepare(
    "update refolding set field = ?1, value = ?2, item = ?3 where field = ?4 and item = ?5",
    [last.field, last.value, last.item, field, item],
  );
  await retryTransient(db, () => db.batch([...updates, advanceStatement]));
  return true;
}

/** Returns the row with the new folded text, or an empty list if the text is unchanged. */
function refoldEntry({ field, value, item, folded }: Entry): unknown[] {
  if (typeof value === "number") return [];
  const text = foldCase(value);
  const newFolded = text === value ? null : text;
  return newFolded === folded ? [] : [[field, value, item, newFolded]];
}
