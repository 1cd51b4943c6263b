import { and, asc, eq, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { attempt } from "../db/attempt";
import { webhook } from "../db/schema";
import { statement } from "../db/statement";
import { lastChange } from "../changes/change-statements";

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
