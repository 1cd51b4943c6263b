import { and, asc, eq, gt, inArray, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import type { CollectionKind } from "../../domain/definition/collection";
import { attempt } from "../db/attempt";
import { collection } from "../db/schema";

export type CollectionSummary = Pick<
  typeof collection.$inferSelect,
  "id" | "key" | "version" | "name" | "description" | "timeZone"
>;

/** The collections of one kind, in the order in which they were made. */
export async function listCollections(
  db: D1Database,
  kind: CollectionKind,
  keys: "all" | readonly string[],
  after: number,
  limit: number,
): Promise<CollectionSummary[]> {
  const { id, key, version, name, description, timeZone } = collection;
  // One parameter, however many keys: D1 takes 100.
  const visible =
    keys === "all"
      ? undefined
      : inArray(key, sql`(select value from json_each(${JSON.stringify(keys)}))`);
  return attempt(() =>
    drizzle(db)
      .select({ id, key, version, name, description, timeZone })
      .from(collection)
      .where(and(eq(collection.kind, kind), gt(id, after), visible))
      .orderBy(asc(id))
      .limit(limit),
  );
}
