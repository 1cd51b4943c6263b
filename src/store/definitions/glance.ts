import { asc, eq, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import type { Acceptance } from "../../domain/definition/acceptance";
import type { CollectionKind } from "../../domain/definition/collection";
import { attempt } from "../db/attempt";
import { collection, tally } from "../db/schema";

/** An app or a form as a list of them shows it. */
export interface Glance extends Acceptance {
  key: string;
  name: string;
  description: string;
  version: number;
  /** Stored items. */
  live: number;
  /** When the last item was stored; null where none ever was. Milliseconds since 1970. */
  lastItemAt: number | null;
}

const most = 500;

/** The apps or forms in the order of their names. */
export async function glanceAt(db: D1Database, kind: CollectionKind): Promise<Glance[]> {
  const { key, name, description, version, state } = collection;
  return attempt(() =>
    drizzle(db)
      .select({
        key,
        name,
        description,
        version,
        state,
        opens_at: collection.opensAt,
        closes_at: collection.closesAt,
        max_submissions: collection.maxSubmissions,
        live: tally.live,
        lastItemAt: sql<number | null>`nullif(${tally.lastCreatedAt}, 0)`,
      })
      .from(collection)
      .innerJoin(tally, eq(tally.collectionId, collection.id))
      .where(eq(collection.kind, kind))
      .orderBy(asc(sql`${name} collate nocase`), asc(collection.id))
      .limit(most),
  );
}
