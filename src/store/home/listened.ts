import { orm, type Databases, type HomeDatabase } from "#store/db/database.ts";
import { and, count, eq, sql, type SQL } from "drizzle-orm";
import { collectionNames, type Webhook } from "#domain/webhook/webhook.ts";
import { retryTransient } from "#store/db/retry.ts";
import { collection, webhook } from "#store/db/schema.ts";
import { dataStatement, jointStatement } from "#store/db/statement.ts";
import { entryNameSql } from "./listeners.ts";

/** The collections that active webhooks listen to, as the rows of the collections store it. */

const isListenedSql = sql`iif(exists (select 1 from webhook where state = 'active' and collections = '"all"'), 1,
  kind || ':' || key in (select ${entryNameSql} from webhook w, json_each(w.collections) j where w.state = 'active'))`;

/** Stores in each collection whether an active webhook listens to it. */
export const updateListenedStatement = jointStatement((db) =>
  db
    .update(collection)
    .set({ listened: isListenedSql })
    .where(sql`listened <> ${isListenedSql}`),
);

const isNamedSql = (listensToAll: SQL, qualifiedKeys: SQL) =>
  sql`iif(${listensToAll}, 1, kind || ':' || key in (select value from json_each(${qualifiedKeys})))`;

/**
 * Stores the same when webhooks are in another database. The values contain the collections that the webhooks listen
 * to.
 */
const setListenedStatement = dataStatement<{ listensToAll: number; qualifiedKeys: string }>(
  (db, v) =>
    db
      .update(collection)
      .set({ listened: isNamedSql(v.listensToAll, v.qualifiedKeys) })
      .where(sql`listened <> ${isNamedSql(v.listensToAll, v.qualifiedKeys)}`),
);

/**
 * Stores in every data database which collections an active webhook listens to. Does nothing with a single database,
 * because there the batch that changes a webhook also updates its collections.
 */
export async function updateListenedColumns(databases: Databases): Promise<void> {
  const { home, singleDatabase } = databases;
  if (singleDatabase) return;
  const { collections, state } = webhook;
  const webhooks = await retryTransient(home, () =>
    orm(home).select({ collections }).from(webhook).where(eq(state, "active")),
  );
  const selections = webhooks.map((row) => JSON.parse(row.collections) as Webhook["collections"]);
  const values = {
    listensToAll: selections.includes("all") ? 1 : 0,
    qualifiedKeys: JSON.stringify(
      selections.flatMap((selection) => {
        const names = collectionNames({ collections: selection });
        return names === "all" ? [] : names;
      }),
    ),
  };
  const updates = databases
    .dataDatabases()
    .map((db) => retryTransient(db, () => setListenedStatement(db, values).run()));
  await Promise.all(updates);
}

/** True when an active webhook listens to all collections, including future ones. */
export async function hasGlobalListener(home: HomeDatabase): Promise<boolean> {
  const isGlobal = and(eq(webhook.state, "active"), eq(webhook.collections, '"all"'));
  const [row] = await retryTransient(home, () =>
    orm(home).select({ n: count() }).from(webhook).where(isGlobal),
  );
  return (row?.n ?? 0) > 0;
}
