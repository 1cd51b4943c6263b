import { sql, type SQL } from "drizzle-orm";

const maxTitleLength = 200;

/**
 * SQL for the name of an item for people: its title field, or its first text as in lists. Takes the names of the
 * tables.
 */
export function itemTitleSql(item: string, collection: string): SQL<string | null> {
  const titleId = `${collection}.fields ->> '$.title'`;
  const firstTextId = `(select value ->> 'id' from json_each(${collection}.fields, '$.fields')
    where value ->> 'type' = 'text' limit 1)`;
  return sql.raw(
    `substr(${item}.data ->> cast(coalesce(${titleId}, ${firstTextId}) as text), 1, ${maxTitleLength})`,
  ) as SQL<string | null>;
}
