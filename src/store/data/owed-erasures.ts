import { asc, eq, lte } from "drizzle-orm";
import { orm, type DataDatabase } from "#store/db/database.ts";
import { retryTransient } from "#store/db/retry.ts";
import { erasedItem, owedErasure } from "#store/db/schema.ts";

const maxPerRun = 20;

/** Lists the next erasures that a restore of the database undid. */
export async function listOwedErasures(db: DataDatabase): Promise<string[]> {
  const rows = await retryTransient(db, () =>
    orm(db).select().from(owedErasure).orderBy(asc(owedErasure.subject)).limit(maxPerRun),
  );
  return rows.map(({ subject }) => subject);
}

export async function settleErasure(db: DataDatabase, subject: string): Promise<void> {
  await retryTransient(db, () =>
    orm(db).delete(owedErasure).where(eq(owedErasure.subject, subject)),
  );
}

/** Longer than the period of D1 Time Travel. */
const rememberedMs = 31 * 24 * 60 * 60 * 1000;

/** Forgets the erasures that no restore can undo any more. Returns false, because one call forgets all of them. */
export async function forgetErasures(db: DataDatabase, now: number): Promise<false> {
  await retryTransient(db, () =>
    orm(db)
      .delete(erasedItem)
      .where(lte(erasedItem.at, now - rememberedMs)),
  );
  return false;
}
