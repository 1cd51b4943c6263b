import { compileCollection } from "#domain/data/compile.ts";
import { findCollectionOf } from "#store/data/collections.ts";
import { hideCollection } from "#store/data/deletions.ts";
import { findItem } from "#store/data/items.ts";
import { listOwedErasures, settleErasure } from "#store/data/owed-erasures.ts";
import type { DataDatabase, Databases } from "#store/db/database.ts";
import type { BackgroundContext } from "./context.ts";
import { eraseItems, systemRecord } from "./retention.ts";

/** Repeats the erasures that came after the moment to which the database was restored. The next run continues. */
export async function repeatErasures(ctx: BackgroundContext): Promise<void> {
  for (const db of ctx.databases.dataDatabases()) {
    for (const subject of await listOwedErasures(db)) {
      const isDone = /^\d/.test(subject)
        ? await eraseCollection(ctx, db, subject)
        : await eraseItem(ctx, db, subject);
      if (isDone) await settleErasure(db, subject);
    }
  }
}

async function eraseItem(ctx: BackgroundContext, db: DataDatabase, id: string): Promise<boolean> {
  const kind = id.startsWith("rec_") ? "app" : "form";
  const databases: Databases = { ...ctx.databases, dataDatabases: () => [db] };
  const found = await findItem(databases, { kind, id, stamps: "{}" });
  const definition = found?.head.freshCollection;
  if (!found || !definition) return true;
  const compiled = compileCollection(definition.collection);
  const result = await eraseItems(ctx, db.of(compiled.collection), compiled, [found.item]);
  return result.outcome === "created";
}

/** Deletes an app or form without the time to restore it. The steps of the erasure follow. */
async function eraseCollection(
  ctx: BackgroundContext,
  dataDb: DataDatabase,
  subject: string,
): Promise<boolean> {
  const [id = "", name] = subject.split(" ");
  const db = dataDb.of({ id: Number(id) });
  const current = await findCollectionOf(db);
  if (!current || `${current.collection.kind}:${current.collection.key}` !== name) return true;
  const record = { ...systemRecord(ctx), action: "definition.delete" as const };
  const entry = { ...record, collectionId: null, subject: name, version: null };
  return hideCollection(ctx.databases, db, current, entry, 0);
}
