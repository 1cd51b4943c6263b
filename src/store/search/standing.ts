import { eq, sql } from "drizzle-orm";
import { indexing, tally } from "../db/schema";
import { statement } from "../db/statement";

/** How many items a collection holds, and, while some lack search entries, how far the work is. */
export interface Standing {
  live: number;
  indexing: { done: number; total: number } | null;
}

export const selectStanding = statement<{ id: number }>((db, { id }) =>
  db
    .select({
      live: tally.live,
      done: sql`${indexing.done}`.as("done"),
      total: sql`${indexing.total}`.as("total"),
    })
    .from(tally)
    .leftJoin(indexing, eq(indexing.collectionId, tally.collectionId))
    .where(eq(tally.collectionId, id)),
);

export function standingOf(read: D1Result | undefined): Standing | null {
  const [row] = (read?.results ?? []) as { live: number; done: number | null; total: number }[];
  if (!row) return null;
  const { live, done, total } = row;
  return { live, indexing: done === null ? null : { done, total } };
}
