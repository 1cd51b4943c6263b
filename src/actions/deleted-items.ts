import type { Collection, CollectionKind } from "#domain/definition/collection.ts";
import { problem } from "#domain/problem/problem.ts";
import {
  findDeletedItem,
  listDeletedItems,
  type DeletedItem,
  type DeletedPosition,
} from "#store/data/deleted-items.ts";
import type { ActionContext } from "./context.ts";
import { getCollection } from "./visible.ts";

const pageSize = 50;

/** Lists the deleted items of an app or form that can be restored, the latest deletion first. */
export async function listDeleted(
  ctx: ActionContext,
  { kind, key }: { kind: CollectionKind; key: string },
  after: DeletedPosition | null,
) {
  const { collection } = await getCollection(ctx, kind, key);
  const rows = await listDeletedItems(ctx.databases, collection, after, pageSize + 1);
  const items = rows.slice(0, pageSize);
  const last = items.at(-1);
  return { collection, items, next: rows.length > pageSize && last ? last : null };
}

/** Returns a deleted item of an app or form that can be restored. */
export async function getDeleted(
  ctx: ActionContext,
  { kind, key, id }: { kind: CollectionKind; key: string; id: string },
): Promise<{ collection: Collection; item: DeletedItem }> {
  const { collection } = await getCollection(ctx, kind, key);
  const item = await findDeletedItem(ctx.databases.of(collection), id);
  if (!item) throw problem.notFound();
  return { collection, item };
}
