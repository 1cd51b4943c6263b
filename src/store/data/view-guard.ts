import type { Condition } from "#domain/search/tree.ts";
import type { CollectionDatabase, PreparedStatement } from "#store/db/database.ts";
import { guardCodes } from "#store/db/guard.ts";
import { preparePageStatement } from "./search/batch.ts";
import { allSql } from "./search/conditions.ts";
import { SearchValues } from "./search/search-values.ts";

/** Limits of a create besides those of storing an item. */
export interface CreateLimits {
  /** The conditions of the caller's view. Empty for a whole collection. */
  conditions: readonly Condition[];
  /** Whether to run every statement and then store nothing. */
  isTrial?: boolean;
}

/**
 * Aborts the batch when one of these new items does not meet the conditions. Runs after the statements that store the
 * items, because the database assigns times and numbers.
 */
export function viewGuard(
  db: CollectionDatabase,
  ids: readonly string[],
  { conditions, isTrial = false }: CreateLimits,
): PreparedStatement<"data">[] {
  const statements: PreparedStatement<"data">[] = [];
  if (conditions.length > 0 && ids.length > 0) {
    const values = new SearchValues();
    const idList = values.list([...ids]);
    const statement =
      values.statement(`insert into guard select ${guardCodes.outside_view} where exists (
      select 1 from item i where i.id in ${idList} and not ${allSql(conditions, values)})`);
    statements.push(preparePageStatement(db, statement));
  }
  if (isTrial)
    statements.push(db.prepare(`insert into guard values (${guardCodes.not_stored})`, []));
  return statements;
}
