import { sql, type SQL } from "drizzle-orm";
import { fieldsPerCollection } from "#domain/data/values.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { maxCountedReferrers } from "#domain/item/referrers.ts";
import type { CollectionDatabase, DataDatabase } from "#store/db/database.ts";
import { retryTransient } from "#store/db/retry.ts";
import { dataStatement, type Bind, type Placeholders } from "#store/db/statement.ts";

/** A record with its name for people. */
export interface RecordTitle {
  id: string;
  /** The key of its app. */
  app: string;
  receiptNumber: string;
  /** The value of the app's title field; null if there is none. */
  title: string | null;
}

const maxTitleLength = 200;

/** The title of the record `i` of the app `a`. */
export const titleSql = sql<
  string | null
>`substr(i.data ->> cast(a.fields ->> '$.title' as text), 1, ${sql.raw(String(maxTitleLength))})`;

/** Reads each definition once, however many records of the app there are. */
const selectTitles = dataStatement<{ ids: string; apps: string }>((db, v) =>
  db
    .select({
      id: sql<string>`i.id`.as("id"),
      app: sql<string>`a.key`.as("app"),
      receiptNumber: sql<string>`i.receipt_number`.as("receiptNumber"),
      title: sql<
        string | null
      >`substr(i.data ->> cast(a.title as text), 1, ${sql.raw(String(maxTitleLength))})`.as(
        "title",
      ),
    })
    .from(
      sql`json_each(${v.ids}) e cross join item i on i.id = e.value
        cross join (select id, key, fields ->> '$.title' as title from collection
          where kind = 'app' and key in (select value from json_each(${v.apps})) limit -1) a
          on a.id = i.collection_id`,
    ),
);

/** Finds the titles of records of these apps. Omits records that do not exist. */
export async function findTitles(
  db: CollectionDatabase | DataDatabase,
  ids: readonly string[],
  apps: readonly string[],
): Promise<RecordTitle[]> {
  if (ids.length === 0) return [];
  const values = { ids: JSON.stringify(ids), apps: JSON.stringify(apps) };
  const { results } = await retryTransient(db, () => selectTitles(db, values).all<RecordTitle>());
  return results;
}

/** A field that refers to an app, and how many items of its collection refer to one record. */
export interface Referrer {
  kind: CollectionKind;
  key: string;
  name: string;
  /**
   * The key and the label of the field. For a column, `list` and `listLabel` are the key and label of its line items.
   */
  field: string;
  label: string;
  list: string | null;
  listLabel: string | null;
  /** Counted up to one more than the limit. Null for fields that are not searchable. */
  count: number | null;
}

/** The maximum number of fields that a page lists. */
const maxReferrers = 50;

/** Selects the fields that refer to a record. `target` selects its `id` and the key of its `app`. */
export const selectReferrers = <Values extends object>(
  target: (values: Placeholders<Values>) => SQL,
): Bind<"data", Values> =>
  dataStatement<Values>((db, values) =>
    db
      .select({
        kind: sql`r.kind`.as("kind"),
        key: sql`r.key`.as("key"),
        name: sql`r.name`.as("name"),
        field: sql`r.f ->> 'key'`.as("field"),
        label: sql`r.f ->> 'label'`.as("label"),
        list: sql`r.list ->> 'key'`.as("list"),
        listLabel: sql`r.list ->> 'label'`.as("listLabel"),
        count: sql`iif(r.f ->> 'searchable' and coalesce(r.list ->> 'searchable', 1),
          (select count(*) from (select 1 from search_entry
            where field = r.id * ${sql.raw(String(fieldsPerCollection))} + (r.f ->> 'id') and value = t.id
            limit ${sql.raw(String(maxCountedReferrers + 1))})), null)`.as("count"),
      })
      .from(
        sql`${target(values)} t cross join (select c.id, c.kind, c.key, c.name, f.value as f, null as list
            from collection c cross join json_each(c.fields, '$.fields') f
            where instr(c.fields, '"type":"reference"') > 0
          union all select c.id, c.kind, c.key, c.name, r.value, f.value
            from collection c cross join json_each(c.fields, '$.fields') f
            cross join json_each(f.value, '$.fields') r
            where instr(c.fields, '"type":"reference"') > 0 and f.value ->> 'type' = 'line_items') r`,
      )
      .where(sql`r.f ->> 'type' = 'reference' and r.f ->> 'app' = t.app`)
      .limit(maxReferrers),
  );

/** The maximum number of records of one item that a page names. */
const maxOwnTitles = 500;

/** Selects the titles of the records that one item refers to. `number` selects the number of the item. */
export const selectTitlesOf = <Values extends object>(
  number: (values: Placeholders<Values>) => SQL,
): Bind<"data", Values> =>
  dataStatement<Values>((db, values) =>
    db
      .select({
        id: sql`i.id`.as("id"),
        app: sql`a.key`.as("app"),
        receiptNumber: sql`i.receipt_number`.as("receiptNumber"),
        title: titleSql.as("title"),
      })
      .from(
        sql`(select distinct e.atom as id from item own
            join collection c on c.id = own.collection_id and instr(c.fields, '"type":"reference"') > 0
            cross join json_tree(own.data) e
            where own.number = ${number(values)} and e.type = 'text' and e.atom glob 'rec_*'
            limit ${sql.raw(String(maxOwnTitles))}) e
          cross join item i on i.id = e.id
          cross join collection a on a.id = i.collection_id and a.kind = 'app'`,
      ),
  );
