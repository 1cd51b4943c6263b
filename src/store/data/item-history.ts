import { and, eq, sql, type SQL } from "drizzle-orm";
import { lazy } from "#domain/lazy.ts";
import type { Database, Databases } from "#store/db/database.ts";
import { retryTransient } from "#store/db/retry.ts";
import { collection, item } from "#store/db/schema.ts";
import type { Bind, Placeholders } from "#store/db/statement.ts";
import {
  historyStatements,
  nameActors,
  pastChangeFromRow,
  type HistoryLimits,
  type PastChange,
  type PastChangeRow,
} from "./changes.ts";
import {
  currentItemFromRow,
  findDatabasesFor,
  isPlacedIn,
  idCondition,
  receiptCondition,
  selectById,
  selectByReceipt,
  type CurrentItem,
  type CurrentItemRow,
  type ItemById,
  type ItemByReceipt,
  type ItemName,
} from "./items.ts";
import {
  selectReferrers,
  selectTitlesOf,
  type RecordTitle,
  type Referrer,
} from "./reference-titles.ts";

/** An item with the data of its page. */
export interface ItemWithHistory {
  current: CurrentItem;
  /** Newest first. */
  changes: PastChange[];
  /** The records that its values refer to. */
  titles: RecordTitle[];
  /** The fields that refer to the item, if it is a record. */
  referrers: Referrer[];
}

/** The statements of the page of an item that meets a condition. */
function pageStatements<Values extends { stamps: string }>(
  selectOne: Bind<"data", Values>,
  condition: (values: Placeholders<Values>) => SQL | undefined,
) {
  const joined = sql`${item} join ${collection} on ${collection.id} = ${item.collectionId}`;
  const target = (column: SQL) => (values: Placeholders<Values>) =>
    sql`(select ${column} from ${joined} where ${condition(values)})`;
  return {
    selectOne,
    history: historyStatements<Values>(target(sql`${item.lastChange}`)),
    titles: selectTitlesOf<Values>(target(sql`${item.number}`)),
    referrers: selectReferrers<Values>(
      (values) =>
        sql`(select ${item.id} as id, ${collection.key} as app from ${joined}
          where ${and(condition(values), eq(collection.kind, "app"))})`,
    ),
  };
}

const byId = lazy(() => pageStatements<ItemById>(selectById, idCondition));
const byReceipt = lazy(() => pageStatements<ItemByReceipt>(selectByReceipt, receiptCondition));

/** Loads an item with its changes and its related records, in one round trip. */
export async function findItemWithHistory(
  databases: Databases,
  name: ItemName,
  limits: HistoryLimits,
): Promise<ItemWithHistory | undefined> {
  for (const db of findDatabasesFor(databases, name)) {
    const [itemResult, historyResult, titles, referrers] = await retryTransient(db, () =>
      "receipt" in name
        ? loadPage(databases, db, byReceipt(), name, limits)
        : loadPage(databases, db, byId(), name, limits),
    );
    const [row] = (itemResult?.results ?? []) as CurrentItemRow[];
    if (!row || !(await isPlacedIn(databases, db, row.collection_id))) continue;
    const past = ((historyResult?.results ?? []) as PastChangeRow[]).map(pastChangeFromRow);
    return {
      current: currentItemFromRow(row),
      changes: await nameActors(databases, past),
      titles: (titles?.results ?? []) as RecordTitle[],
      referrers: (referrers?.results ?? []) as Referrer[],
    };
  }
  return undefined;
}

/** Loads the page. Selects the names of actors if they are in the same database. */
function loadPage<Values extends { stamps: string }>(
  { singleDatabase }: Databases,
  db: Database<"data">,
  { selectOne, history, titles, referrers }: ReturnType<typeof pageStatements<Values>>,
  name: Values,
  limits: HistoryLimits,
): Promise<D1Result[]> {
  const values = { ...name, ...limits };
  const related = [titles, referrers].map((bind) => bind(db, name));
  return singleDatabase
    ? singleDatabase.batch([
        selectOne(singleDatabase, name),
        history.withNames(singleDatabase, values),
        ...related,
      ])
    : db.batch([selectOne(db, name), history.withoutNames(db, values), ...related]);
}
