import { sql } from "drizzle-orm";
import type { Collection } from "#domain/definition/collection.ts";
import type { Database, Databases, PreparedStatement } from "#store/db/database.ts";
import { dataGuard, guardCode, runGuarded } from "#store/db/guard.ts";
import { collection } from "#store/db/schema.ts";
import { dataStatement, nextVersionSql } from "#store/db/statement.ts";

/**
 * A definition that a check has read, with its revision. A batch that stores the use of a view confirms the
 * definition: it aborts if the revision has changed, and otherwise raises it. Raising it rejects a concurrent change
 * that checked the users of the view before this batch.
 */
export type CheckedDefinition = Pick<Collection, "id" | "kind" | "key" | "version" | "revision">;

/** Returns what confirms a definition, without its fields and views, which may be large. */
export const checkedDefinition = ({
  id,
  kind,
  key,
  version,
  revision,
}: Collection): CheckedDefinition => ({ id, kind, key, version, revision });

const guardDefinitions = dataGuard<{ checked: string }>(
  (v) => sql`select ${guardCode("definition_changed")} as code from json_each(${v.checked}) e
    where not exists (select 1 from collection where id = e.value ->> 0 and revision = e.value ->> 1)`,
);

const reviseDefinitions = dataStatement<{ checked: string }>((db, v) =>
  db
    .update(collection)
    .set({ revision: nextVersionSql(sql`revision`) })
    .where(sql`id in (select value ->> 0 from json_each(${v.checked}))`),
);

/**
 * Statements that abort their batch if one of these definitions has changed. All definitions are in the batch's
 * database.
 */
export function confirmStatements(
  db: Database<"data">,
  definitions: readonly CheckedDefinition[],
): PreparedStatement<"data">[] {
  if (definitions.length === 0) return [];
  const checked = JSON.stringify(definitions.map(({ id, revision }) => [id, revision]));
  return [guardDefinitions(db, { checked }), reviseDefinitions(db, { checked })];
}

/**
 * Confirms definitions in their own databases, after a batch of the home database has stored the use of their views.
 * Returns false if one has changed. With a single database, that batch has already confirmed them.
 */
export async function confirmDefinitions(
  { singleDatabase, of }: Pick<Databases, "singleDatabase" | "of">,
  definitions: readonly CheckedDefinition[],
): Promise<boolean> {
  if (singleDatabase) return true;
  for (const definition of definitions) {
    const db = of(definition);
    if (!(await runGuarded(db, confirmStatements(db, [definition])))) return false;
  }
  return true;
}
