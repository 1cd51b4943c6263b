import type { DataDatabase } from "#store/db/database.ts";
import { retryTransient } from "#store/db/retry.ts";
import {
  groupOf,
  selectLinks,
  selectStored,
  type Link,
  type StoredCollection,
} from "./move-sql.ts";

/** Loads the group of collections that move together: this one, and all that references link to it, directly or not. */
export async function loadGroup(db: DataDatabase, id: number): Promise<StoredCollection[]> {
  const [stored, links] = await retryTransient(db, () =>
    db.batch<Record<string, unknown>>([
      db.prepare<"data">(selectStored),
      db.prepare<"data">(selectLinks),
    ]),
  );
  const collections = (stored?.results ?? []) as unknown as StoredCollection[];
  const pairs = (links?.results ?? []) as unknown as Link[];
  return groupOf(id, collections, pairs);
}
