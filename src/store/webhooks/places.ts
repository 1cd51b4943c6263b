import { asc, eq, sql, type SQL } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import type { Webhook } from "../../domain/webhook/webhook";
import { lastChange } from "../changes/change-statements";
import { attempt } from "../db/attempt";
import { collection, webhook } from "../db/schema";

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
