import { itemAction } from "#domain/item/change.ts";
import { compileCollection } from "#domain/data/compile.ts";
import { findCollectionOf } from "#store/data/collections.ts";
import { hideCollection } from "#store/data/deletions.ts";
import { removeItem } from "#store/data/change-item.ts";
import { findItem } from "#store/data/items.ts";
import { eraseDeletedItem, findDeletedNumber } from "#store/data/erase-deleted-items.ts";
import { listOwedErasures, settleErasure } from "#store/data/owed-erasures.ts";
import { loadReach } from "#store/home/placements.ts";
import type { BackgroundContext } from "./context.ts";
import { buildItemRemoval } from "./remove-item.ts";
import { systemRecord } from "./retention.ts";

/**
 * Repeats the erasures that a restore of databases has undone. Collections may have moved since, so each erasure finds
 * its own database. While a database is not bound, erasures without an item stay in the queue. The next run continues.
 */
export async function repeatErasures(ctx: BackgroundContext): Promise<void> {
  for (const db of ctx.databases.dataDatabases()) {
    for (const subject of await listOwedErasures(db)) {
      const outcome = /^\d/.test(subject)
        ? await eraseCollection(ctx, subject)
        : await eraseItem(ctx, subject);
      if (outcome === "erased" || (outcome === "not found" && (await seesAll(ctx))))
        await settleErasure(db, subject);
    }
  }
}

const seesAll = async ({ databases }: BackgroundContext): Promise<boolean> =>
  (await loadReach(databases)).missing.length === 0;

/** "changed" means that a definition or an item changed concurrently, so the erasure must run again. */
type Outcome = "erased" | "not found" | "changed";

const kindOf = (id: string) => (id.startsWith("rec_") ? "app" : "form");

const findStored = ({ databases }: BackgroundContext, id: string) =>
  findItem(databases, { kind: kindOf(id), id, stamps: "{}", isNarrow: 0 });

const findDeleted = ({ databases }: BackgroundContext, id: string) =>
  findDeletedNumber(databases.dataDatabases(), id);

/**
 * Erases an item. If a deleted item and a live one have the ID, erases only the deleted one: the erasure came from the
 * list of deleted items, and a repeated import in the former version of the service created the other one.
 */
async function eraseItem(ctx: BackgroundContext, id: string): Promise<Outcome> {
  const deleted = await findDeleted(ctx, id);
  if (deleted) return eraseDeletedItemOf(ctx, id, deleted);
  const found = await findStored(ctx, id);
  // The item may have been deleted between the two reads.
  if (!found) return (await findDeleted(ctx, id)) ? "changed" : "not found";
  const definition = found.head.freshCollection;
  if (!definition) return "changed";
  const compiled = compileCollection(definition.collection);
  const db = ctx.databases.of(compiled.collection);
  // Records the erasure again, because the restore has undone the first record. A second restore then repeats it too.
  const auditRecord = systemRecord(ctx, itemAction(kindOf(id), "erase"));
  const result = await removeItem(db, buildItemRemoval(compiled, found.item), auditRecord);
  return result.outcome === "changed" ? "erased" : "changed";
}

/** Erases an item that a member deleted and that could still be restored. */
async function eraseDeletedItemOf(
  ctx: BackgroundContext,
  id: string,
  { number, collectionId }: { number: number; collectionId: number },
): Promise<Outcome> {
  const auditRecord = systemRecord(ctx, itemAction(kindOf(id), "erase"));
  const db = ctx.databases.of({ id: collectionId });
  const entry = { ...auditRecord, collectionId, version: null };
  return (await eraseDeletedItem(db, number, entry)) ? "erased" : "changed";
}

/** Deletes an app or form that can no longer be restored. The steps of the erasure follow. */
async function eraseCollection(ctx: BackgroundContext, subject: string): Promise<Outcome> {
  const [id = "", name] = subject.split(" ");
  const db = ctx.databases.of({ id: Number(id) });
  const current = await findCollectionOf(db);
  if (!current || `${current.collection.kind}:${current.collection.key}` !== name)
    return "not found";
  const systemEntry = systemRecord(ctx, "definition.delete");
  const auditRecord = { ...systemEntry, collectionId: null, subject: name, version: null };
  const isHidden = await hideCollection(ctx.databases, db, current, auditRecord, 0);
  return isHidden ? "erased" : "changed";
}
