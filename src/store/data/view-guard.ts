import type { ShownBy } from "#domain/search/tree.ts";
import type { CollectionDatabase, PreparedStatement } from "#store/db/database.ts";
import { guardCodes } from "#store/db/guard.ts";
import { preparePageStatement } from "./search/batch.ts";
import { SearchValues } from "./search/search-values.ts";
import { seesItemSql } from "./search/shown.ts";

/** Limits of a create besides those of storing an item. */
export interface CreateLimits {
  /** The caller's view. Null for a whole collection. */
  shownBy: ShownBy | null;
  /** Whether to run every statement and then store nothing. */
  isTrial?: boolean;
}

/**
 * Aborts the batch when the caller does not see one of these new items. Runs after the statements that store the
 * items, because the database assigns times and numbers.
 */
export function viewGuard(
  db: CollectionDatabase,
  ids: readonly string[],
  { shownBy, isTrial = false }: CreateLimits,
): PreparedStatement<"data">[] {
  const statements: PreparedStatement<"data">[] = [];
  if (shownBy && shownBy.conditions.length > 0 && ids.length > 0) {
    const values = new SearchValues();
    const idList = values.list([...ids]);
    const statement =
      values.statement(`insert into guard select ${guardCodes.outside_view} where exists (
      select 1 from item i where i.id in ${idList} and not ${seesItemSql(shownBy, values)})`);
    statements.push(preparePageStatement(db, statement));
  }
  if (isTrial)
    statements.push(db.prepare(`insert into guard values (${guardCodes.not_stored})`, []));
  return statements;
}
