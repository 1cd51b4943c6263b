import { sql, type SQL } from "drizzle-orm";
import { fieldsPerCollection } from "#domain/data/values.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { parseReceiptSequences, sequencesPerCollection, type Status } from "#domain/item/item.ts";
import {
  mayLackSpaces,
  searchWords,
  spacedForms,
  spellings,
  typedForms,
} from "#domain/search/text.ts";
import { itemTitleSql } from "#store/data/item-title.ts";
import { prefixEnd } from "#store/data/search/ranges.ts";
import { query, type Database } from "#store/db/database.ts";
import { isOwnColumn } from "#store/db/lists.ts";

/** The maximum number of items that one search ranks. */
const maxItems = 60;
/** The maximum number of collections whose items are searched, newest first, and of their fields. */
const maxCollections = 500;
const maxFields = 1000;
/** The maximum number of entries that are read for values that start with the text or with one of its words. */
const maxPrefixEntries = 100;
/** The maximum number of entries whose whole values are compared. */
export const maxScannedValues = 10_000;
/** The maximum number of newest items of apps and of forms whose IDs are compared with a shortened ID. */
const maxScannedIds = 10_000;
const maxValueLength = 200;
/** The maximum number of words of a text that must occur. Further words are ignored. */
const maxWords = 5;
/** D1 accepts only 100 parameters, and each word takes several. */
const maxWordsWithReceipts = 3;

/** The quality of a match, best first. */
export const matchRanks = {
  name: 9,
  shortReceipt: 8,
  idEnd: 7,
  wholeValue: 3,
  startOfValue: 2,
  words: 1,
} as const;

/** An item that matches by its ID, its receipt number, one of its values, or several words. */
export interface FoundItem {
  id: string;
  receipt: string | null;
  status: Status | null;
  createdAt: number;
  kind: CollectionKind;
  key: string;
  collectionName: string;
  /** The value of the title field, or the first text of a form. */
  title: string | null;
  /** 1 if the app has a title field, so that its records have names. */
  isNamed: number;
  /** One of `matchRanks`, followed by the label and value of the matching field as JSON. Both are null for other matches. */
  best: string;
}

const number = (value: number) => sql.raw(String(value));
const orAll = (conditions: SQL[]) => sql`(${sql.join(conditions, sql` or `)})`;

/** Finds items by a text, in one statement that reads a bounded number of rows. */
export function selectItems(db: Database<"data">, text: string) {
  const words = limitForms(searchWords(text).slice(0, maxWords));
  return query(db, (on) =>
    on
      .select({
        isOwn: isOwnColumn("c.id"),
        id: sql<string>`i.id`.as("id"),
        receipt: sql<string | null>`i.receipt_number`.as("receipt"),
        status: sql<Status | null>`i.status`.as("status"),
        createdAt: sql<number>`i.created_at`.as("created_at"),
        kind: sql<CollectionKind>`c.kind`.as("kind"),
        key: sql<string>`c.key`.as("key"),
        collectionName: sql<string>`c.name`.as("collection_name"),
        title: itemTitleSql("i", "c").as("title"),
        isNamed: sql<number>`c.fields ->> '$.title' is not null`.as("is_named"),
        best: sql<string>`h.best`.as("best"),
      })
      .from(
        sql`(select item, max(rank || details) as best, ${matchedWordsSql(words)} as found
            from (${matchesSql(text, words)})
            group by item order by ${countWordsSql(words)} desc, substr(best, 1, 1) desc, item desc limit ${number(maxItems)}) h
          cross join item i on i.number = h.item
          cross join collection c on c.id = i.collection_id and c.id > 0`,
      )
      .where(sql.join(words.map(containsElsewhereSql), sql` and `))
      .orderBy(sql`i.number desc`),
  );
}

type Word = readonly string[];

/** If there are many words, each word keeps only its two last forms. */
const limitForms = (words: readonly Word[]): Word[] =>
  words.map((forms) => forms.slice(words.length > maxWordsWithReceipts ? -2 : 0));

/** Each word has a bit. The mask of a match contains the bits of the words that occur in its value. */
const bitOf = (index: number) => number(2 ** index);

const matchedWordsSql = (words: readonly Word[]) =>
  sql.join(
    words.map((_, index) => sql`max(words & ${bitOf(index)})`),
    sql` + `,
  );

const countWordsSql = (words: readonly Word[]) =>
  sql.join(
    words.map((_, index) => sql`(max(words & ${bitOf(index)}) > 0)`),
    sql` + `,
  );

/** SQL for whether a folded text contains a form of a word. */
function containsSql(text: SQL, form: string): SQL {
  const compared = mayLackSpaces(form)
    ? sql`replace(replace(${text}, ' ', ''), char(0x3000), '')`
    : text;
  return sql`instr(${compared}, ${form}) > 0`;
}

/**
 * SQL for whether a word that is missing in the matching value occurs in the name of the collection or in another value
 * of the item.
 */
function containsElsewhereSql(word: Word, index: number): SQL {
  const contains = (value: SQL) =>
    orAll(word.map((form) => containsSql(sql`lower(${value})`, form)));
  return orAll([
    sql`h.found & ${bitOf(index)}`,
    contains(sql`c.name || ' ' || c.key`),
    sql`exists (select 1 from json_tree(i.data) t where t.type = 'text' and ${contains(sql`t.atom`)})`,
  ]);
}

function matchesSql(text: string, words: readonly Word[]): SQL {
  const forms = typedForms(text);
  const names = forms.map(
    (form) =>
      sql`select number as item, ${detailsSql} as details, ${number(matchRanks.name)} as rank, ${allWords(words)} as words
        from item where id = ${form}`,
  );
  const sources = [
    ...names,
    ...receiptsSql(forms, allWords(words)),
    ...wordReceiptsSql(words),
    ...idEndsSql(forms, words),
    ...valuesSql(forms, words),
  ];
  return unionAll(sources);
}

/** D1 limits a compound SELECT to 5 terms. It does not limit the total number of terms in nested ones. */
const maxTerms = 5;

function unionAll(sources: readonly SQL[]): SQL {
  if (sources.length <= maxTerms) return sql.join([...sources], sql` union all `);
  const size = Math.ceil(sources.length / maxTerms);
  const parts = Array.from({ length: Math.ceil(sources.length / size) }, (_, index) => {
    const part = unionAll(sources.slice(index * size, (index + 1) * size));
    return sql`select item, details, rank, words from (${part})`;
  });
  return unionAll(parts);
}

const allWords = (words: readonly Word[]) => number(2 ** words.length - 1);

const detailsSql = sql`json_array(null, null)`;

/**
 * Returns the sequence and the prefix of a receipt number that may lack zeros, such as `ORD-95`. The prefix may be
 * empty.
 */
function shortReceipts(text: string): { start: string; sequence: number }[] {
  const [, start = "", digits] = /^(.*\D)?(\d{1,10})$/.exec(text) ?? [];
  return digits === undefined ? [] : [{ start: start.toLowerCase(), sequence: Number(digits) }];
}

/** Finds records by receipt number. It ends with the sequence of the record, which is unique in each app. */
function receiptsSql(forms: readonly string[], foundWords: SQL): SQL[] {
  const whole = forms.flatMap((form) =>
    parseReceiptSequences(form).map((sequence) => ({ start: form.toLowerCase(), sequence })),
  );
  const receipts = [...whole, ...forms.flatMap(shortReceipts)];
  if (receipts.length === 0) return [];
  const isWhole = orAll(forms.map((form) => sql`i.receipt_number = ${form} collate nocase`));
  // A number alone may be any value. With leading zeros, it is a receipt number.
  const shortRank = forms.some((form) => /^0|\D/.test(form))
    ? matchRanks.shortReceipt
    : matchRanks.words;
  return [
    sql`select i.number as item, ${detailsSql} as details, iif(${isWhole}, ${number(matchRanks.name)}, ${number(shortRank)}) as rank, ${foundWords} as words
      from (select id from collection where kind = 'app' and id > 0 order by id desc limit ${number(maxCollections)}) c
        cross join json_each(${JSON.stringify(receipts)}) s
        cross join item i on i.number = c.id * ${number(sequencesPerCollection)} + (s.value ->> 'sequence')
      where s.value ->> 'start' in ('', lower(i.receipt_number), rtrim(lower(i.receipt_number), '0123456789'))`,
  ];
}

/** Finds a receipt number among other words, as in “order 88”. */
const wordReceiptsSql = (words: readonly Word[]): SQL[] =>
  words.length > 1 && words.length <= maxWordsWithReceipts
    ? words.flatMap((word, index) => receiptsSql(word, bitOf(index)))
    : [];

/** Finds items by the end of an ID. Lists display the last 8 characters of an ID, after “…”. */
function idEndsSql([text = ""]: readonly string[], words: readonly Word[]): SQL[] {
  const [, end] = /^(?:…|\.\.\.)?([0-9a-hjkmnp-tv-z]{8,26})$/i.exec(text) ?? [];
  if (end === undefined) return [];
  return ["rec_", "sub_"].map(
    (
      prefix,
    ) => sql`select number as item, ${detailsSql} as details, ${number(matchRanks.idEnd)} as rank, ${allWords(words)} as words
      from (select id, number from item where id > ${prefix} and id < ${prefixEnd(prefix)}
        order by id desc limit ${number(maxScannedIds)})
      where substr(id, ${number(-end.length)}) = ${end.toUpperCase()}`,
  );
}

/** Returns the ranges of the values that start with one of the texts, as JSON. */
const rangesOf = (texts: readonly string[]) =>
  JSON.stringify(
    texts
      .flatMap(spacedForms)
      .flatMap(spellings)
      .map((start) => [start, prefixEnd(start)]),
  );

/**
 * Finds values that start with the text or one of its words. Also finds values among the first entries that contain a
 * word.
 */
function valuesSql(forms: readonly string[], words: readonly Word[]): SQL[] {
  const fields = sql`(select c.id * ${number(fieldsPerCollection)} + (f.value ->> 'id') as number, f.value ->> 'label' as label
    from (select id, fields from collection where id > 0 order by id desc limit ${number(maxCollections)}) c
      cross join json_each(c.fields, '$.fields') f
    where f.value ->> 'searchable' and f.value ->> 'type' in ('text', 'email', 'phone', 'url')
    limit ${number(maxFields)}) f`;
  const details = sql`json_array(label, substr(value, 1, ${number(maxValueLength)}))`;
  const wordsOf = (value: SQL) =>
    sql.join(
      words.map(
        (word, index) =>
          sql`${orAll(word.map((form) => containsSql(value, form)))} * ${bitOf(index)}`,
      ),
      sql` + `,
    );
  const startingWith = (texts: readonly string[], rank: SQL, found: SQL) =>
    sql`select item, ${details} as details, ${rank} as rank, ${found} as words from (select e.item, f.label, e.value, e.folded
      from ${fields} cross join json_each(${rangesOf(texts)}) r
        cross join search_entry e on e.field = f.number
          and e.value >= r.value ->> 0 and e.value < r.value ->> 1
      limit ${number(maxPrefixEntries)})`;
  const folded = sql`coalesce(folded, value)`;
  return [
    sql`select item, ${details} as details, ${number(matchRanks.wholeValue)} as rank, ${allWords(words)} as words from (select e.item, f.label, e.value
      from ${fields} cross join json_each(${JSON.stringify(forms.flatMap(spacedForms).flatMap(spellings))}) r
        cross join search_entry e on e.field = f.number and e.value = r.value
      limit ${number(maxPrefixEntries)})`,
    startingWith(forms, number(matchRanks.startOfValue), allWords(words)),
    ...(words.length > 1
      ? words.map((word) => startingWith(word, number(matchRanks.words), wordsOf(folded)))
      : []),
    sql`select item, ${details} as details, ${number(matchRanks.words)} as rank, words from (select item, label, value, ${wordsOf(folded)} as words
      from (select e.item, f.label, e.value, e.folded
        from ${fields} cross join search_entry e on e.field = f.number
        limit ${number(maxScannedValues)}))
    where words > 0`,
  ];
}
