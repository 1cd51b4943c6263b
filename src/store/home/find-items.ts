import { sql, type SQL } from "drizzle-orm";
import { foldCase } from "#domain/data/index-entries.ts";
import { fieldsPerCollection } from "#domain/data/values.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { parseReceiptSequences, sequencesPerCollection } from "#domain/item/item.ts";
import { spellings } from "#domain/search/text.ts";
import { itemTitleSql } from "#store/data/item-title.ts";
import { prefixEnd } from "#store/data/search/ranges.ts";
import { query, type Database } from "#store/db/database.ts";
import { isOwnColumn } from "#store/db/lists.ts";

/** The results of one search. */
const maxItems = 10;
/** The newest collections whose items are searched, and the fields of them. */
const maxCollections = 500;
const maxFields = 1000;
/** The entries of values that start with the text, and of those that are compared as a whole. */
const maxPrefixEntries = 100;
export const maxScannedValues = 10_000;
/** The newest items of apps and of forms whose IDs are compared with a shortened ID. */
const maxScannedIds = 10_000;
const maxValueLength = 200;

/** An item that was found by its ID, its receipt number or one of its values. */
export interface FoundItem {
  id: string;
  receipt: string | null;
  kind: CollectionKind;
  key: string;
  collectionName: string;
  /** The value of the title field, or the first text of a form. */
  title: string | null;
  /** The field in which the text was found, and its value. Null for an ID or a receipt number. */
  label: string | null;
  value: string | null;
}

const number = (value: number) => sql.raw(String(value));

/** Finds items by a text, in one statement that reads a bounded number of rows. */
export const selectItems = (db: Database<"data">, text: string) =>
  query(db, (on) =>
    on
      .select({
        isOwn: isOwnColumn("c.id"),
        id: sql<string>`i.id`.as("id"),
        receipt: sql<string | null>`i.receipt_number`.as("receipt"),
        kind: sql<CollectionKind>`c.kind`.as("kind"),
        key: sql<string>`c.key`.as("key"),
        collectionName: sql<string>`c.name`.as("collection_name"),
        title: itemTitleSql("i", "c").as("title"),
        label: sql<string | null>`h.label`.as("label"),
        value: sql<string | null>`substr(h.value, 1, ${number(maxValueLength)})`.as("value"),
      })
      .from(
        sql`(select item, label, value, max(rank) as rank from (${matchesSql(text)})
            group by item order by rank desc, item desc limit ${number(maxItems)}) h
          cross join item i on i.number = h.item
          cross join collection c on c.id = i.collection_id and c.id > 0`,
      )
      .orderBy(sql`h.rank desc, i.number desc`),
  );

function matchesSql(text: string): SQL {
  const sources = [
    sql`select number as item, null as label, null as value, 4 as rank from item where id = ${text}`,
    ...receiptsSql(text),
    ...idEndsSql(text),
    ...valuesSql(text),
  ];
  return sql.join(sources, sql` union all `);
}

/** A receipt number ends with the number of its record, which each app has once. */
function receiptsSql(text: string): SQL[] {
  const sequences = parseReceiptSequences(text);
  if (sequences.length === 0) return [];
  return [
    sql`select i.number, null, null, 4
      from (select id from collection where kind = 'app' and id > 0 order by id desc limit ${number(maxCollections)}) c
        cross join json_each(${JSON.stringify(sequences)}) s
        cross join item i on i.number = c.id * ${number(sequencesPerCollection)} + s.value
      where i.receipt_number = ${text} collate nocase`,
  ];
}

/** Lists show the last 8 characters of an ID, after “…”. */
function idEndsSql(text: string): SQL[] {
  const [, end] = /^(?:…|\.\.\.)?([0-9a-hjkmnp-tv-z]{8,26})$/i.exec(text) ?? [];
  if (end === undefined) return [];
  return ["rec_", "sub_"].map(
    (prefix) => sql`select number, null, null, 3
      from (select id, number from item where id > ${prefix} and id < ${prefixEnd(prefix)}
        order by id desc limit ${number(maxScannedIds)})
      where substr(id, ${number(-end.length)}) = ${end.toUpperCase()}`,
  );
}

/** Values that start with the text, and those of the first entries that contain it. */
function valuesSql(text: string): SQL[] {
  const ranges = spellings(text).map((start) => [start, prefixEnd(start)]);
  const fields = sql`(select c.id * ${number(fieldsPerCollection)} + (f.value ->> 'id') as number, f.value ->> 'label' as label
    from (select id, fields from collection where id > 0 order by id desc limit ${number(maxCollections)}) c
      cross join json_each(c.fields, '$.fields') f
    where f.value ->> 'searchable' and f.value ->> 'type' in ('text', 'email', 'phone', 'url')
    limit ${number(maxFields)}) f`;
  return [
    sql`select item, label, value, 2 from (select e.item, f.label, e.value
      from ${fields} cross join json_each(${JSON.stringify(ranges)}) r
        cross join search_entry e on e.field = f.number
          and e.value >= r.value ->> 0 and e.value < r.value ->> 1
      limit ${number(maxPrefixEntries)})`,
    sql`select item, label, value, 1 from (select e.item, f.label, e.value, e.folded
      from ${fields} cross join search_entry e on e.field = f.number
      limit ${number(maxScannedValues)})
    where instr(coalesce(folded, value), ${foldCase(text)}) > 0`,
  ];
}
