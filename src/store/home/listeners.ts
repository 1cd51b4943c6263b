import { and, asc, eq, sql, type SQL } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { attempt } from "#store/db/retry.ts";
import { webhook, collection } from "#store/db/schema.ts";
import { statement } from "#store/db/statement.ts";
import { lastChange } from "#store/data/changes.ts";
import type { Webhook } from "#domain/webhook/webhook.ts";

/** Which webhooks are to look at the feed. */

const listens = sql`(w.collections = '"all"' or exists (select 1 from json_each(w.collections) j
    where j.value = c.kind || ':' || c.key))`;

const selectListeners = statement<{ collectionId: number }>((db, v) =>
  db.select({ id: sql<string>`w.id` }).from(
    sql`webhook w join collection c on c.id = ${v.collectionId}
        and w.state = 'active' and ${listens}`,
  ),
);

/** Those that are active and listen to this collection. */
export async function listenersOf(db: D1Database, collectionId: number): Promise<string[]> {
  const { results } = await attempt(() =>
    selectListeners(db, { collectionId }).all<{ id: string }>(),
  );
  return results.map(({ id }) => id);
}

const selectDue = statement<{ since: number }>((db, v) =>
  db.select({ id: sql<string>`w.id` }).from(
    sql`webhook w where w.state = 'active' and exists (select 1 from collection c
        where c.listened = 1 and ${listens}
          and (select at from change where number = ${lastChange("c.id")}) >= ${v.since})`,
  ),
);

/** Those that are active and listen to a collection that has changed since. */
export async function dueSince(db: D1Database, since: number): Promise<string[]> {
  const { results } = await attempt(() => selectDue(db, { since }).all<{ id: string }>());
  return results.map(({ id }) => id);
}

/** Those that are deleted, and whose object may not have forgotten them yet. */
export async function deletedWebhooks(db: D1Database): Promise<string[]> {
  const rows = await attempt(() =>
    drizzle(db)
      .select({ id: webhook.id })
      .from(webhook)
      .where(eq(webhook.state, "deleted"))
      .orderBy(asc(webhook.id))
      .limit(100),
  );
  return rows.map(({ id }) => id);
}

export async function dropDeleted(db: D1Database, id: string): Promise<void> {
  await attempt(() =>
    drizzle(db)
      .delete(webhook)
      .where(and(eq(webhook.id, id), eq(webhook.state, "deleted"))),
  );
}

/** Where webhooks begin in the feeds of collections, and where the feeds end. */

/** The number of a collection's last change, by the collection's id. */
export type Starts = Record<string, number>;

/** Where a webhook begins that listens to these from now on. Whatever is committed later has a higher number. */
export async function presentStarts(
  db: D1Database,
  collections: Webhook["collections"],
): Promise<Starts> {
  const rows = await attempt(() =>
    drizzle(db)
      .select({ id: collection.id, last: lastChange("collection.id").mapWith(Number) })
      .from(collection)
      .where(named(collections)),
  );
  return Object.fromEntries(rows.map(({ id, last }) => [String(id), last]));
}

const ownName = sql`${collection.kind} || ':' || ${collection.key}`;

/** One parameter, however many there are. */
function named(collections: Webhook["collections"]): SQL | undefined {
  return collections === "all"
    ? undefined
    : sql`${ownName} in (select value from json_each(${JSON.stringify(collections)}))`;
}

/** Those of these names that there are. */
export async function knownNames(db: D1Database, names: readonly string[]): Promise<string[]> {
  const rows = await attempt(() =>
    drizzle(db)
      .select({ name: sql<string>`${ownName}` })
      .from(collection)
      .where(named([...names])),
  );
  return rows.map(({ name }) => name);
}

/** Collections that a webhook listens to, with the number of their last change. */
export interface Head {
  id: number;
  kind: "app" | "form";
  key: string;
  last: number;
}

export async function readHeads(
  db: D1Database,
  collections: Webhook["collections"],
): Promise<Head[]> {
  const { id, kind, key } = collection;
  return attempt(() =>
    drizzle(db)
      .select({ id, kind, key, last: lastChange("collection.id").mapWith(Number) })
      .from(collection)
      .where(named(collections))
      .orderBy(asc(id)),
  );
}

export async function readStarts(db: D1Database, id: string): Promise<Starts> {
  const [row] = await attempt(() =>
    drizzle(db).select({ starts: webhook.starts }).from(webhook).where(eq(webhook.id, id)),
  );
  return row ? (JSON.parse(row.starts) as Starts) : {};
}
